import type { RepoPath } from './brand.ts';
import type { Priority } from './finding.ts';

/** Settings and gates, at the root of the repository. */
export const SETTINGS_FILE = 'onceover.yml' as RepoPath;

/** `onceover.yml` with every default filled in. */
export type Settings = {
  /** Null: found by looking at the usual branches. */
  readonly base: string | null;
  /** Null: the known agents that are found. */
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
  readonly deltaGuard: 'prompt' | 'effective';
  readonly resumeWhenCold: boolean;
  readonly cacheTtl: 'auto' | '5m' | '1h';
  readonly recheckDomain: boolean;
  readonly trustMarks: boolean;
  readonly budget: { readonly usd: number | null; readonly dispatches: number | null };
  readonly agent: Readonly<Record<string, AgentSettings>>;
  readonly gates: readonly EntrySettings[];
};

export type AgentSettings = {
  readonly model: string | null;
  /** Present: an agent of the user's own. */
  readonly command: readonly string[] | null;
  /** Where a known agent's program is, if not on PATH. */
  readonly path: string | null;
  readonly resume: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: boolean;
  readonly timeoutSeconds: number | null;
};

/** One entry point: a path and the gates on it. */
export type EntrySettings = {
  readonly path: string;
  readonly exclude: readonly string[];
  readonly checks: Readonly<Record<string, CheckSettings>>;
  readonly reviews: Readonly<Record<string, ReviewSettings>>;
};

export type CheckSettings = { readonly run: string; readonly timeoutSeconds: number | null };

export type ReviewSettings = {
  readonly prompt: RepoPath;
  /** Where the settings name it. */
  readonly promptAt: { readonly line: number; readonly column: number };
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
  readonly timeoutSeconds: number | null;
};
