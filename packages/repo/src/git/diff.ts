import { join } from 'node:path';
import { byCodePoint, inChunks } from '@onceover/base/kernel/collections';
import { escapeControls } from '@onceover/base/kernel/escape';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { LARGEST_READABLE } from '@onceover/base/kernel/readable';
import { type DiffSection, type RepositoryPaths, SUBMODULE } from '@onceover/base/kernel/repository';
import { NO_USER_PROGRAMS } from './environment.ts';
import { git, gitFailed, objectId, utf8Name } from './git.ts';

/** One record of git's `--raw` output: a changed path, or a rename with its old and new path. */
export type RawEntry = {
  readonly oldMode: string;
  readonly newMode: string;
  /**
   * Object id of the old content; `null` if the path did not exist before. `newId` is `null` if the path was deleted.
   */
  readonly oldId: string | null;
  readonly newId: string | null;
  /**
   * git's letter for the kind of change: A (added), D (deleted), M (modified), T (type changed), R (renamed), C
   * (copied) or U (unmerged).
   */
  readonly status: string;
  /** The changed path; for a rename or copy, the old and the new path. */
  readonly paths: readonly RepoPath[];
  /** File names that are not valid UTF-8. Each byte of a name is one latin1 character here. */
  readonly unnameable: readonly string[];
};

/** Parses the output of git's diff commands with `--raw -z`. */
export function readRawDiff(output: Buffer): RawEntry[] {
  // Decode the output as latin1, which keeps every byte of names that are not UTF-8.
  const fields = output.toString('latin1').split('\0');
  const entries: RawEntry[] = [];
  for (let i = 0; i + 1 < fields.length; ) {
    const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = (fields[i] ?? '').slice(1).split(' ');
    const count = /^[RC]/.test(status) ? 2 : 1;
    const names = fields.slice(i + 1, i + 1 + count);
    i += 1 + count;
    const paths = names.map((name) => utf8Name(name) as RepoPath | null);
    entries.push({
      oldMode,
      newMode,
      oldId: idOrNone(oldId),
      newId: idOrNone(newId),
      status: status.charAt(0),
      paths: paths.filter((path) => path !== null),
      unnameable: names.filter((_, n) => paths[n] === null),
    });
  }
  return entries;
}

function idOrNone(id: string): string | null {
  return /^0+$/.test(id) ? null : id;
}

/** The size of a blob and its first bytes, at most `LARGEST_READABLE`. `hasNul` is about the whole blob. */
export type BlobHead = { readonly size: number; readonly bytes: Buffer; readonly hasNul: boolean };

/**
 * Calls `onBlob` for each blob. It reads the blobs as a stream, so large blobs need little memory.
 */
export async function readBlobHeads(
  repo: RepositoryPaths,
  ids: readonly string[],
  onBlob: (id: string, head: BlobHead) => void,
): Promise<void> {
  if (ids.length === 0) return;
  let answerCount = 0;
  let header = '';
  let blob: { size: number; left: number; hasNul: boolean; pieces: Buffer[]; kept: number } | null = null;
  // For each blob, git prints a line that ends with its size, then its content, then a line break.
  function onOutput(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (blob !== null) {
        const piece = chunk.subarray(at, at + blob.left);
        const content = piece.subarray(0, Math.max(0, blob.left - 1));
        if (content.includes(0)) blob.hasNul = true;
        const wanted = content.subarray(0, LARGEST_READABLE - blob.kept);
        if (wanted.length > 0) blob.pieces.push(wanted);
        blob.kept += wanted.length;
        blob.left -= piece.length;
        at += piece.length;
        if (blob.left > 0) continue;
        const { size, hasNul, pieces } = blob;
        blob = null;
        onBlob(ids[answerCount - 1] ?? '', { size, hasNul, bytes: Buffer.concat(pieces) });
        continue;
      }
      const end = chunk.indexOf('\n', at);
      header += chunk.toString('latin1', at, end === -1 ? chunk.length : end);
      if (end === -1) return;
      at = end + 1;
      const size = / blob (\d+)$/.exec(header)?.[1];
      if (size === undefined) return;
      blob = { size: Number(size), left: Number(size) + 1, hasNul: false, pieces: [], kept: 0 };
      answerCount++;
      header = '';
    }
  }
  const command = ['cat-file', '--batch', '--buffer'];
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(''), 'latin1');
  await git(repo.root, command, { input, onOutput });
  if (answerCount !== ids.length || blob !== null) throw gitFailed(command, header);
}

