import { join } from 'node:path';
import type { CommitId } from '../domain/brand.ts';
import type { FileText } from '../domain/ports.ts';
import { readText, textOf } from './contents.ts';
import { isSymlink } from './files.ts';
import { gitNow } from './git.ts';

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
      if (found === 'unreadable') return { kind: 'unusable', why: 'unreadable' };
      if (found === null) return { kind: 'unusable', why: 'missing' };
      if (found[2] !== 'blob' || found[1] === SYMLINK) return { kind: 'unusable', why: 'not-a-file' };
      const bytes = gitNow(root, ['cat-file', 'blob', found[3] ?? '']);
      if (bytes === null) return { kind: 'unusable', why: 'unreadable' };
      return textOf(bytes.subarray(0, limit), bytes.length > limit);
    },
    isSymlink(path) {
      const found = entry(path);
      return found !== 'unreadable' && found?.[1] === SYMLINK;
    },
  };
}

const SYMLINK = '120000';
