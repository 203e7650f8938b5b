import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId } from '../domain/brand.ts';
import { type Place, SYMLINK } from '../domain/change.ts';
import type { FileText } from '../domain/ports.ts';
import { readText, textOf } from './contents.ts';
import { isSymlink } from './files.ts';
import { gitNow } from './git.ts';
import { mayLeaveOut, mayName, namesLess } from './index-bytes.ts';

/** Where configuration is read from: the working tree, or a commit. */
export type TextFiles = {
  /** A file's text, cut after `limit` bytes. */
  read(path: string, limit: number): FileText;
  isSymlink(path: string): boolean;
};

/** The files of a working tree. */
export function diskFiles(root: string): TextFiles {
  return {
    read: (path, limit) => readText(root, path, limit),
    isSymlink: (path) => isSymlink(join(root, path)),
  };
}

/** Those, and what a sparse checkout leaves out of them. */
type SparseFiles = TextFiles & {
  /** The files below a folder that are left out; null where git cannot say. */
  leftOut(folder: string): readonly string[] | null;
};

/** The same; a file that a sparse checkout leaves out is there all the same, as the index has it. */
export function sparseFiles({ root, index }: Pick<Place, 'root' | 'index'>): SparseFiles {
  const disk = diskFiles(root);
  let bytes: Buffer | null = null;
  const ownIndex = () => {
    bytes ??= indexAt(index);
    return bytes;
  };
  const mayBeLeftOut = (path: string) => ownIndex().length > 0 && (mayName(ownIndex(), path) || namesLess(ownIndex()));
  let blobs: ReadonlyMap<string, string> | null = null;
  const leftOutBlobs = () => {
    blobs ??= blobsLeftOut(root);
    return blobs;
  };
  return {
    ...disk,
    read(path, limit) {
      const found = disk.read(path, limit);
      if (found.kind !== 'unusable' || found.why !== 'missing' || !mayBeLeftOut(path)) return found;
      const leftOut = leftOutBlobs();
      if (leftOut === null) return UNREADABLE;
      const blob = leftOut.get(path);
      return blob === undefined ? found : readBlob(root, blob, limit);
    },
    leftOut(folder) {
      if (!mayLeaveOut(ownIndex())) return [];
      const leftOut = leftOutBlobs();
      return leftOut === null ? null : [...leftOut.keys()].filter((path) => path.startsWith(`${folder}/`));
    },
  };
}

/** An index; empty where there is none. One that is broken or cannot be read is git's to complain about, when it looks at the change. */
function indexAt(path: string): Buffer {
  const bytes = bytesAt(path);
  return bytes.length >= SHORTEST_INDEX && bytes.toString('latin1', 0, 4) === 'DIRC' ? bytes : NOTHING;
}

function bytesAt(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);
const SHORTEST_INDEX = 12;

/** The blobs of files that are not checked out, by path; null where git cannot say. */
function blobsLeftOut(root: string): ReadonlyMap<string, string> | null {
  const listed = gitNow(root, ['ls-files', '-z', '-t', '--stage']);
  if (listed === null) return null;
  const found = new Map<string, string>();
  for (const line of listed.toString('utf8').split('\0')) {
    const [, blob, path] = /^S 100\d{3} ([0-9a-f]+) 0\t(.*)$/s.exec(line) ?? [];
    if (blob !== undefined && path !== undefined) found.set(path, blob);
  }
  return found;
}

function readBlob(root: string, blob: string, limit: number): FileText {
  const bytes = gitNow(root, ['cat-file', 'blob', blob]);
  return bytes === null ? UNREADABLE : textOf(bytes.subarray(0, limit), bytes.length > limit);
}

const UNREADABLE: FileText = { kind: 'unusable', why: 'unreadable' };

/** The same files; the paths of those that are asked for are put into `paths`. */
export function notingPaths(files: TextFiles, paths: Set<string>): TextFiles {
  return {
    read(path, limit) {
      paths.add(path);
      return files.read(path, limit);
    },
    isSymlink: (path) => files.isSymlink(path),
  };
}

/** The files of a commit; a symlink there is no file. */
export function commitFiles(root: string, commit: CommitId): TextFiles {
  const entry = (path: string) => {
    const answer = gitNow(root, ['ls-tree', '-z', commit, '--', path]);
    if (answer === null) return 'unreadable';
    return /^(\d{6}) (\w+) ([0-9a-f]+)\t/.exec(answer.toString('utf8'));
  };
  return {
    read(path, limit) {
      const found = entry(path);
      // That git could not say is not that there is nothing.
      if (found === 'unreadable') return UNREADABLE;
      if (found === null) return { kind: 'unusable', why: 'missing' };
      if (found[2] !== 'blob' || found[1] === SYMLINK) return { kind: 'unusable', why: 'not-a-file' };
      return readBlob(root, found[3] ?? '', limit);
    },
    isSymlink(path) {
      const found = entry(path);
      return found !== 'unreadable' && found?.[1] === SYMLINK;
    },
  };
}
