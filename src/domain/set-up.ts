import type { RepoPath } from './brand.ts';

/** What `init` did with one file. */
export type SetUpStep = {
  readonly path: RepoPath;
  readonly did: 'written' | 'extended' | 'left';
  /** What is in the file now because of `init`; null where it was left alone. */
  readonly added: string | null;
  /** Whether the user's ignore rules hide the file, so that it is never read. */
  readonly ignored: boolean;
};
