import type { RepoPath, SnapshotId } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import type { TreeFile } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { git } from './git.ts';
import { objectId } from './object-id.ts';
import { decodeUtf8 } from './utf8.ts';

const LARGEST_TEXT_BYTES = 4 * 1024 * 1024;

/** A file's text as it is in a tree; null where there is no such file, or it is no text, or a very long one. */
export async function textInTree(place: Place, tree: SnapshotId, path: RepoPath): Promise<Result<string | null>> {
  const id = objectId(tree);
  if (!id.ok) return id;
  if (path === '') return done(null);
  // Asked for by its path, so that no part of a name can be taken for more than that.
  const listed = await git(place.root, ['ls-tree', '-z', '-l', '--full-tree', id.value, '--', path]);
  if (!listed.ok) return listed;
  const found = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t([^\0]*)\0$/s.exec(listed.value.stdout.toString('utf8'));
  const [, blob, size, name] = found ?? [];
  if (blob === undefined || name !== path || Number(size) > LARGEST_TEXT_BYTES) return done(null);
  const content = await git(place.root, ['cat-file', 'blob', blob]);
  if (!content.ok) return content;
  const bytes = content.value.stdout;
  return done(bytes.includes(0) ? null : (decodeUtf8(bytes, { keepsMark: true })?.text ?? null));
}

/** What each of these paths is in a tree: a file, a symlink, a repository; folders and what is missing are left out. */
export async function filesInTree(
  place: Place,
  tree: SnapshotId,
  paths: readonly RepoPath[],
): Promise<Result<ReadonlyMap<RepoPath, TreeFile>>> {
  const id = objectId(tree);
  if (!id.ok) return id;
  const asked = paths.filter((path) => path !== '');
  if (asked.length === 0) return done(new Map());
  const listed = await git(place.root, ['ls-tree', '-z', '--full-tree', id.value, '--', ...asked]);
  if (!listed.ok) return listed;
  const found = new Map<RepoPath, TreeFile>();
  for (const line of listed.value.stdout.toString('utf8').split('\0')) {
    const [, mode, kind, blob, name] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (mode === undefined || blob === undefined || name === undefined || kind === 'tree') continue;
    found.set(name as RepoPath, { id: blob, mode });
  }
  return done(found);
}
