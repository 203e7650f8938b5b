import type { AgentSettings } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { GENERATED_FOLDER } from '@onceover/base/kernel/paths';
import type { OmittedFiles } from '@onceover/base/kernel/repository';

/** Returns the folders whose files are never part of a change: those of generated files and of run records. */
export function omittedFolders(settings: Pick<Settings, 'logDir'>): OmittedFiles {
  return { folders: [GENERATED_FOLDER, settings.logDir] };
}

/** The file with settings and gates, at the root of the repository. */
export const SETTINGS_FILE = 'onceover.yml' as RepoPath;

/** The settings of `onceover.yml`, with defaults. */
export type Settings = {
  /** The base branch; `null` for the first of `DEFAULT_BASES` that exists. */
  readonly base: string | null;
  /** The agents in order of preference; `null` for all installed built-in agents or, if none, the custom commands. */
  readonly agents: readonly string[] | null;
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  readonly idleTimeoutSeconds: number;
  readonly logDir: RepoPath;
  readonly maxRetries: number;
  readonly rerunNewIssueThreshold: Priority;
  readonly failOn: Priority;
  readonly cache: 'content' | 'strict';
  readonly certify: boolean;
  readonly afterPass: 'latch' | 'all';
  readonly unchangedGates: 'run' | 'rest';
  readonly finalValidation: 'all' | 'changed';
  readonly deltaGuard: 'auto' | 'prompt' | 'effective';
  readonly resumeWhenCold: boolean;
  readonly cacheTtl: 'auto' | '5m' | '1h';
  readonly shareReading: 'reviews' | 'all' | 'off';
  readonly recheckDomain: boolean;
  readonly trustMarks: boolean;
  /** Decides whether a new finding fails a gate although its reviewer has already reviewed the same lines. */
  readonly convergence: { readonly unchangedCode: 'block' | 'must_fix_only' };
  /** The names of settings of older versions that are in the file and no longer have an effect. Missing if none is. */
  readonly ignored?: readonly string[];
  /** Decides whether only people or also agents can waive findings. */
  readonly waivers: {
    readonly who: 'people' | 'anyone';
    /** The path of the file with the keys whose signed waivers count in every clone; `null` if there is none. */
    readonly signers: RepoPath | null;
  };
  /** How passes are shared between clones; `null` if they are not shared. */
  readonly passes: PassSettings | null;
  readonly budget: { readonly usd: number | null; readonly dispatches: number | null };
  readonly agent: Readonly<Record<string, AgentSettings>>;
  readonly gates: readonly EntrySettings[];
};

/** The path of the signers file if `passes.signers` is not set. */
export const DEFAULT_SIGNERS = '.onceover/signers';

/** The block `passes` of `onceover.yml`. Exactly one of `remote` and `store` is set. */
export type PassSettings = {
  /** The name of the git remote to which passes are pushed; `null` if a store is used. */
  readonly remote: string | null;
  /** The address of the HTTP store for passes; `null` if a git remote is used. */
  readonly store: string | null;
  readonly share: 'off' | 'ask' | 'auto';
  readonly signers: RepoPath;
  readonly accept: readonly ('new' | 'resumed')[];
  readonly maxAgeDays: number;
  readonly minSigners: number;
  readonly neverFor: readonly string[];
  /** The share of accepted passes, from 0 to 1, that are reviewed again to check them. */
  readonly audit: number;
};

/** One item of `gates` in `onceover.yml`: a path, with the checks and reviews for it. */
export type EntrySettings = {
  readonly path: string;
  readonly exclude: readonly string[];
  readonly checks: Readonly<Record<string, CheckSettings>>;
  readonly reviews: Readonly<Record<string, ReviewSettings>>;
};

export type CheckSettings = { readonly run: string; readonly timeoutSeconds: number | null };

export type ReviewSettings = {
  readonly prompt: RepoPath;
  /** The position in `onceover.yml` at which the path of the prompt is written. */
  readonly promptAt: { readonly line: number; readonly column: number };
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
  readonly timeoutSeconds: number | null;
};

/** Priorities of findings, the most severe first. */
export const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;

export type Priority = (typeof PRIORITIES)[number];
