import type { AgentFailure } from './agent.ts';
import type { RunOutcome, Saved } from './run.ts';
import type { Usage } from './usage.ts';

/** Why a loop of reviews and fixes ended. */
export const LOOP_ENDS = [
  'passed',
  /** The same is open again and again, or the fixer changed nothing and the reviewers stand by what they said. */
  'stalled',
  /** It goes back and forth: an earlier state came back, or two sets of findings take turns. */
  'oscillating',
  'max-iterations',
  'retry-limit',
  'budget',
  'fixer-failed',
  /** The fixer changed what it would be judged by: settings, prompts, rules, agents, the base; or hid a file. */
  'gate-changed',
  /** Nothing of the change is left to review: it was taken back, not mended. */
  'nothing-left',
  'could-not-judge',
  'interrupted',
] as const;

export type LoopEnd = (typeof LOOP_ENDS)[number];

/** What a fixer did. */
export type Fix = {
  readonly agent: string;
  readonly dispatch: 'fresh' | 'resumed';
  readonly summary: string;
  /** Findings that it says are fixed, and those that it objects to. */
  readonly fixed: readonly string[];
  readonly declined: readonly string[];
  readonly filesChanged: number;
  readonly usage: Usage | null;
  readonly durationMs: number;
  readonly failure: AgentFailure | null;
};

/** One review with the fix that followed it. */
export type LoopRound = {
  readonly iteration: number | null;
  readonly status: RunOutcome['status'];
  readonly open: readonly string[];
  /** What was open in the round before and is no more, and what is open now and was not. */
  readonly closed: number;
  readonly added: number;
  /** Gates that fail. */
  readonly failing: readonly string[];
  /** Gates that failed in the round before and have nothing to look at now. */
  readonly left: readonly string[];
  readonly failingChecks: readonly string[];
  /** New findings that the ratchet lets be: open for every other run. */
  readonly letBe: readonly string[];
  readonly dispatches: number;
  readonly usage: Usage | null;
  readonly saved: Saved;
  readonly fix: Fix | null;
};

export type LoopOutcome = {
  readonly end: LoopEnd;
  readonly rounds: readonly LoopRound[];
  /** The last review, with what the whole loop has paid. */
  readonly run: RunOutcome;
};
