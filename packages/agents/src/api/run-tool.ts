import { closeFence, quoteName } from '@onceover/base/kernel/escape';
import { compileGlob, globMatches } from '@onceover/base/kernel/glob';
import { repoPath } from '@onceover/base/kernel/paths';
import { SUBMODULE, SYMLINK } from '@onceover/base/kernel/repository';
import { compilePattern } from './search-pattern.ts';
import type { ListedFile, ToolCall, ToolResult, TreeReader, WireObject } from './types.ts';

/** The result of a tool call, and the path of the file that it opened; `null` if it opened none. */
export type RanTool = { readonly result: ToolResult; readonly opened: string | null };

/** The limits of one tool call. A result that is cut off ends with a sentence that says how to get the rest. */
export const TOOL_LIMITS = {
  lines: 2000,
  characters: 60_000,
  /** The maximum number of characters of a line that are shown. */
  lineCharacters: 2000,
  fileBytes: 4 * 1024 * 1024,
  matches: 200,
  names: 500,
  /** The maximum number of bytes that one search may read. */
  searchBytes: 64 * 1024 * 1024,
  searchMs: 5000,
} as const;

/**
 * Runs a tool call on the git trees under review. Never throws: for an invalid call, the model gets a sentence that
 * explains the problem.
 */
export async function runTool(files: TreeReader, call: ToolCall, now: () => number = Date.now): Promise<RanTool> {
  const { id, name, input } = call;
  const end = input === null ? toolFailure('The arguments are not a JSON object.') : await run(files, name, input, now);
  return { result: { id, text: end.text, failed: end.failed }, opened: end.opened ?? null };
}

type Ended = { readonly text: string; readonly failed: boolean; readonly opened?: string };

function toolFailure(text: string): Ended {
  return { text, failed: true };
}

async function run(files: TreeReader, name: string, input: WireObject, now: () => number): Promise<Ended> {
  switch (name) {
    case 'read':
      return readFile(files, 'head', input);
    case 'show_base':
      return readFile(files, 'base', input);
    case 'diff':
      return showDiff(files, input);
    case 'glob':
      return listFiles(files, input);
    case 'grep':
      return search(files, input, now);
    default:
      return toolFailure(
        `There is no tool ${quoteName(name.slice(0, 100))}. The tools: read, grep, glob, diff, show_base.`,
      );
  }
}

/** Returns the file that a path names, or a sentence that explains why there is no such file. */
async function findEntry(
  files: TreeReader,
  side: 'head' | 'base',
  requestedPath: unknown,
): Promise<ListedFile | Ended> {
  if (typeof requestedPath !== 'string' || requestedPath === '') return toolFailure('"path" is missing.');
  const path = repoPath(requestedPath);
  if (path === null || path === '' || requestedPath.split('/').includes('..')) {
    return toolFailure('"path" must be a path from the root of the repository, without "..".');
  }
  const listing = await files.list(side);
  if (!listing.ok) return toolFailure('git could not list the files.');
  const where = side === 'head' ? 'after the change' : 'on the base branch';
  const file = listing.value.find((entry) => entry.path === path);
  if (file === undefined) {
    const isFolder = listing.value.some((entry) => entry.path.startsWith(`${path}/`));
    if (isFolder) return toolFailure(`${quoteName(path)} is a folder. List it with glob: "${path}/**".`);
    return toolFailure(`There is no file ${quoteName(path)} ${where}.`);
  }
  if (file.mode === SUBMODULE)
    return toolFailure(`${quoteName(path)} is a submodule at ${file.id}. Its files are not here.`);
  return file;
}

async function readFile(files: TreeReader, side: 'head' | 'base', input: WireObject): Promise<Ended> {
  const entry = await findEntry(files, side, input['path']);
  if ('failed' in entry) return entry;
  const name = quoteName(entry.path);
  if (entry.bytes > TOOL_LIMITS.fileBytes) return toolFailure(`${name} is too large to read: ${entry.bytes} bytes.`);
  const blobs = await files.blobs([entry.id]);
  const [bytes] = blobs.ok ? blobs.value : [];
  if (bytes === undefined) return toolFailure(`git could not read ${name}.`);
  if (entry.mode === SYMLINK) {
    return { text: `${name} is a symlink to ${quoteName(bytes.toString('utf8').slice(0, 500))}.`, failed: false };
  }
  if (bytes.includes(0)) return toolFailure(`${name} is binary (${entry.bytes} bytes).`);
  return { text: numberLines(bytes.toString('utf8'), input), failed: false, opened: entry.path };
}

/** Returns a part of a file with line numbers. If more lines follow, the last line says how to continue. */
function numberLines(text: string, input: WireObject): string {
  if (text === '') return '(The file is empty.)';
  const lines = text.replace(/\n$/, '').split('\n');
  const from = ordinal(input['from'], 1);
  const lineLimit = Math.min(ordinal(input['lines'], TOOL_LIMITS.lines), TOOL_LIMITS.lines);
  if (from > lines.length) return `(The file has only ${lines.length} lines.)`;
  const shownLines: string[] = [];
  let length = 0;
  for (let at = from; at <= lines.length && shownLines.length < lineLimit; at++) {
    const line = `${at}\t${shortLine(lines[at - 1] ?? '')}`;
    if (length + line.length > TOOL_LIMITS.characters) break;
    length += line.length + 1;
    shownLines.push(line);
  }
  const next = from + shownLines.length;
  const continuation =
    next > lines.length ? [] : [`(${lines.length - next + 1} more lines: read again with "from": ${next}.)`];
  return [...shownLines, ...continuation].join('\n');
}

