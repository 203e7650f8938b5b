import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CommitId, SnapshotId } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { codeOf, makeFolder, removeOldest } from './files.ts';
import { git } from './git.ts';
import { withIndexFolder } from './index-copy.ts';
import { indexName } from './index-name.ts';
import { QUIET } from './quiet.ts';
import { forgetYoung, isWhole } from './young-entries.ts';

/** By this environment git uses an index of our own. */
type IndexEnv = { readonly GIT_INDEX_FILE: string };

/** An index to work with. */
export type OwnIndex = {
  readonly env: IndexEnv;
  /** Whether it has the very names that the commit has: then it need not be made from the commit again. */
  readonly hasNames: boolean;
  /** How many entries it has now. */
  count(): number;
  /** The sum that git put at its end: another for other content. */
  sum(): string;
};

/** What the work gave, and whether it left an index with the very names of the commit. */
export type IndexWork<T> = { readonly value: T; readonly hasNames: boolean };

/** What the work gave, and the index as the work left it. */
type Worked<T> = { readonly value: T; readonly index: Buffer };

/**
 * Does work with an index of our own, which is kept from one time to the next for what it knows of files' times and of
 * the commit's names. Each work has a copy to itself, and the last one is kept; where git cannot work with it, it is
 * done once more from none.
 */
export async function withOwnIndex<T>(
  place: Place,
  commit: CommitId | null,
  work: (own: OwnIndex) => Promise<Result<IndexWork<T>>>,
): Promise<Result<Worked<T>>> {
  const folder = makeFolder(place.commonDir, 'onceover/indexes');
  if (!folder.ok) return folder;
  const name = indexName(place.root);
  const named = `${name}-${commit}-`;
  const workFrom = (kept: Kept | null, hasNames: boolean) =>
    withIndexFolder<Worked<T>>(place, async (own) => {
      const path = join(own, 'index');
      // By the clock that files have their times from, as the folder was made for this; some count by two seconds.
      const began = Math.floor(lstatSync(own).ctimeMs / 1000) - 1;
      const copied = onDisk(path, () => kept !== null && copyTo(path, kept));
      if (!copied.ok) return copied;
      const worked = await work({
        env: { GIT_INDEX_FILE: path },
        hasNames,
        count: () => countEntries(path),
        sum: () => endOf(path),
      });
      if (!worked.ok) return worked;
      // The same to the last byte: it is there already.
      if (kept !== null && hasNames && worked.value.hasNames && endOf(path) === sumOf(kept.bytes)) {
        return done({ value: worked.value.value, index: kept.bytes });
      }
      const index = onDisk(path, () => {
        const bytes = readFileSync(path);
        const known = forgetYoung(bytes, began);
        if (known === null) return bytes;
        const isNamed = commit !== null && worked.value.hasNames && !mayHaveRepositories(bytes);
        const target = isNamed ? `${named}${sumOf(known)}` : name;
        if (known !== bytes) putInPlace(path, known);
        renameSync(path, join(folder.value, target));
        for (const one of ownNames(folder.value, name))
          if (one !== target) rmSync(join(folder.value, one), { force: true });
        return bytes;
      });
      // Working trees come and go.
      removeOldest(folder.value, MOST_KEPT, new Set(ownNames(folder.value, name)));
      return index.ok ? done({ value: worked.value.value, index: index.value }) : index;
    });
  const names = onDisk(folder.value, () => ownNames(folder.value, name));
  if (!names.ok) return names;
  const [found = name] = names.value;
  const kept = readKept(join(folder.value, found));
  const worked = await workFrom(kept, kept !== null && found === `${named}${sumOf(kept.bytes)}`);
  return kept !== null && !worked.ok && worked.failure.kind === 'git-failed' ? workFrom(null, false) : worked;
}

// A submodule that is not checked out keeps the value that the index has, so that must be the commit's own.
const SUBMODULE_MODE = Buffer.from([0x00, 0x00, 0xe0, 0x00]);

// The number is where every version of the format has it.
function countEntries(path: string): number {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    const header = Buffer.alloc(12);
    return readSync(fd, header, 0, header.length, 0) === header.length ? header.readUInt32BE(8) : 0;
  } finally {
    closeSync(fd);
  }
}

function endOf(path: string): string {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    const end = Buffer.alloc(SUM_BYTES);
    readSync(fd, end, 0, end.length, Math.max(0, fstatSync(fd).size - SUM_BYTES));
    return end.toString('hex');
  } finally {
    closeSync(fd);
  }
}

const SUM_BYTES = 20;

// One is kept a working tree; where it has the names of a commit, its own name says of which, and its sum.
function ownNames(folder: string, name: string): readonly string[] {
  return readdirSync(folder).filter((one) => one.startsWith(name));
}

/** Whether it may have repositories inside this one; false is certain. */
export function mayHaveRepositories(index: Buffer): boolean {
  return index.includes(SUBMODULE_MODE);
}

/** The tree that an index describes. */
export async function treeOfIndex(place: Place, index: Buffer): Promise<Result<SnapshotId>> {
  return withIndex(place, index, async (env) => {
    const tree = await git(place.root, ['write-tree'], { env, config: QUIET });
    return tree.ok ? done(tree.value.stdout.toString('utf8').trim() as SnapshotId) : tree;
  });
}

/** Does work with an index as it was. */
export async function withIndex<T>(
  place: Place,
  index: Buffer,
  work: (env: IndexEnv) => Promise<Result<T>>,
): Promise<Result<T>> {
  return withIndexFolder(place, async (own) => {
    const path = join(own, 'index');
    const written = onDisk(path, () => writeFileSync(path, index));
    return written.ok ? work({ GIT_INDEX_FILE: path }) : written;
  });
}

const MOST_KEPT = 64;

type Kept = { readonly path: string; readonly bytes: Buffer; readonly mtimeMs: number };

function readKept(path: string): Kept | null {
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    const bytes = stats.isFile() ? readFileSync(fd) : null;
    return bytes !== null && isWhole(bytes) ? { path, bytes, mtimeMs: stats.mtimeMs } : null;
  } catch {
    // Without it all files are read once more, and nothing else is lost.
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function sumOf(index: Buffer): string {
  return index.subarray(-SUM_BYTES).toString('hex');
}

// With its time: git takes an entry that is as young as the index for one that may have changed unnoticed.
function copyTo(path: string, { path: from, bytes, mtimeMs }: Kept): void {
  try {
    // git never writes into an index: it puts a new one in its place, and the kept one stays as it is.
    linkSync(from, path);
  } catch {
    writeWithTime(path, bytes, mtimeMs);
  }
}

// As a file of its own, since what is at the path may be the one that is kept; and with its time, as above.
function putInPlace(path: string, bytes: Buffer): void {
  const other = `${path}-known`;
  writeWithTime(other, bytes, lstatSync(path).mtimeMs);
  renameSync(other, path);
}

function writeWithTime(path: string, bytes: Buffer, mtimeMs: number): void {
  writeFileSync(path, bytes);
  utimesSync(path, Math.floor(mtimeMs) / 1000, Math.floor(mtimeMs) / 1000);
}

function onDisk<T>(path: string, act: () => T): Result<T> {
  try {
    return done(act());
  } catch (error) {
    return failed({ kind: 'disk', action: 'write', path, code: codeOf(error) });
  }
}
