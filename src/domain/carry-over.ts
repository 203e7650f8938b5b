import type { RepoPath } from './brand.ts';
import type { Priority } from './finding.ts';
import type { Position, UnusableFile } from './problem.ts';

/** Tools whose configuration can be carried over. */
export const FOREIGN_TOOLS = ['gauntlet', 'coderabbit', 'continue'] as const;

export type ForeignTool = (typeof FOREIGN_TOOLS)[number];

/** What another tool's configuration says, in our words; names and globs are still as people wrote them there. */
export type ForeignConfig = {
  readonly tool: ForeignTool;
  /** The file or folder that it was read from. */
  readonly source: string;
  readonly base: string | null;
  readonly maxRetries: number | null;
  readonly rerunNewIssueThreshold: Priority | null;
  /** Null: it names none that we know. */
  readonly agents: readonly string[] | null;
  readonly models: readonly (readonly [agent: string, model: string])[];
  readonly entries: readonly ForeignEntry[];
  /** Reviews that are written down and not used there. */
  readonly spare: readonly ForeignReview[];
  readonly left: readonly LeftOver[];
};

export type ForeignEntry = {
  readonly at: Position;
  /** An entry point's path is as ours; a glob is of files alone. */
  readonly path: { readonly kind: 'entry' | 'glob'; readonly text: string };
  readonly exclude: readonly ForeignExclude[];
  /** Whether the tool leaves out by itself what tools write. */
  readonly leavesOutWritten: boolean;
  readonly checks: readonly ForeignCheck[];
  readonly reviews: readonly ForeignReview[];
};

export type ForeignExclude = { readonly at: Position; readonly glob: string };

export type ForeignCheck = {
  readonly at: Position;
  readonly name: string;
  readonly command: string;
  /** Where it runs; null: in the folder of the entry point. */
  readonly folder: string | null;
  readonly timeoutSeconds: number | null;
};

export type ForeignReview = {
  readonly at: Position;
  readonly name: string;
  /** Word for word; null: the text is the tool's own, and one of ours stands in for it. */
  readonly text: string | null;
  /** What it is about, in a line. */
  readonly about: string | null;
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
  readonly timeoutSeconds: number | null;
};

/** What is carried over, ready to be written. */
export type CarriedOver = {
  readonly settings: Pick<ForeignConfig, 'base' | 'maxRetries' | 'rerunNewIssueThreshold' | 'agents' | 'models'>;
  readonly entries: readonly CarriedEntry[];
  readonly prompts: readonly CarriedPrompt[];
  readonly left: readonly LeftOver[];
};

/** A text with the file that it goes to; `isOurs`: it stands in for one of the tool's own. */
export type CarriedPrompt = { readonly path: RepoPath; readonly text: string; readonly isOurs: boolean };

export type CarriedEntry = {
  readonly path: string;
  readonly exclude: readonly string[];
  readonly checks: readonly CarriedCheck[];
  readonly reviews: readonly CarriedReview[];
};

export type CarriedCheck = { readonly name: string; readonly run: string; readonly timeoutSeconds: number | null };

export type CarriedReview = Pick<ForeignReview, 'about' | 'numReviews' | 'agents' | 'timeoutSeconds'> & {
  readonly name: string;
  readonly prompt: RepoPath;
};

/** Something that is not carried over, or not as it was, with the place where it stands. */
export type LeftOver = Position & { readonly what: LeftOverKind };

export type LeftOverKind =
  /** Settings that nothing here is like. */
  | { readonly kind: 'settings'; readonly keys: readonly string[] }
  | { readonly kind: 'agent'; readonly name: string }
  | { readonly kind: 'model'; readonly name: string; readonly model: string }
  /** A text of the tool's own: ours stands in for it, or nothing does. Null: what it reviews everything by. */
  | { readonly kind: 'own-text'; readonly name: string | null; readonly standsIn: boolean }
  | { readonly kind: 'skill'; readonly name: string; readonly skill: string }
  | { readonly kind: 'prompt-file'; readonly name: string; readonly path: string; readonly why: UnusableFile }
  | { readonly kind: 'empty'; readonly name: string }
  /** Written down and not in use: the prompt is written, and no gate. */
  | { readonly kind: 'not-in-use'; readonly name: string; readonly prompt: RepoPath | null }
  | { readonly kind: 'undefined-gate'; readonly name: string; readonly gate: 'check' | 'review' }
  | { readonly kind: 'path'; readonly path: string; readonly said: string; readonly prompts: readonly RepoPath[] }
  | { readonly kind: 'exclude'; readonly glob: string; readonly said: string }
  /** Only what matches was reviewed. */
  | { readonly kind: 'only'; readonly glob: string }
  | { readonly kind: 'one-place'; readonly name: string; readonly where: 'ci' | 'here' }
  | { readonly kind: 'warns-only'; readonly name: string }
  | { readonly kind: 'placeholder'; readonly name: string; readonly placeholder: string }
  | { readonly kind: 'tone' }
  | { readonly kind: 'stop-hook' };