/** The diff of one path or rename, with its record from the `--raw` list. */
export type PatchPart = DiffSection & { readonly raw: RawEntry };

/**
 * Parses the output of `--patch-with-raw -z`. Returns `null` if there are not as many patches as records in the `--raw`
 * list.
 */
export function readPatch(output: Buffer): PatchPart[] | null {
  if (output.length === 0) return [];
  const border = output.indexOf('\0\0');
  if (border === -1) return null;
  const sections = splitSections(output.subarray(border + 2));
  let nextSection = 0;
  const parts = readRawDiff(output.subarray(0, border + 1)).map((raw) => {
    // git prints a file that became a symlink as a deletion and an addition, so two patches belong to this record.
    const count = raw.status === 'T' ? 2 : 1;
    const text = sections.slice(nextSection, nextSection + count).join('');
    nextSection += count;
    return { paths: raw.paths, text, raw };
  });
  return nextSection === sections.length ? parts : null;
}

const START = 'diff --git ';

// Splits a diff into one section per file. A line of a file's content cannot look like the start of a section, because
// git puts a space, a plus or a minus before it.
function splitSections(patch: Buffer): string[] {
  const sections: string[] = [];
  for (let from = 0; from < patch.length; ) {
    const next = patch.indexOf(`\n${START}`, from);
    const end = next === -1 ? patch.length : next + 1;
    sections.push(patch.toString('utf8', from, end));
    from = end;
  }
  return sections;
}

export type Trees = { readonly from: string; readonly to: string };

/**
 * Returns the diff of two trees, one section per file, with renames detected. If `paths` is given, the diff has only
 * these files, and a rename appears as a deletion and an addition. Text is shown even if `.gitattributes` marks the
 * file as binary.
 */
export async function diffSections(
  repo: RepositoryPaths,
  trees: Trees,
  { contextLines = 3, paths }: { readonly contextLines?: number; readonly paths?: readonly RepoPath[] },
): Promise<readonly DiffSection[]> {
  const context = `--unified=${contextLines}`;
  const parts = await (paths === undefined
    ? patch(repo, trees, [context, ...RENAMES])
    : patchOf(repo, trees, [context, '--no-renames'], paths));
  return (await withTexts(repo, trees, parts, [context, '--text'])).map((section) => ({
    ...section,
    text: escapeControls(section.text),
  }));
}

const RENAMES = ['-M', '-l1000'];

// Some of these options are git's defaults. They are here so that the diff does not depend on git's version or the
// user's settings.
const DIFF_TREE = [
  'diff-tree',
  '-r',
  '-z',
  '--patch-with-raw',
  // Use a fixed length of object ids. By default git prints longer ones as the repository grows, which would change the
  // text of the same diff.
  '--abbrev=12',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-relative',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--inter-hunk-context=0',
  '--indent-heuristic',
  '--diff-algorithm=myers',
  '--submodule=short',
  '--ignore-submodules=none',
  '-O/dev/null',
];

const CONFIG = [
  ...NO_USER_PROGRAMS,
  'core.quotePath=false',
  'core.bigFileThreshold=512m',
  'diff.suppressBlankEmpty=false',
];

