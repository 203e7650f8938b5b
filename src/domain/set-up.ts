import type { RepoPath } from './brand.ts';
import type { ForeignTool, LeftOver } from './carry-over.ts';

/** Whose program can be told to call us when the agent stops. */
export const HOOK_AGENTS = ['claude', 'codex', 'gemini'] as const;
export type HookAgent = (typeof HOOK_AGENTS)[number];

/** Where Claude Code looks for the servers of a project. */
export const MCP_FILE = '.mcp.json' as RepoPath;

/** What `init` did with one file. */
export type SetUpStep = {
  readonly path: RepoPath;
  readonly did: 'written' | 'extended' | 'left';
  /** What is in the file now because of `init`; null where it was left alone. */
  readonly added: string | null;
  /** Whether the user's ignore rules hide the file, so that it is never read. */
  readonly ignored: boolean;
  /** Whether its text is the user's own, from another file: then it need not be shown. */
  readonly copied?: boolean;
};

/** Everything that `init` did, and what it found on the way. */
export type SetUpOutcome = {
  readonly steps: readonly SetUpStep[];
  /** Null: no gates were asked for. */
  readonly gates: GatesFound | null;
  /** Null: no hook was asked for. */
  readonly hook: HookAgent | null;
};

/** What `init` learned while it set up gates. */
export type GatesFound = {
  /** The agents that are here, in the order in which they are preferred. */
  readonly agents: readonly string[];
  /** Commands that cannot be checks, where nothing else took their place. */
  readonly passedOver: readonly PassedOver[];
  /** Programs that the checks begin with and that are not on PATH. */
  readonly missing: readonly string[];
  /** Whether nothing has changed but what `init` wrote. */
  readonly isAllNew: boolean;
  /** What would fit into an `onceover.yml` that is there and lacks it; null: nothing is missing. */
  readonly proposed: string | null;
  /** What was carried over from another tool; null: nothing was to be. */
  readonly carried: { readonly tool: ForeignTool; readonly source: string; readonly left: readonly LeftOver[] } | null;
  /** Tools whose configuration is here and was not asked about. */
  readonly others: readonly ForeignTool[];
};

/** A command of the project that runs as a check. */
export type CheckCommand = {
  readonly name: CheckName;
  readonly run: string;
  readonly timeoutSeconds: number;
};

export type CheckName = 'lint' | 'types' | 'test' | 'check';

/**
 * A command of the project that cannot be a check: it would not end, or it would change what is to be judged; or a script
 * of a workspace's packages, where no command is known that runs it in each.
 */
export type PassedOver = { readonly run: string; readonly why: 'watches' | 'changes-files' | 'in-packages' };

/** What is known of the files at the root: the names of all, and the texts of those that were read. */
export type RootFiles = {
  readonly names: ReadonlySet<string>;
  readonly texts: ReadonlyMap<string, string>;
  /** The texts of the package.json files further down. */
  readonly packages: ReadonlyMap<string, string>;
};
