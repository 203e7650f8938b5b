import type { GateId } from '@onceover/base/kernel/ids';
import type { Selection } from '@onceover/base/kernel/repository';
import type { Disposition, Finding, Resolution } from '@onceover/gates/findings/types';
import type { RunOutcome } from '@onceover/gates/result/types';
import type { ArchivedRecord, CheckRecord, SlotRecord } from '@onceover/gates/run/record-types';
import type { CheckReceipt, HeldReceipt, Receipt } from '@onceover/gates/src/run/types.ts';
import type { Priority } from '@onceover/repo/config/settings';
import type { Moment } from '../memory/git.ts';

/** The options of a run. */
export type Asked = {
  readonly selection: Selection;
  readonly gates: readonly string[];
  readonly paths: readonly string[];
  readonly force: boolean;
  readonly fresh: boolean;
  readonly all: boolean;
};

/** A run as seen from outside: its calls, its checks, its writes and its outcome. */
export type ObservedRun = {
  readonly asked: Asked;
  readonly start: Moment;
  readonly end: Moment;
  readonly waves: readonly ObservedWave[];
  readonly writes: readonly Write[];
  /** `null` if the run ended without an outcome. */
  readonly outcome: RunOutcome | null;
  /** Whether the run was interrupted. */
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

/** All calls of one slot in one iteration; `ended` is the working tree after the answer. */
export type ObservedLook = {
  readonly gate: GateId;
  readonly slot: number;
  readonly asks: readonly ObservedAsk[];
  readonly ended: Moment;
};

export type ObservedAsk = {
  /** The ids of earlier findings in the prompt. */
  readonly given: readonly string[];
  readonly declined: readonly string[];
  /** `null` if the agent failed, or its answer was unreadable. */
  readonly answer: Answer | null;
};

export type Answer = {
  readonly status: 'pass' | 'fail';
  readonly reports: readonly Report[];
  readonly words: readonly Pick<Disposition, 'id' | 'state'>[];
  readonly message: string;
};

/** A problem as a reviewer reports it; no two have the same issue. */
export type Report = {
  readonly file: string;
  readonly line: number | null;
  readonly code: string | null;
  readonly priority: Priority;
  readonly issue: string;
};

/** A write, and the iteration of the run in which it happened, counted from 0. */
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
