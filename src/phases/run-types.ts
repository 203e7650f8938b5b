import type { Settings } from '../config/settings.ts';
import type { SessionUse } from '../dispatch/decide-resume.ts';
import type { Usage } from '../kernel/agent.ts';
import type { Failure } from '../kernel/failure.ts';
import type { RepoPath } from '../kernel/ids.ts';
import type { Clock, Cooldowns, ReporterOf, Reviewers, TamperGuard } from '../kernel/ports.ts';
import type { Commits, Contents, Selection, Snapshots, WithheldFile } from '../kernel/repository.ts';
import type { Result } from '../kernel/result.ts';
import type { LoopDispatchReason, PhaseName, PhaseRole, PhaseStage, Preparation } from '../kernel/review-loops.ts';
import type { Ledger, Saved } from '../ledger/entries.ts';
import type { NameSource } from '../platform/user-paths.ts';
import type { PhaseProgress } from './progress.ts';
import type { Roles } from './roles/types.ts';
import type { PhaseState } from './state.ts';
import type { PhaseEnd, PhaseRun, RoleIssue } from './types.ts';

/** The fields that a phase writes to `.meta.json`. */
export type MetaUpdate = {
  readonly phase: PhaseName;
  readonly started: string;
  /** Null unless the phase was approved or accepted with notes. */
  readonly completed: string | null;
  readonly loops: readonly MetaLoop[];
  /** One line per open issue. */
  readonly reviewerNotes: readonly string[];
  readonly resuming: Resuming;
};

/** Whether sessions can be resumed; unknown until a first resume is needed. */
export type Resuming =
  | { readonly kind: 'unknown' | 'works' }
  /** `{test_id}: {failure description}`. */
  | { readonly kind: 'deferred'; readonly why: string };

export type MetaLoop = {
  readonly stage: PhaseStage;
  readonly started: string;
  readonly completed: string | null;
  readonly iterations: number;
  readonly approved: boolean;
  readonly reviewerNotes: readonly string[];
};

/** The state of a phase at the end of a call. */
export type PhaseOutcome = {
  readonly run: PhaseRun;
  /** Null if the phase waits for the caller to fix the open issues. */
  readonly end: PhaseEnd | null;
  readonly open: readonly RoleIssue[];
  readonly exitCode: 0 | 1 | 3;
  readonly usage: Usage | null;
  readonly saved: Saved;
  readonly notices: readonly PhaseNotice[];
};

/** A warning beside the result. */
export type PhaseNotice =
  /** `.meta.json` was unreadable: it was renamed to `aside`, and a new one was created. */
  | { readonly kind: 'meta-put-aside'; readonly path: RepoPath; readonly aside: RepoPath }
  /** `.meta.json` names a PRD that does not exist or is outside the repository. */
  | { readonly kind: 'prd-left-out'; readonly path: string; readonly why: 'outside' | 'missing' }
  | { readonly kind: 'unseen-edits'; readonly paths: readonly RepoPath[] }
  /** Changed files that no reviewer gets to see. */
  | { readonly kind: 'withheld'; readonly why: WithheldFile['why']; readonly paths: readonly RepoPath[] }
  | { readonly kind: 'commit-failed'; readonly message: string; readonly said: string }
  | { readonly kind: 'not-in-ledger'; readonly failure: Failure }
  | { readonly kind: 'no-price'; readonly agents: readonly string[] }
  | { readonly kind: 'proof-taken-back'; readonly paths: readonly string[] }
  /** The agent's sessions cannot be resumed; `why` names the failed test of V1 to V4. */
  | { readonly kind: 'not-resumed'; readonly agent: string; readonly why: string };

/** The next calls of a phase, from a dry run. */
export type PhasePlan = {
  readonly phase: PhaseName;
  readonly feature: RepoPath;
  readonly artifact: RepoPath | null;
  /** The files under review: the document, or the changed code. */
  readonly files: readonly RepoPath[];
  readonly required: readonly RepoPath[];
  readonly fixing: { readonly by: 'fixer'; readonly agent: string } | { readonly by: 'caller' | 'nobody' };
  readonly mostIterations: number;
  /** The loop that would be continued; null if a new one would start. */
  readonly goesOn: { readonly round: number; readonly waiting: readonly RoleIssue[] | null } | null;
  readonly dispatches: readonly {
    readonly role: PhaseRole;
    readonly agent: string;
    readonly model: string | null;
    readonly dispatch: 'fresh' | 'resumed';
    readonly why: LoopDispatchReason;
    readonly promptChars: number;
  }[];
  readonly notices: readonly PhaseNotice[];
};

