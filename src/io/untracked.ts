import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import { folderOf } from '../domain/repo-path.ts';
import { LARGEST_UNTRACKED_BYTES, looksSecret, type WithheldFile } from '../domain/withheld.ts';
import { checkFolder } from './files.ts';
import { git } from './git.ts';
import type { InsideAny } from './inside-any.ts';

/** Paths, and the bytes of names that are not UTF-8. */
export type Names = { readonly names: readonly string[]; readonly unnameable: readonly string[] };

/** What the last commit does not have: what git would add, and what the user's index has although it is ignored. */
type Unknown = { readonly others: Names; readonly staged: Names };

export type SortedOut = {
  /** Files to add, each with a NUL after it. */
  readonly add: Buffer;
  readonly withheld: readonly WithheldFile[];
  readonly unnameable: readonly string[];
};

/** Which of the files that the last commit does not have belong to a snapshot, and which are kept from everybody. */
export async function sortOut(place: Place, { others, staged }: Unknown, left: InsideAny): Promise<SortedOut> {
  const add: Buffer[] = [];
  const withheld: WithheldFile[] = [];
  const unnameable: string[] = [];
  const take = (name: Buffer) => add.push(name, END);

  const nested = new Set<string>();
  const uncertain = new Set(staged.names.filter((one) => !left.path(one)));
  for (const path of others.names.filter((one) => !left.path(one))) {
    if (path.endsWith('/')) {
      nested.add(path.slice(0, -1));
      uncertain.add(path.slice(0, -1));
      continue;
    }
    const bytes = Buffer.from(path, 'utf8');
    const why = uncertain.delete(path) ? null : reasonToWithhold(place, path, bytes);
    if (why === null) take(bytes);
    else withheld.push({ path: path as RepoPath, why });
  }
  for (const path of uncertain) {
    const found = await lookUp(place, path);
    if (found === 'here') take(Buffer.from(path, 'utf8'));
    else if (found === 'folder' && nested.has(path)) withheld.push({ path: path as RepoPath, why: 'repository' });
  }
  const isStagedOdd = new Set(staged.unnameable);
  for (const name of others.unnameable.filter((one) => !left.bytes(one))) {
    const bytes = Buffer.from(name, 'latin1');
    const why = isStagedOdd.has(name) ? null : reasonToWithhold(place, name, bytes);
    if (why === null && !name.endsWith('/')) take(bytes);
    else unnameable.push(name);
  }
  withheld.sort((a, b) => byCodePoint(a.path, b.path));
  return { add: Buffer.concat(add), withheld, unnameable };
}

const END = Buffer.from([0]);

function reasonToWithhold(place: Place, name: string, bytes: Buffer): WithheldFile['why'] | null {
  if (looksSecret(name)) return 'secret';
  return (look(place, bytes)?.size ?? 0) > LARGEST_UNTRACKED_BYTES ? 'too-large' : null;
}

// Behind a symlink is another place. A folder is here only as a repository with a commit: git can add no other.
async function lookUp(place: Place, path: string): Promise<'here' | 'gone' | 'folder'> {
  const folder = folderOf(path);
  if (folder !== '' && !checkFolder(place.root, folder).ok) return 'gone';
  const stats = look(place, Buffer.from(path, 'utf8'));
  if (stats?.isDirectory() !== true) return stats === null ? 'gone' : 'here';
  const head = ['--git-dir', join(place.root, path, '.git'), 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  const answer = await git(place.root, head, { expected: [0, 1, 128] });
  return answer.ok && answer.value.code === 0 ? 'here' : 'folder';
}

// What cannot be looked at is left to git, which says why.
function look(place: Place, name: Buffer): Stats | null {
  try {
    const path = Buffer.concat([Buffer.from(`${place.root}/`, 'utf8'), name]);
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
