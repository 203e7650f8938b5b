import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderOf } from '@onceover/base/kernel/paths';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { errorCode } from '@onceover/base/platform/files';
import { parseJson } from '@onceover/base/platform/private-files';
import type { AnswerCache } from '../answer-cache.ts';
import type { RawEntry } from '../diff/raw-diff.ts';
import { type GitAnswer, GitError } from '../git.ts';
import { defaultSettingsFiles, mayMatch, settingsMayMatch } from '../settings-files.ts';

/** A function that runs git with a private index instead of the user's. */
export type CallGit = (args: readonly string[], input?: Buffer) => Promise<GitAnswer>;

// Git attributes that make git store other bytes than the file has on disk. `text` and `eol` are missing here, because
// they change only line endings.
const CONVERTING = ['filter', 'working-tree-encoding', 'ident'];
const CONVERTS = new RegExp(CONVERTING.join('|'));

const ATTRIBUTES = '.gitattributes';

/** Returns the paths at which git looks for `.gitattributes`: in the folder of each file, and in all folders above. */
export function attributeFiles(names: readonly string[]): readonly string[] {
  const folders = new Set(['']);
  for (const name of names) {
    for (let at = folderOf(name); !folders.has(at); at = folderOf(at)) folders.add(at);
  }
  return [...folders].map((folder) => (folder === '' ? ATTRIBUTES : `${folder}/${ATTRIBUTES}`));
}

/**
 * The paths at which git looks for `.gitattributes`. `tracked` has those that are in the index. `null` if the paths are
 * unknown.
 */
export type AttributePlaces = { readonly files: readonly string[]; readonly tracked: readonly string[] } | null;

/**
 * Returns the paths at which git looks for `.gitattributes` of these files. If a name is `null`, because it is not
 * UTF-8, the paths are unknown, and so the result is `null`.
 */
export function attributePlaces(names: readonly (string | null)[]): AttributePlaces {
  const presentNames = names.filter((name) => name !== null);
  if (presentNames.length < names.length) return null;
  return { files: attributeFiles(presentNames), tracked: presentNames.filter((name) => name.endsWith(ATTRIBUTES)) };
}

/** Whether attributes may make git store other bytes than a file has on disk. Only the answer `false` is certain. */
export function mayConvert(
  { root, commonDir, index }: Pick<RepositoryPaths, 'root' | 'commonDir' | 'index'>,
  places: AttributePlaces,
): boolean {
  if (places === null) return true;
  const trackedNames = new Set(places.tracked);
  const outside = defaultSettingsFiles(process.env);
  return (
    places.files.some((name) => mayMatch(join(root, name), CONVERTS, trackedNames.has(name))) ||
    [...outside, join(commonDir, 'info/attributes')].some(
      (path) => path.endsWith('attributes') && mayMatch(path, CONVERTS),
    ) ||
    settingsMayMatch({ gitDir: dirname(index), commonDir }, NAMES_ATTRIBUTES)
  );
}

// Matches settings that can name another file with attributes.
const NAMES_ATTRIBUTES = /attributesfile|\binclude/i;

/** Returns the bytes of a file; `null` if it does not exist. */
function bytesAt(path: Buffer): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = errorCode(error);
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(code)) return null;
    throw new GitError({ kind: 'disk', action: 'read', path: path.toString(), code });
  }
}

/**
 * A file in the index whose bytes git converts: its mode, the id of the stored object, and its name, in which each
 * character stands for one byte (latin1).
 */
type Converted = { readonly mode: string; readonly id: string; readonly name: string };

/**
 * A file in the index whose bytes on disk differ from what git stores. `shown` is a text for reviewers that contains
 * both.
 */
type HiddenFile = Pick<Converted, 'mode' | 'name'> & { readonly shown: Buffer };

/**
 * Returns the files whose bytes on disk differ from what git stores in a way that can hide an edit from reviewers.
 * `diff` lists the files whose stored text changed. A file that is not in `diff` hides no edit if a checkout would
 * write the same bytes.
 */
export async function hiddenFiles(
  root: string,
  ask: CallGit,
  cache: AnswerCache,
  diff: readonly RawEntry[],
): Promise<readonly HiddenFile[]> {
  const changedNames = new Set(diff.flatMap(({ paths, unnameable }) => [...paths.map(asLatin1), ...unnameable]));
  const cachedVerdicts = readVerdicts(cache.get('disk', ''));
  const verdicts: Record<string, string> = {};
  const files: HiddenFile[] = [];
  for (const file of await convertedFiles(ask)) {
    const { mode, name } = file;
    const path = pathOnDisk(root, name);
    const isChanged = changedNames.has(name);
    const key = `${file.id} ${isChanged} ${printAt(path)}`;
    const disk = cachedVerdicts[name] === key ? null : bytesAt(path);
    const shownBytes = disk === null ? null : await bothTexts(file, disk, ask, isChanged);
    if (shownBytes === null) verdicts[name] = key;
    else files.push({ mode, name, shown: shownBytes });
  }
  if (JSON.stringify(verdicts) !== JSON.stringify(cachedVerdicts))
    cache.put('disk', '', Buffer.from(JSON.stringify(verdicts)));
  return files;
}

