import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../platform/files.ts';
import { parseJson } from '../platform/private-files.ts';
import type { AnswerCache } from './answer-cache.ts';
import { indexVersion } from './fingerprints.ts';
import { type GitAnswer, GitError } from './git.ts';

/** Runs git with the private index. */
type Ask = (args: readonly string[], input?: Buffer) => Promise<GitAnswer>;

// Attributes with which git stores other bytes than the file has on disk. `text` and `eol` change line endings only.
const CONVERTING = ['filter', 'working-tree-encoding', 'ident'];

/**
 * Whether attributes may make git store other bytes than a file has on disk; `false` is certain. `untracked` lists
 * files that are not in the index.
 */
export function mayConvert(
  { root, commonDir }: { readonly root: string; readonly commonDir: string },
  index: Buffer,
  untracked: readonly string[] = [],
): boolean {
  const own = untracked.filter((name) => name === ATTRIBUTES || name.endsWith(`/${ATTRIBUTES}`));
  const tracked = trackedAttributes(index);
  if (tracked === null) return true;
  const files = [...own, ...tracked].map((name) => join(root, name));
  const hides = (path: string) => CONVERTING.some((word) => bytesAt(path)?.includes(word) === true);
  // A setting can name another file with attributes.
  const isElsewhere = /attr|include/i.test(bytesAt(join(commonDir, 'config'))?.toString('latin1') ?? '');
  return isElsewhere || [...new Set([join(commonDir, 'info/attributes'), ...files])].some(hides);
}

const ATTRIBUTES = '.gitattributes';

/** Returns the `.gitattributes` files in an index; `null` if the index may compress their names. */
function trackedAttributes(index: Buffer): readonly string[] | null {
  if (!index.includes(ATTRIBUTES)) return indexVersion(index) >= 4 ? null : [];
  if (indexVersion(index) >= 4) return null;
  const names: string[] = [];
  for (let at = index.indexOf(ATTRIBUTES); at !== -1; at = index.indexOf(ATTRIBUTES, at + 1)) {
    const end = at + ATTRIBUTES.length;
    // The length of a name is in the two bytes before it.
    let start = at;
    while (start > at - LONGEST_NAME && (index.readUInt16BE(start - 2) & 0xfff) !== end - start) start--;
    if (start > at - LONGEST_NAME) names.push(index.toString('utf8', start, end));
  }
  return names;
}

const LONGEST_NAME = 4000;

function bytesAt(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = errorCode(error);
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(code)) return null;
    throw new GitError({ kind: 'disk', action: 'read', path, code });
  }
}

/** A file in the index whose bytes git converts: its mode, the stored object and its name with one character per byte. */
type Converted = { readonly mode: string; readonly id: string; readonly name: string };

/**
 * Returns index entries for files whose bytes on disk differ from what git stores, unless the difference hides nothing.
 * Such an entry has both: the stored text and the bytes on disk. `isChanged` says whether the stored text is part of
 * the change. If it is not, bytes that a checkout writes by itself are no difference.
 */
export async function hiddenEntries(
  root: string,
  ask: Ask,
  cache: AnswerCache,
  isChanged: (name: string) => boolean,
): Promise<Buffer> {
  const known = readVerdicts(cache.get('disk', ''));
  const verdicts: Record<string, string> = {};
  const entries: string[] = [];
  for (const file of await convertedFiles(ask)) {
    const path = join(root, Buffer.from(file.name, 'latin1').toString('utf8'));
    const key = `${file.id} ${isChanged(file.name)} ${printAt(path)}`;
    if (known[file.name] === key) {
      verdicts[file.name] = key;
      continue;
    }
    const disk = bytesAt(path);
    const shown = disk === null ? null : await bothTexts(file, disk, ask, isChanged(file.name));
    if (shown === null) {
      verdicts[file.name] = key;
      continue;
    }
    const stored = await ask(['hash-object', '-w', '--no-filters', '--stdin'], shown);
    entries.push(`${file.mode} ${stored.stdout.toString('utf8').trim()} 0\t${file.name}\0`);
  }
  if (JSON.stringify(verdicts) !== JSON.stringify(known)) cache.put('disk', '', Buffer.from(JSON.stringify(verdicts)));
  return Buffer.from(entries.join(''), 'latin1');
}

