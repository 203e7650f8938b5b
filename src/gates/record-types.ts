import type { Priority } from '../config/settings.ts';
import type { GateId, RepoPath } from '../kernel/ids.ts';
import type { BranchContext } from '../kernel/repository.ts';
import type { Result } from '../kernel/result.ts';
import type { Shaped } from '../kernel/shape.ts';
import type { CHECK_RECORD, OWN } from './record/shapes.ts';
import type { FindingState, SlotNumber, SlotRun } from './types.ts';

/** The records of past iterations, in `log_dir`. */
export interface Records {
  /**
   * Reads all records. The gate of a record that another tool wrote is found by comparing its file name with `gates`.
   * Files in `tracked` are ignored.
   */
  read(gates: readonly GateName[], tracked: ReadonlySet<RepoPath>): Promise<Result<RecordHistory>>;
  writeSlot(record: SlotRecord, file: SlotFile, log: string): Promise<Result<void>>;
  writeCheck(record: CheckRecord, gate: GateName, log: string): Promise<Result<void>>;
  /** Writes the log of the gate's decisions in one iteration: why each slot runs or is skipped. */
  writeGateLog(gate: GateName, iteration: number, lines: readonly string[]): Promise<Result<void>>;
  /** Writes the prompt and the answer of the fixer that ran after an iteration. */
  writeFixLog(agent: string, iteration: number, log: string): Promise<Result<void>>;
  /** Returns the fix logs that are not archived, newest first. */
  fixLogs(): Promise<readonly FixLog[]>;
  /** Moves the given records, or all of them, to the archive. */
  archive(which: readonly ArchivedRecord[] | 'all'): Promise<Result<void>>;
  /** Returns the log of a slot or, with `slot: null`, of a check or of a gate's decisions; `null` if there is none. */
  readLog(gate: GateName, slot: number | null, iteration: number): Promise<string | null>;
}

/** A fixer's prompt and answer; `path` is relative to the repository's root. */
type FixLog = {
  readonly agent: string;
  readonly iteration: number;
  readonly path: string;
  readonly log: string;
};

/** A gate and the start of its file names (`stem`). */
export type GateName = { readonly id: GateId; readonly kind: 'check' | 'review' | 'rule'; readonly stem: string };

/** The gate and agent that a slot's file is named after. For a skipped slot, it is the agent that would review now. */
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
  /** The agent that reviewed; for a skipped slot, the agent that passed. */
  readonly adapter: string;
  readonly timestamp: string;
  readonly status: SlotStatus;
  readonly rawOutput: string;
  readonly violations: readonly Violation[];
  readonly passIteration: number | null;
  /** `null` if the record was written by hand or by another tool, or is unreadable. */
  readonly own: RecordMetadata | null;
};

/** The fields that only onceover's own slot records have. */
export type RecordMetadata = Shaped<typeof OWN>;

export type CheckRecord = Shaped<typeof CHECK_RECORD>;
