import type { Answers } from '@onceover/agents/dispatch/answer-schemas';
import type { ConverseEnd } from '@onceover/agents/dispatch/converse';
import type { SessionPrompts } from '@onceover/agents/dispatch/cooldowns';
import type { Budget } from '@onceover/agents/dispatch/limits';
import type { ReadingEnd } from '@onceover/agents/dispatch/share-reading';
import type { CacheTtl } from '@onceover/agents/economy/cache-rules';
import type { JobReuse } from '@onceover/agents/economy/types';
import type { LedgerSlot } from '@onceover/agents/ledger/entries';
import type { Ledger } from '@onceover/agents/ledger/store';
import type { CacheNote, KeptSession, SlotTrouble } from '@onceover/base/kernel/agent';
import type { Failure } from '@onceover/base/kernel/failure';
import type { GateId, RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type { Checks, Clock, Cooldowns, ReporterOf, Reviewers } from '@onceover/base/kernel/ports';
import type { Comparison, Contents, Selection, Snapshot, Snapshots } from '@onceover/base/kernel/repository';
import type {
  Acceptance,
  AcceptedWaiver,
  PassRequest,
  TravellingStatement,
  WaiverRequest,
} from '@onceover/passes/types';
import type { NoBasePolicy } from '@onceover/repo/config/base-policy';
import type { ReviewedPullRequest } from '@onceover/repo/config/pull-request-job';
import type { Settings } from '@onceover/repo/config/settings';
import type { FindingStore } from '../findings/open-findings.ts';
import type { Ratchet } from '../findings/priority.ts';
import type { KnownFinding } from '../findings/types.ts';
import type { ReviewGate, Rubric, RunReason, ShareEnd } from '../gate-types.ts';
import type { RunNotice, RunProgress, SlotOutcome } from '../result/types.ts';
import type { Passes } from '../rules/passes.ts';
import type { ReferenceFiles } from '../rules/select-files.ts';
import type { UnusableReference } from '../rules/types.ts';
import type { EndedCycles } from './decide/cycles.ts';
import type { GateList, GateRequest } from './decide/gate-list.ts';
import type { GateState } from './decide/gate-state.ts';
import type { CheckState, RunOverrides } from './decide/plan-run.ts';
import type { ReceiptStore } from './record/receipts.ts';
import type { Records } from './record/records.ts';
import type { GateName, RecordHistory, RecordMetadata } from './record-types.ts';

/** The state of the change and its gates. A run reads it first to plan its work, and at the end to judge the gates. */
export type RunFacts = {
  readonly comparison: Comparison;
  readonly snapshot: Snapshot;
  /**
   * Identifies everything that a check may read. A check's pass counts only while this id is the same. `null` if the
   * run has no checks.
   */
  readonly checked: SnapshotId | null;
  readonly planned: GateList;
  /** Returns the beginning of the file names of a gate's records. */
  nameOf(gate: GateId): GateName;
  readonly past: RecordHistory;
  readonly findings: readonly KnownFinding[];
  readonly checks: readonly CheckState[];
  readonly reviews: readonly GateState[];
  /**
   * Open findings of gates that were removed from the configuration, if the files have not changed since the report.
   */
  readonly orphans: readonly KnownFinding[];
  readonly ended: EndedCycles;
  /** Whether the run covers all gates of the change. */
  readonly seesAll: boolean;
  readonly notices: readonly RunNotice[];
};

type PlannedSlot = {
  readonly state: GateState;
  readonly gate: ReviewGate;
  readonly slot: number;
  readonly why: RunReason;
};

/** A reviewer (slot) of a gate that runs now, with its agent, session and prompts. */
export type SlotJob = PlannedSlot & {
  readonly agent: string;
  readonly others: readonly string[];
  readonly reuse: JobReuse;
  /** Reference files that the rule names and that could not be included in the prompts. */
  readonly unshown: readonly UnusableReference[];
  readonly tree: SnapshotId;
  readonly timeoutSeconds: number;
  /** The session that read the files for this reviewer and others; missing if there was none. */
  readonly shared?: SlotReading;
};

/** A session that read the files for several reviewers, as one of these reviewers sees it. */
export type SlotReading = {
  /** The reviewer that the cost of reading the files is charged to: the first of those that share the session. */
  readonly leader: SlotId;
  readonly isLeader: boolean;
  readonly end: ReadingEnd;
  /** The session that read files for several reviewers and that a later run can continue; `null` if there is none. */
  readonly base: RecordMetadata['base'] | null;
  /**
   * The earlier session that was continued to read the files: the start of its prompt, and facts about its cache;
   * `null` if there was none.
   */
  readonly continued: { readonly opening: string; readonly note: CacheNote; readonly ttl: CacheTtl } | null;
};

type SlotId = { readonly gate: GateId; readonly slot: number };

export type UnassignableSlot = PlannedSlot & { readonly agent: string | null; readonly trouble: SlotTrouble };

/** The reviewer's answer, or the trouble that prevented one, with the usage of its calls. */
export type SlotAnswer = Omit<ConverseEnd<Answers['gate']>, 'last'> & {
  /** The session that the next iteration may resume; `null` if there is none. */
  readonly session: KeptSession | null;
  /** The files that the reviewer opened itself; `null` if unknown. */
  readonly opened: readonly string[] | null;
  readonly raw: string;
  readonly cache: CacheNote | null;
};

/** The result of a reviewer that ran or was skipped. */
export type SlotResult = {
  readonly gate: ReviewGate;
  readonly outcome: SlotOutcome;
  /** `null` if the reviewer was skipped, or if no agent was available for it. */
  readonly job: SlotJob | null;
  /** The usage and cost of the reviewer's calls; `null` if it made none. */
  readonly cost: LedgerSlot | null;
  readonly closed: readonly string[];
  /**
   * Whether the reviewer worked in a copy (fork) of a session that had read files for several reviewers; default:
   * false.
   */
  readonly forked?: boolean;
  /**
   * Whether the reviewer was stopped during its review. In that case it has no record, but its calls have to be
   * counted.
   */
  readonly isStopped: boolean;
};

/**
 * The results of the reviewers of an iteration. `interrupted`: whether the run stopped before all of them had answered.
 */
export type RanSlots = {
  readonly slots: readonly SlotResult[];
  readonly interrupted: boolean;
  /** Changed images, audio, video and fonts. Reviewers saw only that they differ, not how. */
  readonly binary: readonly RepoPath[];
  /** Agents that the settings name for these reviews but that are not installed, so other agents reviewed. */
  readonly absent: readonly string[];
};

export type RunPorts = {
  readonly snapshots: Snapshots;
  readonly records: Records;
  readonly receipts: ReceiptStore;
  readonly findings: FindingStore;
  readonly sessionPrompts: SessionPrompts;
  readonly cooldowns: Cooldowns;
  readonly passes: Passes;
  readonly ledger: Ledger;
  /**
   * Opens the files of the working tree. File contents are cached in the result, so call this again to see later
   * changes.
   */
  contents(): Contents;
  /** Opens the reference files of rules. On a pull request, they are read from the base branch. */
  references(): ReferenceFiles;
  readonly checks: Checks;
  readonly clock: Clock;
  readonly reporter: ReporterOf<RunProgress>;
  /** The passes of other clones. Missing or `null` if none of them can count in this run. */
  readonly shared?: SharedPasses | null;
  /** Finds the installed agents. This takes time, so call it only if a reviewer runs. */
  reviewers(): Promise<Reviewers>;
};

/**
 * Passes and waivers that people signed in other clones. No method fails: if something cannot be read, the pass does
 * not count, and the reviewer runs here.
 */
export interface SharedPasses {
  /** For each requested pass, in the same order, decides whether a pass of another clone counts. */
  accept(wanted: readonly PassRequest[]): Promise<readonly Acceptance[]>;
  /**
   * Returns the waivers of other clones that count for these findings. A key in the result identifies a finding in all
   * clones.
   */
  waivers(wanted: readonly WaiverRequest[]): Promise<ReadonlyMap<string, AcceptedWaiver>>;
  /** Like `accept`, for one request. Also searches all signed passes for the reason why none counts. */
  explain(wanted: PassRequest): Promise<Acceptance>;
  /**
   * Signs the passes and waivers that are not shared yet, and sends them. `isAsked`: a person asked for it; otherwise
   * the setting `share` decides.
   */
  share(statements: readonly TravellingStatement[], isAsked: boolean): Promise<ShareEnd>;
  /** The reason why no pass of another clone can count; `null` if passes can count. */
  problem(): NoBasePolicy | null;
  /** Why the run must not go on without passes of other clones, such as a missing secret; `null` if it may. */
  refusal(): Failure | null;
  /** Ends a fetch that is no longer needed. */
  close(): void;
}

export type RunContext = { readonly ports: RunPorts; readonly request: RunRequest; readonly budget: Budget };

export type RunRequest = GateRequest &
  RunOverrides & {
    /** Absolute path of the working tree, needed because reviewers may report absolute paths. */
    readonly root: string;
    readonly settings: Settings;
    readonly rubrics: ReadonlyMap<RepoPath, Rubric>;
    readonly selection: Selection;
    /** Whether reviews run even if a check fails. */
    readonly all: boolean;
    /** The pull request whose target branch has the configuration; `null` if the run is not for one. */
    readonly pullRequest: ReviewedPullRequest | null;
    /** If false, a repository without gates and rules is an error, unless a finding of a removed gate is still open. */
    readonly allowUnconfigured?: boolean;
    /** The names of the agents that need no settings. Missing if passes of other clones cannot count. */
    readonly builtInAgents?: readonly string[];
    /** Whether the run shares its passes at the end, even if the setting `share` is off. */
    readonly share?: boolean;
    readonly startedBy: 'person' | 'agent';
    readonly stop: AbortSignal | null;
    /** The findings that `run --until-pass --ratchet` tolerates. Other runs do not set this. */
    readonly ratchetHolder?: RatchetHolder;
  };

/** The findings that `run --until-pass --ratchet` tolerates at the moment. Every review replaces the value of `now`. */
export type RatchetHolder = { now: Ratchet };
