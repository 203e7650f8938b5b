import type { Commits } from '../../../src/domain/ports.ts';
import type { MemoryWorktree } from './git.ts';

/** Commits in a working tree in memory, which has no index and refuses nothing. */
export function memoryCommits(worktree: MemoryWorktree): Commits {
  return {
    async commit(paths) {
      const commit = worktree.commitOnly(paths);
      return commit === null ? { kind: 'nothing' } : { kind: 'committed', commit };
    },
  };
}
