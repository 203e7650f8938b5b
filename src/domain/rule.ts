import type { RepoPath } from './brand.ts';

/** How the changed files that a rule matches are divided into tasks. */
export type Strategy = 'individual' | 'matches_together' | 'all_changed_files';

/** Which files get which review instructions: one entry of a `.deepreview` file, read and checked. */
export type Rule = {
  readonly name: string;
  readonly description: string;
  /** The `.deepreview` file that defines it, and the line of its name there. */
  readonly source: { readonly file: RepoPath; readonly line: number };
  /** The folder that its globs start from; '' is the root. */
  readonly folder: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly strategy: Strategy;
  readonly instructions: string;
  /** Persona by platform, e.g. `{ claude: 'security-expert' }`. */
  readonly personas: Readonly<Record<string, string>>;
  readonly context: { readonly allChangedFilenames: boolean; readonly unchangedMatchingFiles: boolean };
  readonly references: readonly RuleReference[];
  readonly numReviews: number;
  readonly agents: readonly string[] | null;
};

/** A file that a rule wants its reviewer to know. */
export type RuleReference = { readonly path: RepoPath; readonly description: string | null };
