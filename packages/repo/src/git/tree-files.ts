import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import { type FileText, type RepositoryPaths, SYMLINK, type TreeFile } from '@onceover/base/kernel/repository';
import { isSymlink, tryDisk } from '@onceover/base/platform/files';
import { decodeUtf8 } from '@onceover/base/platform/private-files';
import { gitSync } from './environment.ts';
import { indexMayContain, indexVersion } from './fingerprints.ts';
import { git, objectId } from './git.ts';
import { HEADER_BYTES, isSparseOrSplit } from './scan/index-format.ts';
import { readText, textOf } from './working-files.ts';

const LARGEST_TEXT_BYTES = 4 * 1024 * 1024;

/** Returns the text of a file in a tree; `null` if the file is missing, not text, or larger than 4 MiB. */
export async function textInTree(repo: RepositoryPaths, tree: SnapshotId, path: RepoPath): Promise<string | null> {
  const id = objectId(tree);
  if (path === '') return null;
  // In `tree:path`, some characters of the path would have a special meaning, so pass the path as an argument of its
  // own.
  const listing = await git(repo.root, ['ls-tree', '-z', '-l', '--full-tree', id, '--', path]);
  const match = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t([^\0]*)\0$/s.exec(listing.stdout.toString('utf8'));
  const [, blob, size, name] = match ?? [];
  if (blob === undefined || name !== path || Number(size) > LARGEST_TEXT_BYTES) return null;
  const { stdout: bytes } = await git(repo.root, ['cat-file', 'blob', blob]);
  return bytes.includes(0) ? null : (decodeUtf8(bytes, { keepsMark: true })?.text ?? null);
}

/**
 * Returns the object id and mode of each path that is a file, symlink or submodule in the tree. Other paths are left
 * out.
 */
export async function filesInTree(
  repo: RepositoryPaths,
  tree: SnapshotId,
  paths: readonly RepoPath[],
): Promise<ReadonlyMap<RepoPath, TreeFile>> {
  const id = objectId(tree);
  const files = new Map<RepoPath, TreeFile>();
  const requestedPaths = paths.filter((path) => path !== '');
  if (requestedPaths.length === 0) return files;
  const listing = await git(repo.root, ['ls-tree', '-z', '--full-tree', id, '--', ...requestedPaths]);
  for (const line of listing.stdout.toString('utf8').split('\0')) {
    const [, mode, kind, blob, name] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (mode === undefined || blob === undefined || name === undefined || kind === 'tree') continue;
    files.set(name as RepoPath, { id: blob, mode });
  }
  return files;
}

/** Reads configuration files, from the working tree or from a commit. */
export type TextFiles = {
  /** Returns the text of a file, or of its first `limit` bytes if the file is longer. */
  read(path: string, limit: number): FileText;
  isSymlink(path: string): boolean;
};

/** Returns a reader for the files of a working tree. */
export function diskFiles(root: string): TextFiles {
  return {
    read: (path, limit) => readText(root, path, limit),
    isSymlink: (path) => isSymlink(join(root, path)),
  };
}

type SparseFiles = TextFiles & {
  /** Returns the files of a folder that a sparse checkout leaves out of the working tree; `null` if git fails. */
  leftOut(folder: string): readonly string[] | null;
};

/** Returns a reader for a working tree. It reads files that a sparse checkout leaves out from the index. */
export function sparseFiles({ root, index }: Pick<RepositoryPaths, 'root' | 'index'>): SparseFiles {
  const disk = diskFiles(root);
  let bytes: Buffer | null = null;
  const ownIndex = () => {
    bytes ??= indexAt(index);
    return bytes;
  };
  const mayBeLeftOut = (path: string) =>
    ownIndex().length > 0 && (indexMayContain(ownIndex(), path) || isSparseOrSplit(ownIndex()));
  let blobs: ReadonlyMap<string, string> | null = null;
  const leftOutBlobs = () => {
    blobs ??= blobsLeftOut(root);
    return blobs;
  };
  return {
    ...disk,
    read(path, limit) {
      const fileText = disk.read(path, limit);
      if (fileText.kind !== 'unusable' || fileText.why !== 'missing' || !mayBeLeftOut(path)) return fileText;
      const leftOut = leftOutBlobs();
      if (leftOut === null) return UNREADABLE;
      const blob = leftOut.get(path);
      return blob === undefined ? fileText : readBlob(root, blob, limit);
    },
    leftOut(folder) {
      if (!indexMayOmit(ownIndex())) return [];
      const leftOut = leftOutBlobs();
      return leftOut === null ? null : [...leftOut.keys()].filter((path) => path.startsWith(`${folder}/`));
    },
  };
}

