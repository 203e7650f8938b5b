import { basename, join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import { byCodePoint } from '../domain/order.ts';
import type { ProjectFiles } from '../domain/ports.ts';
import { folderOf } from '../domain/repo-path.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { readText } from '../io/contents.ts';
import { checkFolder, isSymlink, listFolder, makeFolder, removeFile, writeWhole } from '../io/files.ts';
import { removeEmpty } from '../io/folders.ts';

const LONGEST_FILE = 4 * 1024 * 1024;

/** The user's own files, which `init` writes and nothing else does. */
export function openProjectFiles(root: string): ProjectFiles {
  return {
    async read(path) {
      const read = readText(root, path, LONGEST_FILE);
      if (read.kind === 'text' && !read.cut) return done(read.text);
      if (read.kind === 'unusable' && read.why === 'missing') return nothingAt(root, path);
      const code = read.kind === 'text' ? 'too large' : read.why;
      return failed({ kind: 'disk', action: 'read', path, code });
    },
    async list(folder) {
      const there = folder === '' ? done('there' as const) : checkFolder(root, folder);
      if (!there.ok) return there;
      const listed = listFolder(join(root, folder));
      if (!listed.ok) return listed;
      return done(
        listed.value
          .filter(({ isFile }) => isFile)
          .map(({ name }) => name)
          .sort(byCodePoint),
      );
    },
    async write(path, text) {
      const folder = folderOf(path) === '' ? done(root) : makeFolder(root, folderOf(path));
      return folder.ok ? writeWhole(folder.value, basename(path), text) : folder;
    },
    async remove(path) {
      const folder = folderOf(path);
      const there = folder === '' ? done('there') : checkFolder(root, folder);
      if (!there.ok) return there;
      const removed = removeFile(join(root, path));
      if (removed.ok) removeEmpty(root, folder);
      return removed;
    },
  };
}

// Said before anything is written: a symlink that leads nowhere, in the file's place or above it, is in the way.
function nothingAt(root: string, path: RepoPath): Result<null> {
  const folder = folderOf(path) === '' ? done('there') : checkFolder(root, folderOf(path));
  if (!folder.ok) return folder;
  const file = join(root, path);
  return isSymlink(file) ? failed({ kind: 'path-in-the-way', path: file, found: 'symlink' }) : done(null);
}
