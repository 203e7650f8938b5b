import type { CommitId, RepoPath } from '../../../src/domain/brand.ts';
import type { Changes, Listing, Place } from '../../../src/domain/change.ts';
import { byCodePoint } from '../../../src/domain/order.ts';
import type { Repository } from '../../../src/domain/ports.ts';
import { done, failed, type Result } from '../../../src/domain/result.ts';

/** Files by path, with what is in them. */
export type Tree = Readonly<Record<string, string>>;

/** A repository in three trees: where the branch began on main, its last commit, and what is there now. */
export type History = {
  /** Null: no commit yet; then `head` is what is staged. */
  readonly base: Tree | null;
  readonly head: Tree;
  readonly now: Tree;
  /** What the user's ignore rules name, path by path. */
  readonly ignored?: readonly string[];
};

/** A repository without git: branch main is its only base, and the index is the last commit. */
export function memoryRepository(history: History): Repository {
  const { base, head, now, ignored = [] } = history;
  const place: Place = {
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
      return done({ listing, deleted: paths(head).filter((path) => !(path in now)) });
    },
    async changes(asked): Promise<Result<Changes>> {
      const there = paths(now).filter((path) => path in head || !ignored.includes(path));
      if (base === null) return done({ base: null, changed: there, deleted: [], submodules: [], listing });
      if (asked !== null && asked !== 'main') return failed({ kind: 'unknown-base', base: asked });
      const changed = there.filter((path) => now[path] !== base[path] || !(path in head));
      const deleted = paths(base).filter((path) => !(path in now));
      return done({ base: { name: 'main', commit: 'base' as CommitId }, changed, deleted, submodules: [], listing });
    },
    async ignores(path) {
      return done(ignored.includes(path) && !(path in head));
    },
    async known(asked) {
      return done(new Set(asked.filter((path) => base !== null && (path in head || path in base))));
    },
  };
}

function paths(tree: Tree): RepoPath[] {
  return (Object.keys(tree) as RepoPath[]).sort(byCodePoint);
}