/** Returns the patches of two trees, one per record of the `--raw` list. */
export async function patch(
  repo: RepositoryPaths,
  trees: Trees,
  options: readonly string[],
  paths: readonly RepoPath[] = [],
): Promise<PatchPart[]> {
  const args = [...DIFF_TREE, ...options, objectId(trees.from), objectId(trees.to), '--', ...paths];
  // With the user's index, git may read an unchanged file from disk. Name an index file that does not exist, so that
  // git reads all content from the trees.
  const env = { GIT_DIFF_OPTS: '', GIT_INDEX_FILE: join(repo.commonDir, 'onceover/no-index') };
  const answer = await git(repo.root, args, { config: CONFIG, env });
  const parts = readPatch(answer.stdout);
  if (parts === null) throw gitFailed(args, 'the patch does not fit the list');
  // Leave out files whose name is not UTF-8, because they belong to no gate. The snapshot reports them separately.
  return parts.filter(({ raw }) => raw.unnameable.length === 0);
}

async function patchOf(
  repo: RepositoryPaths,
  trees: Trees,
  options: readonly string[],
  paths: readonly RepoPath[],
): Promise<PatchPart[]> {
  const patchParts: PatchPart[] = [];
  for (const chunk of inChunks([...new Set(paths)])) {
    const parts = await patch(repo, trees, options, chunk);
    // If a path is a folder in one of the trees, git also prints the files in that folder, which the caller did not
    // request.
    const requestedPaths = new Set<string>(chunk);
    patchParts.push(...parts.filter((part) => part.paths.every((path) => requestedPaths.has(path))));
  }
  return patchParts.sort((a, b) => byCodePoint(a.paths[0] ?? '', b.paths[0] ?? ''));
}

// git prints no diff of a file that `.gitattributes` marks as binary, or that contains a NUL byte near its beginning.
// Show the first as they are, and the others as far as they are readable.
async function withTexts(
  repo: RepositoryPaths,
  trees: Trees,
  parts: readonly PatchPart[],
  asText: readonly string[],
): Promise<readonly DiffSection[]> {
  const binaries = parts.filter(isWithoutText);
  if (binaries.length === 0) return parts.map(({ paths, text }) => ({ paths, text }));
  const { readableSections } = await import('./binary-diff.ts');
  const unreadable = await readableSections(repo, binaries, asText);
  const textParts = new Set(binaries.filter((part) => !unreadable.has(part)));
  const textByPaths = new Map<string, string>();
  // This second diff has only the files that git called binary, so git may see only one side of a rename. Then diff
  // again without renames, which shows a deletion and an addition.
  for (const renames of [RENAMES, ['--no-renames']]) {
    const missing = [...textParts].filter(({ paths }) => !textByPaths.has(keyOf(paths)));
    const paths = missing.flatMap((part) => part.paths);
    const again = await patchOf(repo, trees, [...asText, ...renames], paths);
    for (const { paths, text } of again) textByPaths.set(keyOf(paths), text);
  }
  return parts.map((part) => {
    const { paths, text } = part;
    if (!textParts.has(part)) return unreadable.get(part) ?? { paths, text };
    const asTwo = () => paths.map((path) => textByPaths.get(keyOf([path])) ?? text).join('');
    return { paths, text: textByPaths.get(keyOf(paths)) ?? asTwo() };
  });
}

// In a diff, a space, a plus or a minus stands before each line of a file, so such a line comes from git itself.
const WITHOUT_TEXT = /^Binary files .* differ\n/m;

/** Whether git printed no text for a part of a diff, only that the versions differ. */
function isWithoutText({ text }: PatchPart): boolean {
  return WITHOUT_TEXT.test(text);
}

/** Replaces the line with which git says that the versions differ. */
export function withoutTextReplaced({ text }: PatchPart, lines: string): string {
  return text.replace(WITHOUT_TEXT, () => lines);
}

const keyOf = (paths: readonly RepoPath[]) => paths.join('\0');

/** Returns the ids of the old and the new blob of a part; `null` where there is none. */
export function blobsOf({ raw }: PatchPart): { readonly before: string | null; readonly after: string | null } {
  return {
    before: raw.oldMode === SUBMODULE ? null : raw.oldId,
    after: raw.newMode === SUBMODULE ? null : raw.newId,
  };
}
