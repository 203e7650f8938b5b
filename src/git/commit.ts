import type { CommitId, RepoPath } from '../kernel/ids.ts';
import { ACTIVE } from '../kernel/ports.ts';
import type { CommitEnd, Commits, RepositoryPaths } from '../kernel/repository.ts';
import { git, gitText, readNulList } from './git.ts';

/** Opens the port that commits exactly the given paths. Other staged changes stay staged. */
export function openCommits(repo: Pick<RepositoryPaths, 'root'>): Commits {
  const run = (args: readonly string[], paths: readonly RepoPath[], expected = [0]) =>
    git(repo.root, [...args, '--', ...paths.map((path) => `:(literal)${path}`)], { expected, env: userEnvironment() });
  return {
    async commit(paths, message) {
      if (paths.length === 0) return { kind: 'nothing' };
      const status = await run(['status', '--porcelain=v1', '-z', '--no-renames', '-uall'], paths);
      if (!status.ok) return failedWith(status.failure);
      const named = new Set(paths);
      // If a directory replaced a named file, git lists the files in the directory, which must not be committed. `AD`
      // (staged, then deleted) leaves nothing to commit.
      const changed = readNulList(status.value.stdout)
        .names.map((line) => ({ code: line.slice(0, 2), path: line.slice(3) as RepoPath }))
        .filter(({ code, path }) => named.has(path) && code !== 'AD');
      if (changed.length === 0) return { kind: 'nothing' };
      const added = changed.filter(({ code }) => code === '??').map(({ path }) => path);
      if (added.length > 0) {
        // `git commit --only` refuses paths that are not in the index, so add untracked files without their content
        // first.
        const known = await run(['add', '--intent-to-add'], added);
        if (!known.ok) return failedWith(known.failure);
      }
      const names = changed.map(({ path }) => path);
      const committed = await run(['commit', '--quiet', '--only', '-m', message], names);
      if (!committed.ok) {
        if (added.length > 0) await run(['rm', '--cached', '--quiet', '--ignore-unmatch'], added, [0, 1, 128]);
        return failedWith(committed.failure);
      }
      const head = await gitText(repo.root, ['rev-parse', '--verify', 'HEAD']);
      return head.ok ? { kind: 'committed', commit: head.value as CommitId } : failedWith(head.failure);
    },
  };
}

/**
 * Returns variables that undo our own environment for git, because the user's commit hooks inherit that environment.
 */
function userEnvironment(): Readonly<Record<string, string>> {
  const language = process.env['LC_ALL'] ?? '';
  return { [ACTIVE]: '1', GIT_OPTIONAL_LOCKS: '1', GIT_LITERAL_PATHSPECS: '0', LC_ALL: language };
}

function failedWith(failure: { readonly kind: string; readonly said?: string }): CommitEnd {
  return { kind: 'failed', said: failure.said?.trim() || failure.kind };
}
