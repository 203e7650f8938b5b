import type { GateId } from '@onceover/base/kernel/ids';
import type { BranchContext } from '@onceover/base/kernel/repository';
import type { Shaped } from '@onceover/base/kernel/shape';
import type { Priority } from '@onceover/repo/config/settings';
import type { FindingState } from '../findings/types.ts';
import type { SlotNumber, SlotRun } from '../gate-types.ts';
import type { CHECK_RECORD, OWN } from './record/shapes.ts';

/**
 * The log of one call to the agent that fixes findings: its text (`log`), and its path relative to the repository's
 * root.
 */
export type FixLog = {
  readonly agent: string;
  readonly iteration: number;
  readonly path: string;
  readonly log: string;
};

/** A gate, and the beginning of the file names of its records (`stem`). */
export type GateName = { readonly id: GateId; readonly kind: 'check' | 'review' | 'rule'; readonly stem: string };

/**
 * The gate and agent in the file name of a reviewer's record. For a skipped reviewer, the agent that would review now.
 */
export type SlotFile = { readonly gate: GateName; readonly agent: string };

export type RecordHistory = {
  /** The highest iteration of any record; 0 if there are no records. */
  readonly lastIteration: number;
  readonly slots: readonly SlotRecord[];
  readonly checks: readonly CheckRecord[];
  /** Records of gates that the caller of `read` did not name, each with the branch on which it was made. */
  readonly others: readonly (ArchivedRecord & BranchContext)[];
};

export type ArchivedRecord = { readonly gate: GateId; readonly iteration: number };

export type SlotStatus = SlotRun['status'];

export type Violation = {
  readonly file: string;
  readonly line: number | null;
  readonly issue: string;
  readonly fix: string | null;
  readonly priority: Priority;
  readonly status: 'new' | 'fixed' | 'skipped';
  readonly result: string | null;
  /** `id`, `code` and `state` are `null` in records that another tool wrote. */
  readonly id: string | null;
  readonly code: string | null;
  readonly state: FindingState | null;
};

export type SlotRecord = {
  readonly gate: GateId;
  readonly slot: SlotNumber;
  readonly iteration: number;
  /** The agent that reviewed. For a skipped reviewer, the agent of the review that passed. */
  readonly adapter: string;
  readonly timestamp: string;
  readonly status: SlotStatus;
  readonly rawOutput: string;
  readonly violations: readonly Violation[];
  readonly passIteration: number | null;
  /**
   * Fields that only onceover writes; `null` if the record was written by hand or by another tool, or is unreadable.
   */
  readonly own: RecordMetadata | null;
};

/** The fields of a reviewer's record that only onceover writes. Records that another tool wrote do not have them. */
export type RecordMetadata = Shaped<typeof OWN>;

export type CheckRecord = Shaped<typeof CHECK_RECORD>;
