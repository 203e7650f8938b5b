import type { Commits } from '@onceover/base/kernel/repository';
import type { MemoryWorktree } from './git.ts';

/** Commits in a working tree in memory. It has no index and never refuses a commit. */
export function memoryCommits(worktree: MemoryWorktree): Commits {
  return {
    async commit(paths) {
      const commit = worktree.commitOnly(paths);
      return commit === null ? { kind: 'nothing' } : { kind: 'committed', commit };
    },
  };
}
