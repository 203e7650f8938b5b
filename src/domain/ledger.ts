import type { GateId } from './gate.ts';
import type { LoopDispatch } from './loop-cost.ts';
import type { LoopTemplate } from './phase.ts';
import type { RunStatus, Saved } from './run.ts';
import type { Usage } from './usage.ts';

/** One of the four ways of not paying for the same review twice. */
export type Lever = keyof Saved;

/** What is written down of money and tokens when a run has ended, or when a fixer has. */
export type LedgerEntry = LedgerRun | LedgerFix | LedgerLoop | LedgerStep;

/** A run, also one that had nothing to do. */
export type LedgerRun = Dated & {
  readonly kind: 'run';
  readonly scope: string;
  /** Null: nothing ran. */
  readonly iteration: number | null;
  readonly status: RunStatus;
  readonly exitCode: 0 | 1 | 3;
  /** The slots that were asked. */
  readonly slots: readonly LedgerSlot[];
  /** The checks that ran. */
  readonly checks: readonly LedgerCheck[];
  readonly spared: readonly Spared[];
};

/** A turn of a fixer. */
export type LedgerFix = Dated & Dispatched & { readonly kind: 'fix' };

/** A dispatch of a review loop, with all the questions that it took. */
export type LedgerLoop = Dated &
  Dispatched &
  Omit<LoopDispatch, 'spent' | 'template'> & {
    readonly kind: 'loop';
    /** Null: what goes before the reviews of code, which has a prompt of its own. */
    readonly template: LoopTemplate | null;
    /** done: whoever writes has answered. error: nobody gave an answer that counts. */
    readonly status: 'pass' | 'fail' | 'done' | 'error';
    /** Characters of all that was sent, and of what a fresh prompt would have been. */
    readonly promptChars: number;
    readonly freshChars: number;
  };

/** A review of what a step of a workflow has made, with all the questions that it took. */
export type LedgerStep = Dated &
  Dispatched & {
    readonly kind: 'step';
    readonly job: string;
    /** Which working through of a workflow of that job. */
    readonly session: string;
    readonly step: string;
    /** done: it was answered. error: nobody gave an answer that counts. */
    readonly status: 'done' | 'error';
  };

type Dated = {
  /** When it ended. */
  readonly at: string;
  readonly durationMs: number;
  readonly startedBy: 'person' | 'agent';
  /** Null: HEAD was detached. */
  readonly branch: string | null;
};

type Dispatched = {
  readonly agent: string;
  /** Null: neither the settings nor the agent named it. */
  readonly model: string | null;
  readonly dispatch: 'fresh' | 'resumed';
  /** How often it was asked for this: once more for an answer that can be read, or for each part of a diff. */
  readonly asks: number;
  readonly usage: Usage | null;
};

export type LedgerSlot = Dispatched & {
  readonly gate: GateId;
  readonly slot: number;
  readonly status: 'pass' | 'fail' | 'error';
  /** Why it was asked as it was. */
  readonly why: string;
  readonly durationMs: number;
};

export type LedgerCheck = {
  readonly gate: GateId;
  readonly status: 'pass' | 'fail' | 'error';
  readonly durationMs: number;
};

/** What a lever spared at a gate: in how many looks, and about how many tokens. */
export type Spared = {
  readonly gate: GateId;
  readonly lever: Lever;
  readonly looks: number;
  readonly tokens: number;
};
