import { existsSync, lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StatFingerprints, WorktreePaths } from '@onceover/base/kernel/repository';
import { gitSync, withStrictStat } from './environment.ts';

/**
 * Whether a path in the index may contain `part`. Only the answer `false` is certain. In the compressed version 4, the
 * answer is always `true`.
 */
export function indexMayContain(index: Buffer, part: string): boolean {
  return indexVersion(index) >= 4 || index.includes(part);
}

/** Returns the format version of a git index. */
export function indexVersion(index: Buffer): number {
  return index.readUInt32BE(4);
}

/** Returns the current fingerprint of each path: a text that changes whenever the file or folder changes. */
export function statFingerprints(paths: readonly string[]): StatFingerprints {
  return Object.fromEntries(paths.map((path) => [path, fingerprint(path)]));
}

/** Whether no path has changed since its fingerprint was taken. */
export function matchesFingerprints(fingerprints: StatFingerprints): boolean {
  return Object.entries(fingerprints).every(([path, before]) => fingerprint(path) === before);
}

/** Returns the fingerprint of the path itself. For a symlink, its target is not included. */
export function entryFingerprint(path: string): string {
  return orErrorCode(() => printOf(lstatSync(path, { throwIfNoEntry: false })));
}

function fingerprint(path: string): string {
  return orErrorCode(() => (path.endsWith('/') ? folderPrint(path) : pathPrint(path)));
}

// The target of a symlink can change while the symlink stays the same, so the fingerprint covers both.
function pathPrint(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() !== true) return printOf(stats);
  return `${printOf(stats)} to ${orErrorCode(() => printOf(statSync(path, { throwIfNoEntry: false })))}`;
}

// Overwriting a file does not change the metadata of its folder, so the fingerprint also covers each file in the
// folder.
function folderPrint(path: string): string {
  const names = readdirSync(path).sort();
  return [pathPrint(path.slice(0, -1)), ...names.map((name) => `${name} ${pathPrint(join(path, name))}`)].join('\n');
}

// Returns a text of a file's metadata. It includes ctime, because a user cannot set it back. `ctimeMs` has decimals, so
// slower metadata with bigint is not needed.
function printOf(stats: Stats | undefined): string {
  return stats === undefined ? 'missing' : `${stats.ino} ${stats.mode} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

function orErrorCode(reader: () => string): string {
  try {
    return reader();
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** The output of `git status`, and the names of untracked files in it, which are not in the last snapshot. */
type StatusFingerprint = { readonly print: string; readonly untracked: readonly string[] };

/**
 * Returns a fingerprint of the working tree, made from `git status`; `null` if there is no snapshot yet, or if a file
 * has changed since the last one. git uses the private index of the last snapshot (`name` is the start of its file
 * name), because flags in the user's index can hide changes.
 */
export function statusFingerprint(
  { root, commonDir }: Pick<WorktreePaths, 'root' | 'commonDir'>,
  name: string,
): StatusFingerprint | null {
  const index = keptIndex(commonDir, name);
  if (index === null) return null;
  // Keep git from converting a file that was written after the snapshot, because the conversion can hide an edit.
  const config = [...withStrictStat(commonDir), 'core.autocrlf=false', 'core.attributesFile=/dev/null'];
  const env = { GIT_INDEX_FILE: index, GIT_LITERAL_PATHSPECS: '0', GIT_ATTR_NOSYSTEM: '1' };
  const options = { config, env };
  const answer = gitSync(root, STATUS, options);
  // git skips a folder that it may not read and reports this only on stderr. The output may then be incomplete.
  if (answer === null || answer.stderr.length > 0) return null;
  // `git status` reads files through the user's filters, which can hide an edit. `git diff-files` compares the times of
  // files and would notice it.
  if (mayHaveAttributes(commonDir, index)) {
    const diffFiles = gitSync(root, ['diff-files', '--name-only', '-z', '--ignore-submodules=all'], options);
    if (diffFiles === null || diffFiles.stdout.length > 0) return null;
  }
  return readStatus(answer.stdout);
}

// Whether the repository may define git attributes. Only the answer `false` is certain.
function mayHaveAttributes(commonDir: string, indexFile: string): boolean {
  if (existsSync(join(commonDir, 'info/attributes'))) return true;
  return indexMayContain(readFileSync(indexFile), '.gitattributes');
}

const STATUS = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--no-ahead-behind',
  '--untracked-files=all',
  '--ignore-submodules=none',
  '--no-renames',
];

// Parses the output of `git status`. Returns `null` if a file's content differs from the snapshot's index, because no
// reviewer has seen that content.
function readStatus(output: Buffer): StatusFingerprint | null {
  const print = output.toString('latin1');
  const untrackedPaths: string[] = [];
  for (const entry of print.split('\0')) {
    if (entry.startsWith('? ')) untrackedPaths.push(Buffer.from(entry.slice(2), 'latin1').toString('utf8'));
    else if (entry.startsWith('u ') || /^[12] .[^.D]/.test(entry)) return null;
  }
  return { print, untracked: untrackedPaths };
}

function keptIndex(commonDir: string, name: string): string | null {
  const folder = join(commonDir, 'onceover/indexes');
  try {
    const [indexName] = readdirSync(folder).filter((entry) => entry.startsWith(name));
    return indexName === undefined || !lstatSync(join(folder, indexName)).isFile() ? null : join(folder, indexName);
  } catch {
    return null;
  }
}
