import { basename, join } from 'node:path';
import type { EntrySettings } from '../config/settings.ts';
import { readText } from '../git/working-files.ts';
import { byCodePoint } from '../kernel/collections.ts';
import type { RepoPath } from '../kernel/ids.ts';
import { folderOf } from '../kernel/paths.ts';
import type { Repository } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import {
  checkFolder,
  isSymlink,
  listFolder,
  makeFolder,
  removeEmpty,
  removeFile,
  writeAtomically,
} from '../platform/files.ts';
import type { GatesFound, ProjectFiles, SetupStep } from './types.ts';

export type SetupPorts = { readonly files: ProjectFiles; readonly repository: Repository };

/** The facts that the first checks and reviews depend on. */
export type SetupFacts = {
  /** The installed agents. */
  readonly agents: readonly string[];
  /** The entries that `onceover.yml` has already. */
  readonly configured: readonly EntrySettings[];
};

/** A file to write; `text` is null if the file stays unchanged. */
export type PlannedFile = Omit<SetupStep, 'ignored'> & { readonly text: string | null };

/** The files to write for checks and reviews, and the facts that were found. */
export type PlannedGates = { readonly files: readonly PlannedFile[]; readonly found: GatesFound };

/** The facts of a project in which `init` found nothing. */
export const NOTHING_FOUND = {
  passedOver: [],
  missing: [],
  isAllNew: false,
  proposed: null,
  carried: null,
  others: [],
} as const;

/** Plans a file if it does not exist; a file that exists stays unchanged. */
export async function planNewFile(
  files: ProjectFiles,
  path: RepoPath,
  text: () => string,
): Promise<Result<PlannedFile>> {
  const present = await files.read(path);
  if (!present.ok) return present;
  if (present.value !== null) return ok({ path, did: 'left', added: null, text: null });
  const added = text();
  return ok({ path, did: 'written', added, text: added });
}

/** Returns the files that git tracks or would track. */
export async function pathsOf(repository: Repository): Promise<Result<readonly RepoPath[]>> {
  const listed = await repository.listing();
  if (!listed.ok) return listed;
  const deleted = new Set(listed.value.deleted);
  const { tracked, untracked } = listed.value.listing;
  return ok([...tracked, ...untracked].filter((path) => !deleted.has(path)));
}

const LONGEST_FILE = 4 * 1024 * 1024;

/** Opens the user's files. It never reads or writes through a symlink that leaves the repository. */
export function openProjectFiles(root: string): ProjectFiles {
  const checkFolderOf = (folder: string) => (folder === '' ? ok('there' as const) : checkFolder(root, folder));
  return {
    async read(path) {
      const read = readText(root, path, LONGEST_FILE);
      if (read.kind === 'text' && !read.cut) return ok(read.text);
      if (read.kind === 'text' || read.why !== 'missing') {
        return err({ kind: 'disk', action: 'read', path, code: read.kind === 'text' ? 'too large' : read.why });
      }
      // A dangling symlink reads as missing, but a later write would fail after other files were written.
      const folder = checkFolderOf(folderOf(path));
      if (!folder.ok) return folder;
      const file = join(root, path);
      return isSymlink(file) ? err({ kind: 'path-in-the-way', path: file, found: 'symlink' }) : ok(null);
    },
    async list(folder) {
      const checked = checkFolderOf(folder);
      const listed = checked.ok ? listFolder(join(root, folder)) : checked;
      if (!listed.ok) return listed;
      const names = listed.value.filter(({ isFile }) => isFile).map(({ name }) => name);
      return ok(names.sort(byCodePoint));
    },
    async write(path, text) {
      const folder = folderOf(path) === '' ? ok(root) : makeFolder(root, folderOf(path));
      return folder.ok ? writeAtomically(folder.value, basename(path), text) : folder;
    },
    async remove(path) {
      const folder = checkFolderOf(folderOf(path));
      if (!folder.ok) return folder;
      const removed = removeFile(join(root, path));
      if (removed.ok) removeEmpty(root, folderOf(path));
      return removed;
    },
  };
}
