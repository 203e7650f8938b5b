import type { WriteReason } from './instructions.ts';
import type { Mark, MarkReceipt } from './pass.ts';
import type { CheckRecord, SlotRecord } from './record.ts';
import type { GateOutcome, SlotOutcome, ToldFinding } from './run.ts';
import type { SlotPlan } from './slot.ts';
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
      readonly records: readonly SlotRecord[];
      readonly checks: readonly CheckRecord[];
    }
  | {
      readonly kind: 'slot';
      readonly gate: GateOutcome;
      readonly slot: SlotOutcome;
      readonly planned: SlotPlan | null;
      readonly records: readonly SlotRecord[];
      /** What was sent and said the last time. */
      readonly log: string | null;
    }
  | { readonly kind: 'finding'; readonly told: ToldFinding };
