import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import { ACTIVE } from '@onceover/base/kernel/ports';
import type { CommitEnd, Commits, RepositoryPaths } from '@onceover/base/kernel/repository';
import { asResult, git, gitText, readNulList } from './git.ts';

/** Returns an object that commits files. It commits exactly the given paths; other staged changes stay staged. */
export function openCommits(repo: Pick<RepositoryPaths, 'root'>): Commits {
  return {
    async commit(paths, message) {
      const end = await asResult(commitPaths(repo.root, paths, message));
      if (end.ok) return end.value;
      return { kind: 'failed', said: ('said' in end.failure && end.failure.said) || end.failure.kind };
    },
  };
}

async function commitPaths(root: string, paths: readonly RepoPath[], message: string): Promise<CommitEnd> {
  const run = (args: readonly string[], on: readonly RepoPath[], expectedCodes = [0]) =>
    git(root, [...args, '--', ...on.map((path) => `:(literal)${path}`)], {
      expected: expectedCodes,
      env: userEnvironment(),
    });
  if (paths.length === 0) return { kind: 'nothing' };
  const status = await run(['status', '--porcelain=v1', '-z', '--no-renames', '-uall'], paths);
  const requestedPaths = new Set(paths);
  // If a directory replaced one of the files, git lists the files in that directory, which must not be committed. The
  // status `AD` means staged and then deleted, so there is nothing to commit.
  const changes = readNulList(status.stdout)
    .names.map((line) => ({ code: line.slice(0, 2), path: line.slice(3) as RepoPath }))
    .filter(({ code, path }) => requestedPaths.has(path) && code !== 'AD');
  if (changes.length === 0) return { kind: 'nothing' };
  const untrackedPaths = changes.filter(({ code }) => code === '??').map(({ path }) => path);
  // `git commit --only` refuses paths that are not in the index, so first add the names of untracked files to it.
  if (untrackedPaths.length > 0) await run(['add', '--intent-to-add'], untrackedPaths);
  try {
    const names = changes.map(({ path }) => path);
    await run(['commit', '--quiet', '--only', '-m', message], names);
  } catch (error) {
    if (untrackedPaths.length > 0)
      await run(['rm', '--cached', '--quiet', '--ignore-unmatch'], untrackedPaths, [0, 1, 128]);
    throw error;
  }
  return { kind: 'committed', commit: (await gitText(root, ['rev-parse', '--verify', 'HEAD'])) as CommitId };
}

// Returns the environment for `git commit`, which the user's commit hooks inherit. `ACTIVE` keeps a hook from starting
// a run; the other variables undo what `gitEnvironment` sets.
function userEnvironment(): Readonly<Record<string, string>> {
  const language = process.env['LC_ALL'] ?? '';
  return { [ACTIVE]: '1', GIT_OPTIONAL_LOCKS: '1', GIT_LITERAL_PATHSPECS: '0', LC_ALL: language };
}
