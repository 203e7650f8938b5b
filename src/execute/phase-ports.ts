import type { RepoPath } from '../domain/brand.ts';
import type { PhaseName, Preparation } from '../domain/phase.ts';
import type {
  Clock,
  Commits,
  Coolings,
  FeatureFiles,
  Ledger,
  PhaseLogs,
  PhaseLoops,
  Proof,
  Reporter,
  Reviewers,
  Snapshots,
} from '../domain/ports.ts';
import type { Roles } from '../domain/role.ts';
import type { Selection } from '../domain/scope.ts';
import type { Settings } from '../domain/settings.ts';

/** What a phase needs of the world. */
export type PhasePorts = {
  readonly snapshots: Snapshots;
  readonly feature: FeatureFiles;
  readonly loops: PhaseLoops;
  readonly logs: PhaseLogs;
  readonly commits: Commits;
  readonly coolings: Coolings;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly reviewers: Reviewers;
  readonly proof: Proof;
  /** A name for a playing of a phase that no other has. */
  newId(): string;
};

/** What a phase is asked for. */
export type PhaseRequest = {
  /** Absolute path of the working tree. */
  readonly root: string;
  readonly settings: Settings;
  readonly roles: Roles;
  readonly phase: PhaseName;
  readonly feature: RepoPath;
  /** fixer: an agent mends, until it is no use. caller: one call a round. nobody: one review. */
  readonly fixing:
    | { readonly by: 'fixer'; readonly agent: string }
    | { readonly by: 'caller'; readonly summary: string | null; readonly keepSessions: boolean }
    | { readonly by: 'nobody' };
  readonly rerun: boolean;
  readonly acceptWithNotes: boolean;
  /** Null: as many as there can be. */
  readonly mostIterations: number | null;
  readonly commits: boolean;
  readonly preparations: readonly Preparation[];
  /** Of code: which change is under review. */
  readonly selection: Selection;
  /** Agents that may not judge here, e.g. because the change has written to their program. */
  readonly barred: ReadonlySet<string>;
  /** What nobody may touch who is judged by it. */
  readonly kept: readonly RepoPath[];
  /** The files that agents are started from, as the settings name them, each with a digest; they are among `kept`. */
  agentFiles(): ReadonlyMap<RepoPath, string>;
  readonly startedBy: 'person' | 'agent';
  readonly stop: AbortSignal | null;
};
