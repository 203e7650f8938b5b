import type { CommitId, RepoPath } from './brand.ts';

/** Which change a run speaks of. Later runs ignore the records of narrow ones; receipts count in their own scope. */
export type Scope = {
  /** `full`, or what was asked for, in one line. */
  readonly key: string;
  readonly kind: 'full' | 'narrow';
};

/** What a person may ask a run to look at. */
export type Selection =
  | { readonly kind: 'change'; readonly base: string | null }
  | { readonly kind: 'uncommitted' }
  | { readonly kind: 'commit'; readonly commit: string }
  | { readonly kind: 'files'; readonly files: readonly RepoPath[]; readonly base: string | null };

/** Where a run takes place: what its records name, so that later runs know which belong to them. */
export type Whereabouts = {
  /** Null: HEAD is detached. */
  readonly branch: string | null;
  readonly mergeBase: CommitId | null;
};
