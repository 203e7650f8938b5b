import type { CheckRecord, FixLog, SlotRecord } from '../gates/record-types.ts';
import type { GateOutcome, ReportedFinding, SlotOutcome } from '../gates/run-types.ts';
import type { SlotPlan } from '../gates/types.ts';
import type { GateId } from '../kernel/ids.ts';

/** The facts that explain the status of a gate, a slot, a check or a finding. */
export type RunExplanation =
  | {
      readonly kind: 'review';
      readonly gate: GateOutcome;
      /** The slot to explain; `null` to explain all slots of the gate. */
      readonly slot: SlotOutcome | null;
      readonly files: readonly string[];
      readonly rubric: string | null;
      /** The plan for each slot; empty if a run would call none of them. */
      readonly planned: readonly SlotPlan[];
      /** The findings that are open, warnings or waived. */
      readonly findings: readonly ReportedFinding[];
      readonly records: readonly SlotRecord[];
      readonly fixes: readonly FixLog[];
      /** The log of the slot's last review; `null` if there is none. */
      readonly log: string | null;
      /** The events that make the gate or the slot run again, in words. */
      readonly again: readonly string[];
    }
  | {
      readonly kind: 'check';
      readonly gate: GateOutcome;
      readonly command: string;
      readonly planned: boolean;
      readonly records: readonly CheckRecord[];
      readonly fixes: readonly FixLog[];
      /** The log of the check's last run; `null` if there is none. */
      readonly log: string | null;
      readonly again: readonly string[];
    }
  /** A configured gate with nothing to review. */
  | {
      readonly kind: 'idle-gate';
      readonly gate: GateId;
      readonly base: string | null;
      readonly again: readonly string[];
    }
  | {
      readonly kind: 'finding';
      readonly reported: ReportedFinding;
      /** Whether a run would call the reviewer of the finding now. */
      readonly planned: boolean;
      readonly fixes: readonly FixLog[];
    };
