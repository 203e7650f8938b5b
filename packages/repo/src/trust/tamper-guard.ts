import { basename, join } from 'node:path';
import type { TamperGuard } from '@onceover/base/kernel/ports';
import { ok, type Result } from '@onceover/base/kernel/result';
import { removeFile, statIfPresent } from '@onceover/base/platform/files';
import { openFolder, readPrivateFile } from '@onceover/base/platform/private-files';
import { statFingerprints } from '../git/fingerprints.ts';

/** Opens a guard for the given files. It undoes what a fixing agent does to them between `snapshot` and `restore`. */
export function openTamperGuard(
  filesToRemove: readonly RemovedIfNew[],
  filesToRestore: readonly RestoredIfWeaker[],
): TamperGuard {
  return {
    async snapshot() {
      const undos = [...filesToRemove.map(removeNew), ...filesToRestore.map(restoreTexts)];
      return {
        async restore() {
          const ends = undos.flatMap((undo) => undo());
          const failure = ends.find((end) => !end.ok);
          return failure ?? ok(ends.flatMap((end) => (end.ok && end.value !== null ? [end.value] : [])));
        },
      };
    },
  };
}

/** The files in the folder `folder` of `top` whose names match `name`. */
type Files = { readonly top: string; readonly folder: string; readonly name: RegExp };

/**
 * Files that are deleted if they appear or change while a fixing agent works. At worst, the deletion leads to another
 * review.
 */
export type RemovedIfNew = Files & { readonly isReported: boolean };

/**
 * Files that are restored if `isLess` returns true: with their new text `now`, more gates could pass than with their
 * old text `before`.
 */
export type RestoredIfWeaker = Files & { isLess(before: string | null, now: string | null, name: string): boolean };

function pathsOf({ top, folder, name }: Files): readonly string[] {
  const listing = openFolder(top, folder).list();
  const names = listing.ok ? listing.value.map((entry) => entry.name).filter((entry) => name.test(entry)) : [];
  return names.map((entry) => join(top, folder, entry)).filter((path) => statIfPresent(path)?.isDirectory() === false);
}

function textOf(path: string): string | null {
  const content = readPrivateFile(path);
  return content.ok ? content.value : null;
}

/**
 * A function that undoes changes to files. For each file it returns the path if the user gets a message about it,
 * otherwise `null`.
 */
type Undo = () => readonly Result<string | null>[];

function removeNew(files: RemovedIfNew): Undo {
  const before = statFingerprints(pathsOf(files));
  return () => {
    const changedFiles = Object.entries(statFingerprints(pathsOf(files))).filter(
      ([path, print]) => before[path] !== print,
    );
    return changedFiles.map(([path]) => {
      const removal = removeFile(path);
      return removal.ok ? ok(files.isReported ? path : null) : removal;
    });
  };
}

function restoreTexts(files: RestoredIfWeaker): Undo {
  const before = new Map(pathsOf(files).map((path) => [path, textOf(path)]));
  return () =>
    [...new Set([...before.keys(), ...pathsOf(files)])].map((path) => {
      const old = before.get(path) ?? null;
      const now = textOf(path);
      if (old === now || !files.isLess(old, now, basename(path))) return ok(null);
      const result = old === null ? removeFile(path) : openFolder(files.top, files.folder).write(basename(path), old);
      return result.ok ? ok(path) : result;
    });
}