function shortLine(line: string): string {
  const { lineCharacters } = TOOL_LIMITS;
  return line.length > lineCharacters ? `${line.slice(0, lineCharacters)}… (${line.length} characters)` : line;
}

function ordinal(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : otherwise;
}

function skipCount(value: unknown): number {
  return ordinal(value, 0);
}

const MOST_CONTEXT = 200;

async function showDiff(files: TreeReader, input: WireObject): Promise<Ended> {
  const after = await findEntry(files, 'head', input['path']);
  const entry = 'failed' in after ? await findEntry(files, 'base', input['path']) : after;
  if ('failed' in entry) return 'failed' in after ? after : entry;
  if (entry.bytes > TOOL_LIMITS.fileBytes) return toolFailure(`${quoteName(entry.path)} is too large to compare.`);
  const context = Math.min(ordinal(input['context'], 10), MOST_CONTEXT);
  const diff = await files.diff(entry.path, context);
  if (!diff.ok) return toolFailure(`git could not compare ${quoteName(entry.path)}.`);
  if (diff.value === '') return { text: `${quoteName(entry.path)} is not changed.`, failed: false };
  const { characters } = TOOL_LIMITS;
  const text =
    diff.value.length > characters
      ? `${diff.value.slice(0, characters)}\n(The difference is longer. Read the file instead.)`
      : diff.value;
  return { text: closeFence(text), failed: false };
}

async function listFiles(files: TreeReader, input: WireObject): Promise<Ended> {
  const glob = typeof input['glob'] === 'string' ? compileGlob(input['glob'], '') : null;
  if (glob === null) return toolFailure('"glob" is missing.');
  if (!glob.ok) return toolFailure(`The glob ${glob.said}.`);
  const listing = await files.list('head');
  if (!listing.ok) return toolFailure('git could not list the files.');
  const matches = listing.value.filter(({ path }) => globMatches(glob.glob, path));
  if (matches.length === 0) return { text: '(No file matches.)', failed: false };
  const skip = skipCount(input['skip']);
  const names = matches.slice(skip, skip + TOOL_LIMITS.names).map(({ path }) => quoteName(path));
  const omittedCount = matches.length - skip - names.length;
  const continuation =
    omittedCount > 0 ? [`(${omittedCount} more files: list again with "skip": ${skip + names.length}.)`] : [];
  return { text: [...names, ...continuation].join('\n'), failed: false };
}

const BATCH_BYTES = 4 * 1024 * 1024;

async function search(files: TreeReader, input: WireObject, now: () => number): Promise<Ended> {
  if (typeof input['pattern'] !== 'string') return toolFailure('"pattern" is missing.');
  const compilation = compilePattern(input['pattern'], input['ignore_case'] === true);
  if (!compilation.ok) return toolFailure(`The pattern cannot be used: ${compilation.said}.`);
  const glob = typeof input['glob'] === 'string' && input['glob'] !== '' ? compileGlob(input['glob'], '') : null;
  if (glob?.ok === false) return toolFailure(`The glob ${glob.said}.`);
  const listing = await files.list('head');
  if (!listing.ok) return toolFailure('git could not list the files.');
  const isPlain = ({ mode, bytes }: ListedFile) =>
    mode !== SUBMODULE && mode !== SYMLINK && bytes <= TOOL_LIMITS.fileBytes;
  const searchedFiles = listing.value.filter(
    (entry) => isPlain(entry) && (glob === null || globMatches(glob.glob, entry.path)),
  );
  const until = now() + TOOL_LIMITS.searchMs;
  const isExpired = () => now() > until;
  const skip = skipCount(input['skip']);
  const shownLines: string[] = [];
  let [matchCount, length, readBytes] = [0, 0, 0];
  const endWith = (why: string) => [...shownLines, why].join('\n');
  for (const batch of batches(searchedFiles)) {
    readBytes += batch.reduce((sum, { bytes }) => sum + bytes, 0);
    if (readBytes > TOOL_LIMITS.searchBytes) {
      return toolFailure(endWith('(The search stopped: the files are too many. Give a narrower "glob".)'));
    }
    const blobs = await files.blobs(batch.map(({ id }) => id));
    if (!blobs.ok) return toolFailure('git could not read the files.');
    for (const [at, { path }] of batch.entries()) {
      const bytes = blobs.value[at];
      if (bytes === undefined || bytes.includes(0)) continue;
      for (const [n, line] of bytes.toString('utf8').split('\n').entries()) {
        const isMatch = n % 1000 === 999 && isExpired() ? null : compilation.pattern.matches(line, isExpired);
        if (isMatch === null)
          return toolFailure(endWith('(The search took too long. Give a narrower "glob" or pattern.)'));
        if (!isMatch || ++matchCount <= skip) continue;
        const text = `${quoteName(path)}:${n + 1}: ${shortLine(line.replace(/\r$/, '')).slice(0, 300)}`;
        if (shownLines.length >= TOOL_LIMITS.matches || length + text.length > TOOL_LIMITS.characters) {
          return { text: endWith(`(More lines match: search again with "skip": ${matchCount - 1}.)`), failed: false };
        }
        length += text.length + 1;
        shownLines.push(text);
      }
    }
  }
  return { text: shownLines.length === 0 ? '(No line matches.)' : shownLines.join('\n'), failed: false };
}

/** Splits the files into groups that are small enough to read into memory. */
function* batches(entries: readonly ListedFile[]): Generator<readonly ListedFile[]> {
  let batch: ListedFile[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (batch.length > 0 && bytes + entry.bytes > BATCH_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(entry);
    bytes += entry.bytes;
  }
  if (batch.length > 0) yield batch;
}
