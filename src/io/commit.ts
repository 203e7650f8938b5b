import { ACTIVE } from '../domain/active.ts';
import type { CommitId, RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { CommitEnd, Commits } from '../domain/ports.ts';
import { type GitAnswer, git } from './git.ts';
import { readNulList } from './nul-list.ts';

/** Commits in the user's repository and name: exactly the paths, and whatever else is staged stays so. */
export function openCommits(place: Pick<Place, 'root'>): Commits {
  const ask = (args: readonly string[], paths: readonly RepoPath[], expected = [0]) =>
    git(place.root, [...args, '--', ...paths.map((path) => `:(literal)${path}`)], { expected, env: asTheUser() });
  return {
    async commit(paths, message) {
      if (paths.length === 0) return { kind: 'nothing' };
      const state = await ask(['status', '--porcelain=v1', '-z', '--no-renames', '-uall'], paths);
      if (!state.ok) return failedWith(state.failure);
      const named = new Set(paths);
      // What lies in a folder that is where a file was is not what was named; what was staged and is gone again is nothing.
      const changed = readStatus(state.value).filter(({ code, path }) => named.has(path) && code !== 'AD');
      if (changed.length === 0) return { kind: 'nothing' };
      const added = changed.filter(({ code }) => code === '??').map(({ path }) => path);
      if (added.length > 0) {
        // A commit of some paths takes only what git knows.
        const known = await ask(['add', '--intent-to-add'], added);
        if (!known.ok) return failedWith(known.failure);
      }
      const names = changed.map(({ path }) => path);
      const committed = await ask(['commit', '--quiet', '--only', '-m', message], names);
      if (!committed.ok) {
        if (added.length > 0) await ask(['rm', '--cached', '--quiet', '--ignore-unmatch'], added, [0, 1, 128]);
        return failedWith(committed.failure);
      }
      const head = await git(place.root, ['rev-parse', '--verify', 'HEAD']);
      if (!head.ok) return failedWith(head.failure);
      return { kind: 'committed', commit: head.value.stdout.toString('utf8').trim() as CommitId };
    },
  };
}

/** Hooks of the user's own run in this environment: patterns are patterns there, and the language is theirs. */
function asTheUser(): Readonly<Record<string, string>> {
  const language = process.env['LC_ALL'] ?? '';
  return { [ACTIVE]: '1', GIT_OPTIONAL_LOCKS: '1', GIT_LITERAL_PATHSPECS: '0', LC_ALL: language };
}

function readStatus({ stdout }: GitAnswer): readonly { readonly code: string; readonly path: RepoPath }[] {
  return readNulList(stdout)
    .names.filter((line) => line.length > 3)
    .map((line) => ({ code: line.slice(0, 2), path: line.slice(3) as RepoPath }));
}

function failedWith(failure: { readonly kind: string; readonly said?: string }): CommitEnd {
  return { kind: 'failed', said: failure.said?.trim() || failure.kind };
}
