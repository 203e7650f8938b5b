import type { RepoPath } from './brand.ts';
import type { HookAgent } from './set-up.ts';

/** Something of ours that `init --remove` takes away. */
export type Taken =
  /** A file as `init` wrote it. */
  | { readonly kind: 'file'; readonly path: RepoPath; readonly tracked: boolean }
  /** Our server in a file that others may have entries in; `text` is what stays, null: nothing. */
  | { readonly kind: 'server'; readonly path: RepoPath; readonly text: string | null; readonly tracked: boolean }
  | {
      readonly kind: 'hook';
      readonly agent: HookAgent;
      readonly path: RepoPath;
      readonly text: string | null;
      readonly tracked: boolean;
    }
  | Belonging;

/** What a clone holds that nobody but onceover writes. */
export type Belonging =
  | { readonly kind: 'records' | 'generated'; readonly path: RepoPath; readonly files: number }
  | { readonly kind: 'git-folder'; readonly path: string; readonly files: number }
  | { readonly kind: 'refs'; readonly count: number };

/** A file that is left, and why. */
export type Left = { readonly path: RepoPath; readonly why: 'yours' | 'named' | 'unreadable' };

/** What is taken away and what is left; `isDone`: it is gone, and not only shown. */
export type Removal = {
  readonly isDone: boolean;
  readonly taken: readonly Taken[];
  readonly left: readonly Left[];
};
