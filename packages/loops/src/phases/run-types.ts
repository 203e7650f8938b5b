import type { Saved } from '@onceover/agents/ledger/entries';
import type { Ledger } from '@onceover/agents/ledger/store';
import type { Usage } from '@onceover/base/kernel/agent';
import type { Failure } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Clock, Cooldowns, ReporterOf, Reviewers, TamperGuard } from '@onceover/base/kernel/ports';
import type {
  Commits,
  Contents,
  Selection,
  Snapshots,
  Visibility,
  WithheldFile,
} from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import type { PhaseName, Preparation } from '@onceover/base/kernel/review-loops';
import type { NameSource } from '@onceover/base/platform/user-paths';
import type { Settings } from '@onceover/repo/config/settings';
import type { PhaseProgress } from './progress.ts';
import type { FeatureFiles, PhaseLogs, PhaseLoops } from './record/store.ts';
import type { Roles } from './roles/types.ts';
import type { PhaseEnd, PhaseRun, RoleIssue } from './types.ts';

/** The result of one command: the phase has ended, or it waits for the caller to fix issues. */
export type PhaseOutcome = {
  readonly run: PhaseRun;
  /** How the phase ended; null if it waits for the caller to fix the open issues. */
  readonly end: PhaseEnd | null;
  readonly open: readonly RoleIssue[];
  readonly exitCode: 0 | 1 | 3;
  readonly usage: Usage | null;
  readonly saved: Saved;
  readonly notices: readonly PhaseNotice[];
};

/** A warning that is printed with the result of a phase and does not change the result. */
export type PhaseNotice =
  /** `.meta.json` was unreadable, so it was renamed to `aside` and a new `.meta.json` was created. */
  | { readonly kind: 'meta-put-aside'; readonly path: RepoPath; readonly aside: RepoPath }
  /** `.meta.json` names a PRD (product requirements document) that does not exist or is outside the repository. */
  | { readonly kind: 'prd-left-out'; readonly path: string; readonly why: 'outside' | 'missing' }
  /** The review was limited to a list of files, but the fixing agent also changed other files. */
  | { readonly kind: 'unseen-edits'; readonly paths: readonly RepoPath[] }
  /** Changed files that onceover does not show to reviewers, such as files with secrets. */
  | { readonly kind: 'withheld'; readonly why: WithheldFile['why']; readonly paths: readonly RepoPath[] }
  | { readonly kind: 'commit-failed'; readonly message: string; readonly said: string }
  | { readonly kind: 'not-in-ledger'; readonly failure: Failure }
  | { readonly kind: 'no-price'; readonly agents: readonly string[] }
  /**
   * The fixing agent changed files in a way that counts as a pass, a waiver or an approval. onceover restored these
   * files.
   */
  | { readonly kind: 'proof-taken-back'; readonly paths: readonly string[] }
  /**
   * The fixing agent changed files or settings that decide which files reviewers see. A `null` in `paths` means git's
   * own settings.
   */
  | { readonly kind: 'hidden-by-fixer'; readonly paths: readonly (string | null)[] }
  /**
   * The agent always gets a new session. `why` names the resume test that it failed (V1 to V4, see
   * dispatch/resume-probe.ts).
   */
  | { readonly kind: 'not-resumed'; readonly agent: string; readonly why: string };

export type PhasePorts = {
  readonly snapshots: Snapshots;
  readonly contents: Contents;
  readonly feature: FeatureFiles;
  readonly loops: PhaseLoops;
  readonly logs: PhaseLogs;
  readonly commits: Commits;
  readonly cooldowns: Cooldowns;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly reporter: ReporterOf<PhaseProgress>;
  readonly reviewers: Reviewers;
  readonly proof: TamperGuard;
  /** Reads the facts that decide which files reviewers see, such as git's settings and ignore rules. */
  visibility(): Promise<Result<Visibility>>;
  newId(): string;
};

/**
 * The options of a phase that a user can set. Without `fixer` and `step`, no one fixes issues, so open issues end the
 * phase.
 */
export type PhaseChoices = {
  /** The name of the agent that fixes the issues. */
  readonly fixer?: string;
  /**
   * Whether the command stops at open issues. The caller then fixes them and describes the fix in the `summary` of the
   * next command.
   */
  readonly step?: boolean;
  readonly summary?: string;
  /** With `step`: whether sessions are stored in the git folder for the next command. Default: true. */
  readonly keepSessions?: boolean;
  readonly rerun?: boolean;
  readonly acceptWithNotes?: boolean;
  readonly maxIterations?: number;
  /** Whether onceover commits the fixes. Default: true. */
  readonly commit?: boolean;
  /**
   * The base branch that the code is compared with. `base`, `simplify` and `deepenTests` apply only to the phase
   * `implement`.
   */
  readonly base?: string;
  readonly simplify?: boolean;
  readonly deepenTests?: boolean;
};

/** The options of a phase to run. Their names and paths are not checked yet. */
export type PhaseOptions = PhaseChoices & {
  readonly phase: string;
  readonly feature: string;
  /** In `implement`: the files to review; null for all files that differ from the base branch. */
  readonly files: { readonly names: readonly string[]; readonly source: NameSource } | null;
  readonly startedBy: 'person' | 'agent';
  readonly reporter: ReporterOf<PhaseProgress>;
  readonly stop: AbortSignal | null;
};

/** A phase to run: the checked options, with the settings, roles and files that they refer to. */
export type PhaseRequest = Pick<PhaseOptions, 'startedBy' | 'stop'> & {
  readonly rerun: boolean;
  readonly acceptWithNotes: boolean;
  readonly mostIterations: number | null;
  readonly commits: boolean;
  /** Absolute path of the working tree. */
  readonly root: string;
  readonly settings: Settings;
  readonly roles: Roles;
  readonly phase: PhaseName;
  readonly feature: RepoPath;
  /**
   * How issues are fixed: by an agent, or by the caller between two commands. If neither does it, open issues end the
   * phase.
   */
  readonly fixing:
    | { readonly by: 'fixer'; readonly agent: string }
    | { readonly by: 'caller'; readonly summary: string | null; readonly keepSessions: boolean }
    | { readonly by: 'nobody' };
  readonly preparations: readonly Preparation[];
  readonly selection: Selection;
  readonly kept: readonly RepoPath[];
  /**
   * Returns a digest of each file that the agents' commands in the settings run or read. A fixing agent must not edit
   * them.
   */
  agentFiles(): ReadonlyMap<RepoPath, string>;
};
