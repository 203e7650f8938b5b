import type { GateId } from './gate.ts';
import type { WriteReason } from './instructions.ts';
import type { Mark, MarkReceipt } from './pass.ts';
import type { FixLog } from './ports.ts';
import type { CheckRecord, SlotRecord } from './record.ts';
import type { GateOutcome, SlotOutcome, ToldFinding } from './run.ts';
import type { SlotNumber, SlotPlan } from './slot.ts';
import type { ReviewTask } from './task.ts';

/** Why a review is done or not, for the id that somebody asked about. */
export type ReviewExplanation =
  | { readonly kind: 'to-do'; readonly task: ReviewTask; readonly why: WriteReason; readonly mark: Mark | null }
  | { readonly kind: 'skipped'; readonly task: ReviewTask; readonly mark: Mark }
  /** The same rule and files are there, with other contents. */
  | {
      readonly kind: 'changed';
      readonly id: string;
      readonly now: ReviewTask;
      readonly passed: boolean;
      readonly receipt: MarkReceipt | null;
    }
  /** No rule makes this review of the present change. */
  | {
      readonly kind: 'not-asked-for';
      readonly id: string;
      readonly passed: boolean;
      readonly receipt: MarkReceipt | null;
    };

/** Why a gate, a slot or a finding stands as it does. */
export type RunExplanation =
  | {
      readonly kind: 'gate';
      readonly gate: GateOutcome;
      readonly files: readonly string[];
      readonly rubric: string | null;
      /** What a run would do with each slot now; empty where it would leave the gate alone. */
      readonly planned: readonly SlotPlan[];
      /** Those that count. */
      readonly findings: readonly ToldFinding[];
      readonly records: readonly SlotRecord[];
      /** What fixers did about what was open. */
      readonly fixes: readonly FixLog[];
      readonly again: readonly RunsAgain[];
    }
  | {
      readonly kind: 'check';
      readonly gate: GateOutcome;
      readonly command: string;
      readonly planned: boolean;
      readonly records: readonly CheckRecord[];
      /** What it printed the last time. */
      readonly log: string | null;
      readonly fixes: readonly FixLog[];
      readonly again: readonly RunsAgain[];
    }
  | {
      readonly kind: 'slot';
      readonly gate: GateOutcome;
      readonly slot: SlotOutcome;
      readonly planned: SlotPlan | null;
      readonly findings: readonly ToldFinding[];
      readonly records: readonly SlotRecord[];
      /** What was sent and said the last time. */
      readonly log: string | null;
      readonly again: readonly RunsAgain[];
    }
  /** A gate that is configured, and has nothing to look at. */
  | {
      readonly kind: 'idle-gate';
      readonly gate: GateId;
      readonly base: string | null;
      readonly again: readonly RunsAgain[];
    }
  | {
      readonly kind: 'finding';
      readonly told: ToldFinding;
      /** Whether a run would ask its slot now. */
      readonly planned: boolean;
      readonly fixes: readonly FixLog[];
    };

/** Something that makes a gate, a slot or a check run again. */
export type RunsAgain =
  /** These slots have not passed what is there now. */
  | { readonly kind: 'every-run'; readonly slots: readonly SlotNumber[] }
  /** It failed too often in a row: only a word of a person, or --force. */
  | { readonly kind: 'retry-limit'; readonly failing: number }
  /** What is open belongs to a slot that is no more. */
  | { readonly kind: 'no-such-slot' }
  /** The gate's files change: then these slots look, and others rest. */
  | { readonly kind: 'files'; readonly slots: readonly SlotNumber[]; readonly latch: boolean }
  /** The same for a slot that would rest then. */
  | { readonly kind: 'files-rest'; readonly slots: readonly SlotNumber[]; readonly latch: boolean }
  | { readonly kind: 'prompt'; readonly of: 'review' | 'rule' }
  /** `unchanged_gates: run`: something else has to run. */
  | { readonly kind: 'any-iteration'; readonly slots: readonly SlotNumber[] }
  /** These rested on an older content. */
  | { readonly kind: 'force'; readonly slots: readonly SlotNumber[] }
  | { readonly kind: 'certify'; readonly slots: readonly SlotNumber[] }
  | { readonly kind: 'fresh' }
  /** A check: it has not passed on the tree as it is. */
  | { readonly kind: 'check-every-run' }
  | { readonly kind: 'tree' }
  /** Nothing of what it looks at has changed. */
  | { readonly kind: 'any-change' }
  | { readonly kind: 'command' };
