import { basename, join } from 'node:path';
import { byCodePoint } from '@onceover/base/kernel/collections';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { folderOf } from '@onceover/base/kernel/paths';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import {
  checkFolder,
  isSymlink,
  listFolder,
  makeFolder,
  removeEmpty,
  removeFile,
  writeAtomically,
} from '@onceover/base/platform/files';
import type { EntrySettings } from '@onceover/repo/config/settings';
import { readText } from '@onceover/repo/git/working-files';
import type { TextChange } from './agent-config.ts';
import type { GatesFound } from './types.ts';

/** Facts about a project from which `init` plans checks and reviews. */
export type SetupFacts = {
  /** The names of the installed agents. */
  readonly agents: readonly string[];
  /** The elements of `gates` in the existing `onceover.yml`; null if there is no such file. */
  readonly configured: readonly EntrySettings[] | null;
  /** The files that git tracks or would track. */
  readonly paths: readonly RepoPath[];
};

/** A file to write or extend. `change` gets its current text, or null if it does not exist, and returns the new one. */
export type WantedFile = { readonly path: RepoPath; readonly change: (present: string | null) => TextChange };

/** The files to write for checks and reviews, with facts that `init` prints about them. */
export type WantedGates = { readonly files: readonly WantedFile[]; readonly found: GatesFound };

/** Returns a file that `init` writes only if it does not exist. */
export function newFile(path: RepoPath, text: string): WantedFile {
  return { path, change: (present) => (present === null ? { kind: 'write', text, added: text } : { kind: 'leave' }) };
}

const LONGEST_FILE = 4 * 1024 * 1024;

/** Access to the user's files in the working tree, for `init` and `init --remove`. */
export type ProjectFiles = ReturnType<typeof openProjectFiles>;

/** Opens the user's files. It never reads or writes through a symlink that leads out of the repository. */
export function openProjectFiles(root: string) {
  return {
    /** Returns the text of a file; null if the file does not exist. */
    async read(path: RepoPath): Promise<Result<string | null>> {
      const content = readText(root, path, LONGEST_FILE);
      if (content.kind === 'text' && !content.cut) return ok(content.text);
      if (content.kind === 'text' || content.why !== 'missing') {
        return err({ kind: 'disk', action: 'read', path, code: content.kind === 'text' ? 'too large' : content.why });
      }
      // A symlink to a missing file reads as missing. Fail here, because otherwise the write would fail after other
      // files were written.
      const folder = checkFolder(root, folderOf(path));
      if (!folder.ok) return folder;
      const file = join(root, path);
      return isSymlink(file) ? err({ kind: 'path-in-the-way', path: file, found: 'symlink' }) : ok(null);
    },

    /** Returns the sorted names of the regular files in a folder; none if the folder does not exist. */
    async list(folder: RepoPath): Promise<Result<readonly string[]>> {
      const folderCheck = checkFolder(root, folder);
      const listing = folderCheck.ok ? listFolder(join(root, folder)) : folderCheck;
      if (!listing.ok) return listing;
      const names = listing.value.filter(({ isFile }) => isFile).map(({ name }) => name);
      return ok(names.sort(byCodePoint));
    },

    async write(path: RepoPath, text: string): Promise<Result<void>> {
      const folder = folderOf(path) === '' ? ok(root) : makeFolder(root, folderOf(path));
      return folder.ok ? writeAtomically(folder.value, basename(path), text) : folder;
    },

    /** Removes a file, and then the folders above it that are empty. */
    async remove(path: RepoPath): Promise<Result<void>> {
      const folder = checkFolder(root, folderOf(path));
      if (!folder.ok) return folder;
      const removal = removeFile(join(root, path));
      if (removal.ok) removeEmpty(root, folderOf(path));
      return removal;
    },
  };
}
