import type { AgentFailure } from './agent.ts';
import type { CommitId, SnapshotId } from './brand.ts';
import type { Session } from './dispatch.ts';
import type { FindingState, Priority } from './finding.ts';
import type { GateContent, GateId } from './gate.ts';
import type { SlotNumber } from './slot.ts';
import type { Usage } from './usage.ts';

export type SlotStatus = 'pass' | 'fail' | 'error' | 'skipped_prior_pass';

/** A finding as a slot record has it. */
export type Violation = {
  readonly file: string;
  readonly line: number | null;
  readonly issue: string;
  readonly fix: string | null;
  readonly priority: Priority;
  readonly status: 'new' | 'fixed' | 'skipped';
  readonly result: string | null;
  /** Ours alone: null in a record by hand or by another tool. */
  readonly id: string | null;
  readonly code: string | null;
  readonly state: FindingState | null;
};

/** What one slot did in one iteration. */
export type SlotRecord = {
  readonly gate: GateId;
  readonly slot: SlotNumber;
  readonly iteration: number;
  /** The agent that looked; of a slot that rests, the one that passed. */
  readonly adapter: string;
  readonly timestamp: string;
  readonly status: SlotStatus;
  readonly rawOutput: string;
  readonly violations: readonly Violation[];
  readonly passIteration: number | null;
  /** Null: written by hand, by another tool, or unreadable. */
  readonly own: OwnFacts | null;
};

/** What our own records say beside what every tool's say. */
export type OwnFacts = {
  readonly content: GateContent;
  readonly snapshot: SnapshotId | null;
  readonly branch: string | null;
  readonly mergeBase: CommitId | null;
  readonly scope: string;
  readonly promptDigest: string;
  readonly session: KeptSession | null;
  readonly dispatch: 'fresh' | 'resumed' | 'none';
  readonly why: string;
  /** Into how many parts the diff was split. */
  readonly parts: number;
  readonly usage: Usage | null;
  readonly durationMs: number | null;
  /** Why there is no verdict, in a sentence. */
  readonly error: string | null;
};

/** A session as a slot keeps it from one iteration to the next. */
export type KeptSession = Session & {
  /** The text that opened it is kept under this digest: the provider's cache wants it again, byte for byte. */
  readonly stableDigest: string;
  /** What the session has used so far, for agents that report that instead of a dispatch's use. */
  readonly usedBefore: Usage | null;
  /** What its dispatches put into its context: what a cold cache would make us pay again. */
  readonly contextTokens: number | null;
  /** What its first dispatch used in all: what a fresh look costs. */
  readonly freshTokens: number | null;
  readonly lastUsedAt: string;
  /** How many minutes from then the provider keeps what it was sent. */
  readonly warmMinutes: number;
  /** Which entries it was shown, and against what. */
  readonly shown: readonly string[];
};

/** What one check did in one iteration. */
export type CheckRecord = {
  readonly gate: GateId;
  readonly iteration: number;
  readonly timestamp: string;
  readonly status: 'pass' | 'fail' | 'error';
  readonly command: string;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly tree: string;
  readonly branch: string | null;
  readonly mergeBase: CommitId | null;
  readonly scope: string;
  readonly why: string | null;
};

/** What came of asking: a verdict that can be judged, or why there is none. */
export type SlotTrouble =
  | { readonly kind: 'agent'; readonly agent: string; readonly failure: AgentFailure }
  | { readonly kind: 'no-agent'; readonly wanted: readonly string[]; readonly cooling: readonly Cooling[] }
  | { readonly kind: 'stale' }
  | { readonly kind: 'file-too-large'; readonly path: string; readonly characters: number; readonly limit: number }
  | { readonly kind: 'budget'; readonly what: 'usd' | 'dispatches' }
  | { readonly kind: 'author-agent'; readonly agent: string; readonly path: string };

/** An agent that has reached a limit. */
export type Cooling = { readonly agent: string; readonly until: Date; readonly said: string };
