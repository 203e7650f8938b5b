import type { Disposition, Finding, Priority, Resolution } from '../../../src/domain/finding.ts';
import type { GateId } from '../../../src/domain/gate.ts';
import type { ArchivedRecord } from '../../../src/domain/ports.ts';
import type { CheckReceipt, HeldReceipt, Receipt } from '../../../src/domain/receipt.ts';
import type { CheckRecord, SlotRecord } from '../../../src/domain/record.ts';
import type { RunOutcome } from '../../../src/domain/run.ts';
import type { Selection } from '../../../src/domain/scope.ts';
import type { Moment } from '../memory/git.ts';

/** What a run was asked for. */
export type Asked = {
  readonly selection: Selection;
  readonly gates: readonly string[];
  readonly paths: readonly string[];
  readonly force: boolean;
  readonly fresh: boolean;
  readonly all: boolean;
};

/** A run as it is seen from outside: whom it asked, what it ran, what it wrote, what it said. */
export type ObservedRun = {
  readonly asked: Asked;
  readonly start: Moment;
  readonly end: Moment;
  readonly waves: readonly ObservedWave[];
  readonly writes: readonly Write[];
  /** Null: it ended before it could say. */
  readonly outcome: RunOutcome | null;
  /** Whether somebody stopped it. */
  readonly isStopped: boolean;
};

/** One iteration; `begun` is the working tree when it began, `shown` when its reviewers' prompts were written. */
export type ObservedWave = {
  readonly iteration: number;
  readonly begun: Moment;
  readonly checks: readonly ObservedCheck[];
  readonly shown: Moment;
  readonly looks: readonly ObservedLook[];
};

export type ObservedCheck = {
  readonly gate: GateId;
  readonly before: Moment;
  readonly after: Moment;
  readonly passed: boolean;
};

/** Everything that one slot was asked in one iteration; `ended` is the working tree when it had answered. */
export type ObservedLook = {
  readonly gate: GateId;
  readonly slot: number;
  readonly asks: readonly ObservedAsk[];
  readonly ended: Moment;
};

export type ObservedAsk = {
  /** The ids of earlier findings that the prompt tells of. */
  readonly given: readonly string[];
  readonly declined: readonly string[];
  /** Null: the agent failed, or its answer could not be read. */
  readonly answer: Answer | null;
};

export type Answer = {
  readonly status: 'pass' | 'fail';
  readonly reports: readonly Report[];
  readonly words: readonly Pick<Disposition, 'id' | 'state'>[];
  readonly message: string;
};

/** A problem as a reviewer puts it; no two have the same issue. */
export type Report = {
  readonly file: string;
  readonly line: number | null;
  readonly code: string | null;
  readonly priority: Priority;
  readonly issue: string;
};

/** Something that was written, and in which iteration of the run, counted from 0. */
export type Write = { readonly wave: number } & (
  | { readonly kind: 'slot'; readonly record: SlotRecord }
  | { readonly kind: 'check'; readonly record: CheckRecord }
  | { readonly kind: 'log'; readonly gate: GateId; readonly iteration: number }
  | { readonly kind: 'archive'; readonly which: readonly ArchivedRecord[] | 'all' }
  | { readonly kind: 'receipt'; readonly receipt: Receipt }
  | { readonly kind: 'check-receipt'; readonly receipt: CheckReceipt }
  | { readonly kind: 'held'; readonly receipt: HeldReceipt }
  | { readonly kind: 'add' | 'update'; readonly finding: Finding }
  | { readonly kind: 'resolve'; readonly id: string; readonly resolution: Resolution }
  | { readonly kind: 'cooling'; readonly agent: string }
);
