import type { Priority } from '../config/settings.ts';
import type { GateId, RepoPath } from '../kernel/ids.ts';
import type { BranchContext } from '../kernel/repository.ts';
import type { Result } from '../kernel/result.ts';
import type { Shaped } from '../kernel/shape.ts';
import type { CHECK_RECORD, OWN } from './record/shapes.ts';
import type { FindingState, SlotNumber, SlotRun } from './types.ts';

/** The records of past iterations, in `log_dir`. */
export interface Records {
  /** Reads all records. `gates` decides which gate owns a record that another tool wrote; `tracked` files are ignored. */
  read(gates: readonly GateName[], tracked: ReadonlySet<RepoPath>): Promise<Result<RecordHistory>>;
  writeSlot(record: SlotRecord, file: SlotFile, log: string): Promise<Result<void>>;
  writeCheck(record: CheckRecord, gate: GateName, log: string): Promise<Result<void>>;
  /** Writes the log of the gate's decisions in one iteration. */
  writeGateLog(gate: GateName, iteration: number, lines: readonly string[]): Promise<Result<void>>;
  /** Writes the prompt and the answer of the fixer that ran after an iteration. */
  writeFixLog(agent: string, iteration: number, log: string): Promise<Result<void>>;
  /** Returns the fix logs that are not archived, newest first. */
  fixLogs(): Promise<readonly FixLog[]>;
  /** Moves records to the archive: those named, or all. */
  archive(which: readonly ArchivedRecord[] | 'all'): Promise<Result<void>>;
  /** Returns a slot's log, or with `slot: null` the log of a check or of a gate's decisions; `null` if there is none. */
  readLog(gate: GateName, slot: number | null, iteration: number): Promise<string | null>;
}

/** A fixer's prompt and answer; `path` is relative to the repository's root. */
export type FixLog = {
  readonly agent: string;
  readonly iteration: number;
  readonly path: string;
  readonly log: string;
};

/** A gate with the stem of its files' names. */
export type GateName = { readonly id: GateId; readonly kind: 'check' | 'review' | 'rule'; readonly stem: string };

/** A slot's file is named after this agent: for a skipped slot, the agent that is assigned now. */
export type SlotFile = { readonly gate: GateName; readonly agent: string };

export type RecordHistory = {
  /** The highest iteration of any record; 0 if there are no records. */
  readonly lastIteration: number;
  readonly slots: readonly SlotRecord[];
  readonly checks: readonly CheckRecord[];
  /** Records of gates that the caller did not name, with the branch that they were made on. */
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
  /** Only onceover's own records have `id`, `code` and `state`. */
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
