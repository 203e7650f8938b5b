import { byCodePoint } from '@onceover/base/kernel/collections';
import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import type { Changes, Listing, Repository, RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';

/** Contents of files by path. */
export type Tree = Readonly<Record<string, string>>;

/** A repository as three trees: the merge base with main, the last commit, and the working tree. */
export type History = {
  /** Null: there is no commit yet; then `head` is the index. */
  readonly base: Tree | null;
  readonly head: Tree;
  readonly now: Tree;
  /** Paths that the user's ignore rules name. */
  readonly ignored?: readonly string[];
};

/** A repository without git: branch main is its only base, and the index equals the last commit. */
export function memoryRepository(history: History): Repository {
  const { base, head, now, ignored = [] } = history;
  const place: RepositoryPaths = {
    root: '/memory',
    commonDir: '/memory/.git',
    index: '/memory/.git/index',
    prefix: '',
    shallow: false,
    usualBase: base === null ? null : 'main',
  };
  const listing: Listing = {
    tracked: paths(head),
    untracked: paths(now).filter((path) => !(path in head) && !ignored.includes(path)),
    nested: [],
    unwatched: [],
    unnameable: [],
  };
  return {
    place,
    async listing() {
      return ok({ listing, deleted: paths(head).filter((path) => !(path in now)) });
    },
    async changes(asked): Promise<Result<Changes>> {
      const there = paths(now).filter((path) => path in head || !ignored.includes(path));
      if (base === null) return ok({ base: null, changed: there, deleted: [], submodules: [], listing });
      if (asked !== null && asked !== 'main') return err({ kind: 'unknown-base', base: asked });
      const changed = there.filter((path) => now[path] !== base[path] || !(path in head));
      const deleted = paths(base).filter((path) => !(path in now));
      return ok({ base: { name: 'main', commit: 'base' as CommitId }, changed, deleted, submodules: [], listing });
    },
    async ignores(path) {
      return ok(ignored.includes(path) && !(path in head));
    },
    async known(asked) {
      return ok(new Set(asked.filter((path) => base !== null && (path in head || path in base))));
    },
  };
}

function paths(tree: Tree): RepoPath[] {
  return (Object.keys(tree) as RepoPath[]).sort(byCodePoint);
}
