import type { CheckRecord, FixLog, SlotRecord } from '../gates/record-types.ts';
import type { GateOutcome, ReportedFinding, SlotOutcome } from '../gates/run-types.ts';
import type { SlotNumber, SlotPlan } from '../gates/types.ts';
import type { GateId } from '../kernel/ids.ts';

/** The facts that explain the status of a gate, a slot or a finding. */
export type RunExplanation =
  | {
      readonly kind: 'gate';
      readonly gate: GateOutcome;
      readonly files: readonly string[];
      readonly rubric: string | null;
      /** The plan of a run for each slot; empty if a run would skip the gate. */
      readonly planned: readonly SlotPlan[];
      /** The findings that count now. */
      readonly findings: readonly ReportedFinding[];
      readonly records: readonly SlotRecord[];
      readonly fixes: readonly FixLog[];
      readonly again: readonly RerunTrigger[];
    }
  | {
      readonly kind: 'check';
      readonly gate: GateOutcome;
      readonly command: string;
      readonly planned: boolean;
      readonly records: readonly CheckRecord[];
      /** The log of the last time that the check ran. */
      readonly log: string | null;
      readonly fixes: readonly FixLog[];
      readonly again: readonly RerunTrigger[];
    }
  | {
      readonly kind: 'slot';
      readonly gate: GateOutcome;
      readonly slot: SlotOutcome;
      readonly planned: SlotPlan | null;
      readonly findings: readonly ReportedFinding[];
      readonly records: readonly SlotRecord[];
      /** The log of the last time that the slot ran. */
      readonly log: string | null;
      readonly again: readonly RerunTrigger[];
    }
  /** A configured gate with nothing to review. */
  | {
      readonly kind: 'idle-gate';
      readonly gate: GateId;
      readonly base: string | null;
      readonly again: readonly RerunTrigger[];
    }
  | {
      readonly kind: 'finding';
      readonly reported: ReportedFinding;
      /** Whether a run would call the reviewer of the finding now. */
      readonly planned: boolean;
      readonly fixes: readonly FixLog[];
    };

type OfSlots<Kind extends string> = { readonly kind: Kind; readonly slots: readonly SlotNumber[] };

/** An event that makes a gate, a slot or a check run again. */
export type RerunTrigger =
  /** Every run: these slots have not passed the current code. */
  | OfSlots<'every-run'>
  /** The gate failed too often in a row: it needs a resolution by a person, or --force. */
  | { readonly kind: 'retry-limit'; readonly failing: number }
  /** The open findings belong to a slot that no longer exists. */
  | { readonly kind: 'no-such-slot' }
  /** The files of the gate change: these slots run, and the others are skipped. */
  | (OfSlots<'files'> & { readonly latch: boolean })
  /** The same, for a slot that is then skipped. */
  | (OfSlots<'files-rest'> & { readonly latch: boolean })
  | { readonly kind: 'prompt'; readonly of: 'review' | 'rule' }
  /** `unchanged_gates: run`: anything else has to run. */
  | OfSlots<'any-iteration'>
  /** These slots were skipped, and passed older content. */
  | OfSlots<'force'>
  | OfSlots<'certify'>
  | { readonly kind: 'fresh' }
  /** Every run: the check has not passed on the current tree. */
  | { readonly kind: 'check-every-run' }
  | { readonly kind: 'tree' }
  /** A file of an idle gate changes. */
  | { readonly kind: 'any-change' }
  | { readonly kind: 'command' };
