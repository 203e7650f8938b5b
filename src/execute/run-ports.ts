import type { RepoPath } from '../domain/brand.ts';
import type { Rubric } from '../domain/gate.ts';
import type {
  Checks,
  Clock,
  Contents,
  Coolings,
  Findings,
  Ledger,
  Openings,
  Passes,
  Receipts,
  Records,
  Reporter,
  Reviewers,
  Snapshots,
} from '../domain/ports.ts';
import type { Rule } from '../domain/rule.ts';
import type { Selection } from '../domain/scope.ts';
import type { Settings } from '../domain/settings.ts';
import type { Ratchet } from '../plan/ratchet.ts';

/** What a run needs of the world. */
export type RunPorts = {
  readonly snapshots: Snapshots;
  readonly records: Records;
  readonly receipts: Receipts;
  readonly findings: Findings;
  readonly openings: Openings;
  readonly coolings: Coolings;
  readonly passes: Passes;
  readonly ledger: Ledger;
  /** The working tree's bytes; what is read is remembered, so it is opened anew for each look. */
  contents(): Contents;
  readonly checks: Checks;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Found when somebody is to be asked: looking for agents takes time. */
  reviewers(): Promise<Reviewers>;
};

/** What a run is asked for. */
export type RunRequest = {
  /** Absolute path of the working tree: reviewers may name files by it. */
  readonly root: string;
  readonly settings: Settings;
  readonly rules: readonly Rule[];
  /** The rubric of each prompt file. */
  readonly rubrics: ReadonlyMap<RepoPath, Rubric>;
  readonly selection: Selection;
  /** Gates by id or name; empty: all. */
  readonly gates: readonly string[];
  /** Only gates with entries at or below one of these; empty: all. */
  readonly paths: readonly RepoPath[];
  /** Slots without a pass on the present content, also where nothing changed and beyond the retry limit. */
  readonly force: boolean;
  /** All slots, in new sessions. */
  readonly fresh: boolean;
  /** Reviews although a check fails. */
  readonly all: boolean;
  /** Command agents that the change under review has written to: their word counts for nothing. Null: this is no pull request. */
  readonly authorAgents: ((changed: ReadonlySet<string>) => ReadonlyMap<string, string>) | null;
  /** For the ledger alone. */
  readonly startedBy: 'person' | 'agent';
  readonly stop: AbortSignal | null;
  /** In a loop that asks for it. */
  readonly ratchet?: RatchetHolder;
};

/** The ratchet as it is now; looks that end move it on. */
export type RatchetHolder = { now: Ratchet };