/** Returns a path as a text in which each character stands for one byte (latin1), as git prints it. */
export function asLatin1(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

/**
 * Returns names as bytes for git's input, with a NUL after each name. In the given names, each character stands for one
 * byte (latin1).
 */
export function asNulList(names: readonly string[]): Buffer {
  return Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
}

/** Returns the absolute path of a file. In its given name, each character stands for one byte (latin1). */
export function pathOnDisk(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), Buffer.from(name, 'latin1')]);
}

/** Returns the plain files in the index that git converts because of an attribute. */
async function convertedFiles(ask: CallGit): Promise<readonly Converted[]> {
  const listing = await ask(['ls-files', '-z', '-s']);
  const files = new Map<string, Converted>();
  for (const line of listing.stdout.toString('latin1').split('\0')) {
    const [, mode, id, name] = /^(100\d{3}) ([0-9a-f]+) 0\t([\s\S]+)$/.exec(line) ?? [];
    if (mode !== undefined && id !== undefined && name !== undefined) files.set(name, { mode, id, name });
  }
  const answer = await ask(['check-attr', '-z', '--stdin', ...CONVERTING], asNulList([...files.keys()]));
  const fields = answer.stdout.toString('latin1').split('\0');
  const filesToConvert = new Set<Converted>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const file = files.get(fields[at] ?? '');
    const isSet = fields[at + 2] !== 'unspecified' && fields[at + 2] !== 'unset';
    if (isSet && file !== undefined) filesToConvert.add(file);
  }
  return [...filesToConvert];
}

/**
 * Returns the stored text and the bytes on disk as one text; `null` if the stored text alone is enough for reviewers.
 */
async function bothTexts(file: Converted, disk: Buffer, ask: CallGit, isChanged: boolean): Promise<Buffer | null> {
  const blob = (await ask(['cat-file', 'blob', file.id])).stdout;
  if (showsAll(blob, disk)) return null;
  if (!isChanged) {
    const path = `--path=${Buffer.from(file.name, 'latin1').toString('utf8')}`;
    if ((await ask(['cat-file', '--filters', path, file.id])).stdout.equals(disk)) return null;
  } else if (blob.includes(0)) return null;
  const note = blob.includes(0)
    ? `onceover: the file on disk is not what git stores and checks out here. SHA-256 on disk: ${sha256Of(disk)}`
    : 'onceover: git converts this file. On disk, where programs read it, it has these bytes:';
  // git would treat a text with a NUL as binary and show no diff, so replace the NULs.
  const raw = blob.includes(0) ? '' : `${disk.toString('latin1').replaceAll('\0', '\\0')}\n`;
  return Buffer.concat([blob, Buffer.from(`\n${note}\n`), Buffer.from(raw, isUtf8(disk) ? 'latin1' : 'utf8')]);
}

// Whether the bytes are valid UTF-8. If they are not, the caller shows each byte as one character.
function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);
}

// Matches the text that git itself writes into a file with the attribute `ident` at checkout. It is not an edit by the
// user.
const WRITTEN_BY_GIT = /\$Id: (?:[0-9a-f]{40}|[0-9a-f]{64}) \$/g;

/** Whether a reviewer who sees the stored text also knows the bytes on disk. */
function showsAll(blob: Buffer, disk: Buffer): boolean {
  const text = disk.toString('latin1');
  const plain = blob.toString('latin1').replaceAll('\r\n', '\n');
  const withoutIds = text.replace(WRITTEN_BY_GIT, '$$Id$$').replaceAll('\r\n', '\n');
  if (withoutIds === plain) return true;
  // This is UTF-16 of plain English text: every second byte is a NUL, and the other bytes are equal to the stored text.
  if (
    text
      .replace(/^(?:\xff\xfe|\xfe\xff)/, '')
      .replaceAll('\0', '')
      .replaceAll('\r\n', '\n') === plain
  )
    return true;
  // A Git LFS pointer contains only the hash of the real file. That is enough for a binary file, because reviewers get
  // no diff of it anyway.
  const [, oid] = /^version https:\/\/git-lfs\S*\noid sha256:([0-9a-f]{64})\nsize \d+\n$/.exec(plain) ?? [];
  return oid !== undefined && disk.includes(0) && sha256Of(disk) === oid;
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const SETTLED_MS = 2000;

// Returns a fingerprint of a file. If the file was written just now, another write may leave the same times, so the
// fingerprint is random and matches no other.
function printAt(path: Buffer): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  const isYoung = Date.now() - stats.ctimeMs < SETTLED_MS;
  return `${stats.ino} ${stats.size} ${stats.mtimeMs} ${isYoung ? `young ${Math.random()}` : stats.ctimeMs}`;
}

function readVerdicts(cachedBytes: Buffer | null): Readonly<Record<string, string>> {
  const value = cachedBytes === null ? null : parseJson(cachedBytes.toString('utf8'));
  return value !== null && typeof value === 'object' ? (value as Record<string, string>) : {};
}