/**
 * Whether the index may list files that are not checked out. That is possible in version 3 or later, and if the index
 * is sparse or split. Only the answer `false` is certain.
 */
function indexMayOmit(index: Buffer): boolean {
  return index.length > 0 && (indexVersion(index) >= 3 || isSparseOrSplit(index));
}

// Returns the bytes of the index; none if it is missing or broken. git reports a broken index when the snapshot is
// taken.
function indexAt(path: string): Buffer {
  const contents = tryDisk('read', path, () => readFileSync(path));
  const isIndex =
    contents.ok && contents.value.length >= HEADER_BYTES && contents.value.toString('latin1', 0, 4) === 'DIRC';
  return isIndex ? contents.value : Buffer.alloc(0);
}

/** Returns the blob ids, by path, of the files that a sparse checkout leaves out; `null` if git fails. */
function blobsLeftOut(root: string): ReadonlyMap<string, string> | null {
  const listing = gitSync(root, ['ls-files', '-z', '-t', '--stage']);
  if (listing === null) return null;
  const blobs = new Map<string, string>();
  for (const line of listing.stdout.toString('utf8').split('\0')) {
    const [, blob, path] = /^S 100\d{3} ([0-9a-f]+) 0\t(.*)$/s.exec(line) ?? [];
    if (blob !== undefined && path !== undefined) blobs.set(path, blob);
  }
  return blobs;
}

function readBlob(root: string, blob: string, limit: number): FileText {
  const bytes = gitSync(root, ['cat-file', 'blob', blob])?.stdout;
  return bytes === undefined ? UNREADABLE : textOf(bytes.subarray(0, limit), bytes.length > limit);
}

const UNREADABLE: FileText = { kind: 'unusable', why: 'unreadable' };

/** Returns a reader for the same files that also adds every path that it reads to `paths`. */
export function notingPaths(files: TextFiles, paths: Set<string>): TextFiles {
  return {
    read(path, limit) {
      paths.add(path);
      return files.read(path, limit);
    },
    isSymlink: (path) => files.isSymlink(path),
  };
}

/** Returns a reader for the files of a commit. It does not follow symlinks. */
export function commitFiles(root: string, commit: string): TextFiles {
  const entry = (path: string) => {
    const answer = gitSync(root, ['ls-tree', '-z', commit, '--', path]);
    if (answer === null) return 'unreadable';
    return /^(\d{6}) (\w+) ([0-9a-f]+)\t/.exec(answer.stdout.toString('utf8'));
  };
  return {
    read(path, limit) {
      const treeEntry = entry(path);
      // If git fails, the file must not count as missing.
      if (treeEntry === 'unreadable') return UNREADABLE;
      if (treeEntry === null) return { kind: 'unusable', why: 'missing' };
      if (treeEntry[2] !== 'blob' || treeEntry[1] === SYMLINK) return { kind: 'unusable', why: 'not-a-file' };
      return readBlob(root, treeEntry[3] ?? '', limit);
    },
    isSymlink(path) {
      const treeEntry = entry(path);
      return treeEntry !== 'unreadable' && treeEntry?.[1] === SYMLINK;
    },
  };
}

/** The hash function of a repository's object ids. */
export type ObjectFormat = 'sha1' | 'sha256';

/**
 * An entry of a git tree. In `name`, each character stands for one byte (latin1), because it may not be valid UTF-8.
 */
export type TreeEntry = { readonly mode: string; readonly name: string; readonly id: string };

/** Returns the hash function of an object id, which its length shows. */
export function formatOf(id: string): ObjectFormat {
  return id.length === 64 ? 'sha256' : 'sha1';
}

/** Returns the entries of a tree, without checking their names or modes; `null` if the tree is damaged. */
export function readTree(format: ObjectFormat, content: Buffer): readonly TreeEntry[] | null {
  const idBytes = format === 'sha256' ? 32 : 20;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const nul = content.indexOf(0, at);
    const end = nul + 1 + idBytes;
    if (space === -1 || nul === -1 || space > nul || end > content.length) return null;
    const mode = content.toString('latin1', at, space);
    const name = content.toString('latin1', space + 1, nul);
    entries.push({ mode, name, id: content.toString('hex', nul + 1, end) });
    at = end;
  }
  return entries;
}
