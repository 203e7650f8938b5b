import type { Priority } from '../../config/settings.ts';
import type { Position, UnusableFile } from '../../kernel/failure.ts';
import type { RepoPath } from '../../kernel/ids.ts';

/** The tools whose configuration can be imported. */
export const IMPORT_TOOLS = ['gauntlet', 'coderabbit', 'continue'] as const;

export type ImportTool = (typeof IMPORT_TOOLS)[number];

/** The configuration of another tool in our terms. Names and globs are still those of the other tool. */
export type SourceConfig = {
  readonly tool: ImportTool;
  /** The file or folder of the configuration. */
  readonly source: string;
  readonly base: string | null;
  readonly maxRetries: number | null;
  readonly rerunNewIssueThreshold: Priority | null;
  /** Null if the configuration names no agent that onceover knows. */
  readonly agents: readonly string[] | null;
  readonly models: readonly (readonly [agent: string, model: string])[];
  readonly entries: readonly SourceEntry[];
  /** Reviews that exist there, but are not in use. */
  readonly spare: readonly SourceReview[];
  readonly left: readonly NotImported[];
};

export type SourceEntry = {
  readonly at: Position;
  /** 'entry' is a path as in `onceover.yml`; 'glob' matches files only. */
  readonly path: { readonly kind: 'entry' | 'glob'; readonly text: string };
  readonly exclude: readonly SourceExclude[];
  /** Whether the other tool skips generated files by default. */
  readonly leavesOutWritten: boolean;
  readonly checks: readonly SourceCheck[];
  readonly reviews: readonly SourceReview[];
};

export type SourceExclude = { readonly at: Position; readonly glob: string };

export type SourceCheck = {
  readonly at: Position;
  readonly name: string;
  readonly command: string;
  /** The folder in which the command runs; null for the folder of the entry. */
  readonly folder: string | null;
  readonly timeoutSeconds: number | null;
};

export type SourceReview = {
  readonly at: Position;
  readonly name: string;
  /** The prompt, word for word; null if it is built into the tool and our own prompt replaces it. */
  readonly text: string | null;
  /** A summary of one line. */
  readonly about: string | null;
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
  readonly timeoutSeconds: number | null;
};

/** The settings and prompts to write. */
export type ImportPlan = {
  readonly settings: Pick<SourceConfig, 'base' | 'maxRetries' | 'rerunNewIssueThreshold' | 'agents' | 'models'>;
  readonly entries: readonly ImportedEntry[];
  readonly prompts: readonly ImportedPrompt[];
  readonly left: readonly NotImported[];
};

/** A prompt with its file; `isOurs` if it replaces a prompt that is built into the other tool. */
export type ImportedPrompt = { readonly path: RepoPath; readonly text: string; readonly isOurs: boolean };

export type ImportedEntry = {
  readonly path: string;
  readonly exclude: readonly string[];
  readonly checks: readonly ImportedCheck[];
  readonly reviews: readonly ImportedReview[];
};

export type ImportedCheck = { readonly name: string; readonly run: string; readonly timeoutSeconds: number | null };

export type ImportedReview = Pick<SourceReview, 'about' | 'numReviews' | 'agents' | 'timeoutSeconds'> & {
  readonly name: string;
  readonly prompt: RepoPath;
};

/** Something that is not imported or that differs here, with its position. */
export type NotImported = Position & { readonly what: NotImportedKind };

export type NotImportedKind =
  /** Settings that onceover does not have. */
  | { readonly kind: 'settings'; readonly keys: readonly string[] }
  | { readonly kind: 'agent'; readonly name: string }
  | { readonly kind: 'model'; readonly name: string; readonly model: string }
  /** A prompt that is built into the tool; `name` is null for its general rules. */
  | { readonly kind: 'own-text'; readonly name: string | null; readonly standsIn: boolean }
  | { readonly kind: 'skill'; readonly name: string; readonly skill: string }
  | { readonly kind: 'prompt-file'; readonly name: string; readonly path: string; readonly why: UnusableFile }
  | { readonly kind: 'empty'; readonly name: string }
  /** Not in use there: the prompt is written, but no review uses it. */
  | { readonly kind: 'not-in-use'; readonly name: string; readonly prompt: RepoPath | null }
  | { readonly kind: 'undefined-gate'; readonly name: string; readonly gate: 'check' | 'review' }
  | { readonly kind: 'path'; readonly path: string; readonly said: string; readonly prompts: readonly RepoPath[] }
  | { readonly kind: 'exclude'; readonly glob: string; readonly said: string }
  /** A filter that limits all reviews to the matching files. */
  | { readonly kind: 'only'; readonly glob: string }
  | { readonly kind: 'one-place'; readonly name: string; readonly where: 'ci' | 'here' }
  | { readonly kind: 'warns-only'; readonly name: string }
  | { readonly kind: 'placeholder'; readonly name: string; readonly placeholder: string }
  | { readonly kind: 'tone' }
  | { readonly kind: 'stop-hook' };