/** Returns the plain files in the index to which a converting attribute applies. */
async function convertedFiles(ask: Ask): Promise<readonly Converted[]> {
  const listed = await ask(['ls-files', '-z', '-s']);
  const files = new Map<string, Converted>();
  for (const line of listed.stdout.toString('latin1').split('\0')) {
    const [, mode, id, name] = /^(100\d{3}) ([0-9a-f]+) 0\t([\s\S]+)$/.exec(line) ?? [];
    if (mode !== undefined && id !== undefined && name !== undefined) files.set(name, { mode, id, name });
  }
  const names = Buffer.from([...files.keys()].map((name) => `${name}\0`).join(''), 'latin1');
  const answer = await ask(['check-attr', '-z', '--stdin', ...CONVERTING], names);
  const fields = answer.stdout.toString('latin1').split('\0');
  const found = new Set<Converted>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const file = files.get(fields[at] ?? '');
    const isSet = fields[at + 2] !== 'unspecified' && fields[at + 2] !== 'unset';
    if (isSet && file !== undefined) found.add(file);
  }
  return [...found];
}

/** Returns the stored text and the bytes on disk as one text; `null` if the stored text alone shows everything. */
async function bothTexts(file: Converted, disk: Buffer, ask: Ask, isChanged: boolean): Promise<Buffer | null> {
  const stored = (await ask(['cat-file', 'blob', file.id])).stdout;
  if (showsAll(stored, disk)) return null;
  if (!isChanged) {
    const path = `--path=${Buffer.from(file.name, 'latin1').toString('utf8')}`;
    if ((await ask(['cat-file', '--filters', path, file.id])).stdout.equals(disk)) return null;
  } else if (stored.includes(0)) return null;
  const note = stored.includes(0)
    ? `onceover: the file on disk is not what git stores and checks out here. SHA-256 on disk: ${sha256Of(disk)}`
    : 'onceover: git converts this file. On disk, where programs read it, it has these bytes:';
  // A NUL would make git show nothing of the text.
  const raw = stored.includes(0) ? '' : `${disk.toString('latin1').replaceAll('\0', '\\0')}\n`;
  return Buffer.concat([stored, Buffer.from(`\n${note}\n`), Buffer.from(raw, isUtf8(disk) ? 'latin1' : 'utf8')]);
}

// Bytes that are not UTF-8 are shown with one character per byte.
function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);
}

// The text that git itself writes when it checks out a file with the attribute `ident`. It is not an edit by the user.
const WRITTEN_BY_GIT = /\$Id: (?:[0-9a-f]{40}|[0-9a-f]{64}) \$/g;

/** Whether a reviewer who sees the stored text also knows the bytes on disk. */
function showsAll(stored: Buffer, disk: Buffer): boolean {
  const text = disk.toString('latin1');
  const plain = stored.toString('latin1').replaceAll('\r\n', '\n');
  const withoutIds = text.replace(WRITTEN_BY_GIT, '$$Id$$').replaceAll('\r\n', '\n');
  if (withoutIds === plain) return true;
  // UTF-16 of plain English text: every other byte is a NUL, and the rest is the stored text.
  if (
    text
      .replace(/^(?:\xff\xfe|\xfe\xff)/, '')
      .replaceAll('\0', '')
      .replaceAll('\r\n', '\n') === plain
  )
    return true;
  // The pointer of Git LFS names the content by its hash. Reviewers see nothing of a binary file anyway.
  const [, oid] = /^version https:\/\/git-lfs\S*\noid sha256:([0-9a-f]{64})\nsize \d+\n$/.exec(plain) ?? [];
  return oid !== undefined && disk.includes(0) && sha256Of(disk) === oid;
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const SETTLED_MS = 2000;

// A file that was just written may be written again with the same times, so its verdict must not be reused.
function printAt(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  const isYoung = Date.now() - stats.ctimeMs < SETTLED_MS;
  return `${stats.ino} ${stats.size} ${stats.mtimeMs} ${isYoung ? `young ${Math.random()}` : stats.ctimeMs}`;
}

function readVerdicts(saved: Buffer | null): Readonly<Record<string, string>> {
  const value = saved === null ? null : parseJson(saved.toString('utf8'));
  return value !== null && typeof value === 'object' ? (value as Record<string, string>) : {};
}
