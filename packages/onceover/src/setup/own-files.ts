import { join, relative } from 'node:path';
import { type RepoPath, sha256 } from '@onceover/base/kernel/ids';
import { folderOf, GENERATED_FOLDER, PREVIOUS, repoPath } from '@onceover/base/kernel/paths';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import { filesBelow, removeEmpty, removeFile, removeTree } from '@onceover/base/platform/files';
import { heldElsewhere, openLock } from '@onceover/base/platform/lock';
import { openListFile, readPrivateFile } from '@onceover/base/platform/private-files';
import { removeEmptyScratch } from '@onceover/base/platform/scratch';
import { isRecordFile } from '@onceover/gates/run/record/record-names';
import { countPins, dropAllPins } from '@onceover/repo/git/snapshot-refs';
import type { RemovedItem } from './types.ts';

const MOST_NOTES = 200;

/** Opens the list of the files that `init` wrote in this clone. For each file it has a digest of the text. */
export function openInitManifest(commonDir: string) {
  const file = openListFile(commonDir, 'set-up.json');
  const read = () => file.read().filter((note) => typeof note === 'string');
  return {
    note(path: RepoPath, text: string): Result<void> {
      const note = noteOf(path, text);
      return file.write([...read().filter((other) => other !== note), note].slice(-MOST_NOTES));
    },
    /** Whether `init` wrote this file with exactly this text. */
    has: (path: RepoPath, text: string): boolean => read().includes(noteOf(path, text)),
    paths: (): readonly RepoPath[] =>
      read()
        .map((note) => note.slice(note.indexOf(' ') + 1))
        // `init` writes only inside the repository, so ignore any other path in the list.
        .filter((path): path is RepoPath => path !== '' && repoPath(path) === path),
  };
}

function noteOf(path: RepoPath, text: string): string {
  return `${sha256(text)} ${path}`;
}

const GIT_FOLDER = 'onceover';

/**
 * Returns functions that list and remove the files and git refs that onceover wrote in the working tree and in the
 * clone. Tracked files are neither listed nor removed.
 */
export function openOwnFiles(place: RepositoryPaths, logDir: RepoPath, tracked: ReadonlySet<string>) {
  const { root, commonDir } = place;
  const folders = [
    { kind: 'records', path: logDir, isOurs: isInLogs },
    { kind: 'generated', path: GENERATED_FOLDER, isOurs: (path: string) => GENERATED.test(path) },
  ] as const;
  return {
    async find(): Promise<Result<readonly RemovedItem[]>> {
      const found: RemovedItem[] = [];
      for (const { kind, path, isOurs } of folders) {
        const own = ownFilesIn(root, path, isOurs, tracked);
        if (!own.ok) return own;
        if (own.value.length > 0) found.push({ kind, path, count: own.value.length });
      }
      const kept = filesBelow(commonDir, GIT_FOLDER);
      if (!kept.ok) return kept;
      const refs = await countPins(place);
      if (!refs.ok) return refs;
      const inside = relative(root, join(commonDir, GIT_FOLDER));
      const path = inside.startsWith('..') ? join(commonDir, GIT_FOLDER) : inside;
      if (kept.value.length > 0) found.push({ kind: 'git-folder', path, count: kept.value.length });
      if (refs.value > 0) found.push({ kind: 'refs', path: null, count: refs.value });
      return ok(found);
    },

    /** Removes everything that `find` lists. Fails while a run is in progress in any working tree of the clone. */
    async remove(): Promise<Result<void>> {
      const lock = await openLock(place).take();
      if (!lock.ok) return lock;
      try {
        const other = await heldElsewhere(commonDir);
        if (!other.ok) return other;
        if (other.value !== null) return err({ kind: 'lock-held', ...other.value });
        const dropped = await dropAllPins(place);
        if (!dropped.ok) return dropped;
        const emptied = await forEachOk(folders, async ({ path, isOurs }) => {
          const own = ownFilesIn(root, path, isOurs, tracked);
          return own.ok ? removeAll(root, path, own.value) : own;
        });
        const removed = emptied.ok ? removeTree(commonDir, GIT_FOLDER) : emptied;
        if (removed.ok) removeEmptyScratch();
        return removed;
      } finally {
        await lock.value.release();
      }
    },
  };
}

const TEMPORARY = /^(?:.*\/)?\.onceover-\d+-[0-9a-f]{12}$/;

const GENERATED =
  /^(?:review_instructions\/[^/]+\.(?:md|passed)|quality_review_[^/]+\.md|session_[^/]+\.json(?:\.unreadable-[^/]+)?)$/;

function isInLogs(path: string): boolean {
  const name = path.startsWith(`${PREVIOUS}/`) ? path.slice(PREVIOUS.length + 1) : path;
  return (!name.includes('/') && isRecordFile(name)) || /^phases\/[^/]+\/[^/]+\.log$/.test(path);
}

/** Returns the files that onceover wrote in a folder, and onceover's `.gitignore` if no other file remains there. */
function ownFilesIn(
  root: string,
  folder: RepoPath,
  isOurs: (path: string) => boolean,
  tracked: ReadonlySet<string>,
): Result<readonly string[]> {
  const all = filesBelow(root, folder);
  if (!all.ok) return all;
  const others = all.value.filter(
    (path) => tracked.has(`${folder}/${path}`) || !(isOurs(path) || TEMPORARY.test(path)),
  );
  const own = all.value.filter((path) => !others.includes(path));
  const isAlone = others.length === 1 && others[0] === '.gitignore' && !tracked.has(`${folder}/.gitignore`);
  const text = isAlone ? readPrivateFile(join(root, folder, '.gitignore')) : ok(null);
  return ok(text.ok && text.value === '*\n' ? [...own, '.gitignore'] : own);
}

function removeAll(root: string, folder: RepoPath, paths: readonly string[]): Result<void> {
  for (const path of paths) {
    const removed = removeFile(join(root, folder, path));
    if (!removed.ok) return removed;
    removeEmpty(root, folderOf(`${folder}/${path}`));
  }
  removeEmpty(root, folder);
  return ok(undefined);
}
