import type { AgentReport, Cooldown } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { ImportTool } from './import/types.ts';
import type { RemovalDocument, SetUpDocument } from './json-schema.ts';

/** The agents whose programs can call a hook when the agent wants to stop. */
export const HOOK_AGENTS = ['claude', 'codex', 'gemini'] as const;

export type HookAgent = (typeof HOOK_AGENTS)[number];

/** The file in which Claude Code finds the MCP servers of a project. */
export const MCP_FILE = '.mcp.json' as RepoPath;

export const RULES_FILE = '.deepreview' as RepoPath;

/** The prompt of the review that `init` sets up. */
export const CODE_QUALITY_FILE = '.onceover/reviews/code-quality.md' as RepoPath;

/** A file that `init` wrote, extended or left unchanged. `added` is the text that it added; null if none. */
export type SetupStep = SetUpDocument['files'][number] & { readonly path: RepoPath; readonly added: string | null };

/** The result of `init`. */
export type SetupOutcome = {
  readonly steps: readonly SetupStep[];
  /** The facts about the planned checks and reviews; null if `init` was not asked to set them up. */
  readonly gates: GatesFound | null;
  /** The agent whose stop hook was set up; null if no hook was requested. */
  readonly hook: HookAgent | null;
  /** Whether the sharing of passes with other clones was set up. */
  readonly sharesPasses?: boolean;
  /** Whether a written file contains the path of onceover on this machine, because onceover is not on PATH. */
  readonly byPath?: boolean;
  /** The command that starts onceover; default: onceover. */
  readonly command?: string;
};

/** The facts that `init` found while it planned checks and reviews. */
export type GatesFound = {
  /** The installed agents, the preferred one first. */
  readonly agents: readonly string[];
  /** Commands that cannot be checks. They are listed only if no other command was found for the same check. */
  readonly passedOver?: readonly SkippedCommand[];
  /** Whether the repository has no changes except the files that `init` wrote. */
  readonly isAllNew?: boolean;
  /** The base branch with which a run compares the code; null if there is none. */
  readonly base?: string | null;
  /** The lines that the user should add to an existing `onceover.yml`; null if none are missing. */
  readonly proposed?: string | null;
  /** With `--from`: the imported configuration, and a line for each setting that could not be imported unchanged. */
  readonly carried?: { readonly tool: ImportTool; readonly source: string; readonly left: readonly string[] };
  /** Tools that have a configuration here, which `init --from` could import. */
  readonly others?: readonly ImportTool[];
};

/** A command of the project that becomes a check. */
export type CheckCommand = { readonly name: CheckName; readonly run: string; readonly timeoutSeconds: number };

export const CHECK_NAMES = ['lint', 'types', 'test', 'check'] as const;

export type CheckName = (typeof CHECK_NAMES)[number];

/** A command that cannot be a check: it never ends ('watches'), or it changes the files under review. */
export type SkippedCommand = { readonly run: string; readonly why: 'watches' | 'changes-files' };

/** Whether an agent can review here, as far as it is known: installed, not logged out, and its service answers. */
export function canReview({ program, login, service }: AgentReport): boolean {
  return program !== null && login.state !== 'no' && service.state !== 'no';
}

/** The result of `doctor`. */
export type DoctorReport = {
  readonly agents: readonly AgentReport[];
  /** The version of git; null if git was not found. */
  readonly git: string | null;
  /**
   * The path of bubblewrap, a program that can hide files from an agent or prevent writes; null if it was not found.
   */
  readonly bubblewrap: string | null;
  readonly node: string;
  /** The command that starts onceover; default: onceover. */
  readonly command?: string;
  /** The cooldowns (of agents that reached a usage limit) that `doctor` ended; default: none. */
  readonly lifted?: readonly Cooldown[];
};

/**
 * An item that `init --remove` removes: a file or ref that onceover wrote, a file that `init` wrote, or an entry in a
 * user's file.
 */
export type RemovedItem = RemovalDocument['taken'][number] & {
  /** For a file in the working tree: the text that stays in the file, or null if the whole file is removed. */
  readonly rest?: string | null;
};

/**
 * A file that `init --remove` does not remove: the user edited it, an edited `onceover.yml` uses it, or it is not valid
 * JSON.
 */
export type KeptFile = RemovalDocument['left'][number];

/** The result of `init --remove`. `removed` is false if it only listed what it would remove. */
export type Removal = {
  readonly removed: boolean;
  readonly taken: readonly RemovedItem[];
  readonly left: readonly KeptFile[];
};