/** A loop on disk between calls. */
export type KeptLoop = {
  readonly run: PhaseRun;
  readonly state: PhaseState;
  readonly sessions: readonly SessionMemo[];
  /** Texts that a crashed call may have left in the history for a round that is not saved yet. */
  readonly pending: { readonly round: number; readonly texts: readonly string[] } | null;
  /** The last entry, exactly as the history has it. */
  readonly lastEntry: string | null;
  /** The commit or tree that the first review compared the code with. */
  readonly began: string;
};

/** Facts about a session that do not decide whether it can be resumed. */
export type SessionMemo = SessionUse & {
  readonly role: PhaseRole;
  /** The stable part of its first prompt. It must be sent again byte for byte to hit the provider's cache. */
  readonly opening: string;
};

/** `.meta.json` and `.review-history.md` in a feature's folder. People and other tools write there too. */
export interface FeatureFiles {
  meta(): Promise<Result<FeatureMeta>>;
  /** Renames an unreadable `.meta.json` and resolves to its new name. */
  putMetaAside(at: Date): Promise<Result<string>>;
  /** Writes the phase into `.meta.json`. An unreadable file is renamed first; resolves to its new name, else null. */
  tellMeta(update: MetaUpdate, at: Date): Promise<Result<string | null>>;
  /** Resolves to the whole history; empty if there is none. */
  history(): Promise<Result<string>>;
  writeHistory(text: string): Promise<Result<void>>;
}

type FeatureMeta =
  | { readonly kind: 'none' | 'unreadable' }
  /** `source` is the path of the document that the feature was made from. */
  | { readonly kind: 'read'; readonly source: string | null };

/** Storage for loops that continue in another call. */
export interface PhaseLoops {
  /** Resolves to null if there is no loop, and to 'unreadable' if it cannot be continued. */
  read(phase: PhaseName, feature: RepoPath): Promise<Result<KeptLoop | 'unreadable' | null>>;
  write(loop: KeptLoop): Promise<Result<void>>;
  /** Succeeds if there is no loop. */
  remove(phase: PhaseName, feature: RepoPath): Promise<Result<void>>;
}

/** Transcripts of loops, for people. */
export interface PhaseLogs {
  write(run: Pick<PhaseRun, 'id' | 'phase'>, name: string, log: string): Promise<Result<void>>;
}

export type PhasePorts = {
  readonly snapshots: Snapshots;
  readonly contents: Contents;
  readonly feature: FeatureFiles;
  readonly loops: PhaseLoops;
  readonly logs: PhaseLogs;
  readonly commits: Commits;
  readonly coolings: Cooldowns;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly reporter: ReporterOf<PhaseProgress>;
  readonly reviewers: Reviewers;
  readonly proof: TamperGuard;
  newId(): string;
};

/** The options of a phase, as on the command line. */
export type PhaseOptions = {
  readonly phase: string;
  readonly feature: string;
  /** The agent that fixes issues; null if there is none, or the caller does. */
  readonly fixer: string | null;
  /** One call per round. The caller fixes the issues in between and sums up the fix in the next call. */
  readonly step: boolean;
  readonly summary: string | null;
  readonly rerun: boolean;
  readonly acceptWithNotes: boolean;
  readonly mostIterations: number | null;
  readonly commits: boolean;
  readonly keepSessions: boolean;
  /** In `implement`: these files instead of those that changed since the base. */
  readonly files: { readonly names: readonly string[]; readonly source: NameSource } | null;
  readonly base: string | null;
  /** The preparations of `implement`. */
  readonly simplify: boolean;
  readonly deepenTests: boolean;
  readonly startedBy: 'person' | 'agent';
  readonly reporter: ReporterOf<PhaseProgress>;
  readonly stop: AbortSignal | null;
};

/** A phase to run: the options, with everything that they name. */
export type PhaseRequest = Pick<
  PhaseOptions,
  'rerun' | 'acceptWithNotes' | 'mostIterations' | 'commits' | 'startedBy' | 'stop'
> & {
  /** Absolute path of the working tree. */
  readonly root: string;
  readonly settings: Settings;
  readonly roles: Roles;
  readonly phase: PhaseName;
  readonly feature: RepoPath;
  /** fixer: an agent fixes issues until the phase ends. caller: one call per round. Else: one review. */
  readonly fixing:
    | { readonly by: 'fixer'; readonly agent: string }
    | { readonly by: 'caller'; readonly summary: string | null; readonly keepSessions: boolean }
    | { readonly by: 'nobody' };
  readonly preparations: readonly Preparation[];
  readonly selection: Selection;
  /** Agents that must not review here, for example because the change edits their program. */
  readonly barred: ReadonlySet<string>;
  /** Protected files that a fixer must not edit. */
  readonly kept: readonly RepoPath[];
  /** Returns a digest per file that the settings start an agent from. These files are also in `kept`. */
  agentFiles(): ReadonlyMap<RepoPath, string>;
};
