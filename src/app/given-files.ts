import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { Notice } from '../domain/instructions.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { isThere, type NameSource, userPath } from '../io/user-path.ts';

/** Names of files as they were given, and where from. */
export type GivenFiles = { readonly names: readonly string[]; readonly source: NameSource };

type NamedFiles = { readonly listed: readonly RepoPath[] | null; readonly notices: readonly Notice[] };

/** The paths that the names mean; `listed` is null where none were given, or where what was piped in is no list. */
export function toPaths(place: Place, files: GivenFiles | null): Result<NamedFiles> {
  if (files === null) return done({ listed: null, notices: [] });
  const listed: RepoPath[] = [];
  for (const name of files.names) {
    const path = name === '' ? null : userPath(place, name, files.source);
    if (path !== null) listed.push(path);
    else if (files.source !== 'pipe') return failed({ kind: 'path-outside', path: name });
  }
  const [first] = files.names;
  // A pipe may hold something that is no list, such as what git tells a hook.
  if (files.source === 'pipe' && first !== undefined && !listed.some((path) => isThere(place, path))) {
    return done({ listed: null, notices: [{ kind: 'list-ignored', first }] });
  }
  return done({ listed, notices: [] });
}
