import type { CommitId, RepoPath } from './brand.ts';

/** Where a repository is and what state it is in, as git tells it. */
export type Place = {
  /** Absolute path of the working tree's root. */
  readonly root: string;
  /** Absolute path of the folder that all working trees of the clone share. */
  readonly commonDir: string;
  /** Absolute path of the user's index. */
  readonly index: string;
  /** From the root to the working directory: '' or a path. */
  readonly prefix: string;
  readonly shallow: boolean;
  /** The first of `USUAL_BASES` that is there, by the name of its branch. */
  readonly usualBase: string | null;
};

/** Branches that a change is usually measured from, the most telling first. */
export const USUAL_BASES = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'] as const;

/** The mode by which git names a repository inside this one. */
export const SUBMODULE = '160000';

/** And that of a link. */
export const SYMLINK = '120000';

/** What the change is measured from: a branch or commit by name, and its merge-base with HEAD; null: no commit yet. */
export type Base = {
  readonly name: string;
  readonly commit: CommitId;
  /** Further merge-bases, where the two were merged into each other. */
  readonly others?: readonly CommitId[];
} | null;

/** What differs between the merge-base and the working tree, and what else is there. */
export type Changes = {
  readonly base: Base;
  /** Changed, added, renamed-to and untracked files, in code-point order. */
  readonly changed: readonly RepoPath[];
  readonly deleted: readonly RepoPath[];
  /** Changed paths that are repositories of their own: a rule has nothing to read there. */
  readonly submodules: readonly RepoPath[];
  readonly listing: Listing;
};

/** Every path of the working tree that git tracks or would track. */
export type Listing = {
  readonly tracked: readonly RepoPath[];
  readonly untracked: readonly RepoPath[];
  /** Untracked folders that are repositories of their own. */
  readonly nested: readonly RepoPath[];
  /** Tracked files that git was told not to look at (assume-unchanged, skip-worktree). */
  readonly unwatched: readonly RepoPath[];
  /** Tracked files that a sparse checkout leaves out: they are not on disk, and not deleted. */
  readonly leftOut?: readonly RepoPath[];
  /** Names that are not UTF-8, as a person may read them. */
  readonly unnameable: readonly string[];
};
