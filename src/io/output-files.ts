import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { OutputContent, OutputFiles } from '../domain/quality.ts';
import { codeOf } from './files.ts';
import { decodeUtf8 } from './utf8.ts';

/** More than this is read by no reviewer at once. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const MOST_LINKS = 40;

/** The outputs below a project's root, which must be there; nothing outside of it, and nothing of git's own, is ever opened. */
export async function openOutputFiles(projectRoot: string): Promise<OutputFiles> {
  const root = resolve(projectRoot);
  const realRoot = await realpath(root);
  const spot = (path: string) => findSpot({ root, realRoot }, path);
  return {
    async find(path) {
      return (await spot(path)).kind === 'outside' ? 'outside' : 'inside';
    },
    async read(path) {
      const found = await spot(path);
      return found.kind === 'there' ? readWhole(found.real, resolve(root, path)) : found;
    },
  };
}

type Roots = { readonly root: string; readonly realRoot: string };

type Spot =
  | { readonly kind: 'there'; readonly real: string }
  | Extract<OutputContent, { kind: 'missing' | 'unreadable' | 'outside' }>;

/** Where a path leads. It must stay inside both as it is written and as the system follows it. */
async function findSpot({ root, realRoot }: Roots, path: string): Promise<Spot> {
  const written = resolve(root, path);
  const staysInside = isAbsolute(path) || isBelow(root, written);
  if (path === '' || path.includes('\0') || !staysInside) return { kind: 'outside' };
  try {
    const real = await realpath(isAbsolute(path) ? path : `${root}${sep}${path}`);
    return isBelow(realRoot, real) ? { kind: 'there', real } : { kind: 'outside' };
  } catch (error) {
    if (!isMissing(error)) return unreadable(error);
    const nowhere = await wouldBe(written);
    return nowhere === null || isBelow(realRoot, nowhere) ? { kind: 'missing' } : { kind: 'outside' };
  }
}

/** Where a path that leads to nothing would be, its folders and dangling links followed; null: that cannot be told. */
async function wouldBe(path: string, links = 0): Promise<string | null> {
  if (links > MOST_LINKS) return null;
  const target = await readlink(path).catch(() => null);
  if (target !== null) {
    const folder = await wouldBe(dirname(path), links + 1);
    return folder === null ? null : wouldBe(resolve(folder, target), links + 1);
  }
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(path) === path ? path : await wouldBe(dirname(path), links);
    return folder === null ? null : join(folder, basename(path));
  }
}

// What git keeps for itself is no part of the project: it may hold credentials.
function isBelow(root: string, path: string): boolean {
  const parts = relative(root, path).split(sep);
  return parts[0] !== '..' && !isAbsolute(relative(root, path)) && !parts.includes('.git');
}

async function readWhole(real: string, named: string): Promise<OutputContent> {
  let file: FileHandle | null = null;
  try {
    // Not blocking, so that a FIFO in a file's place cannot hold us.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (stats.isDirectory()) return { kind: 'unreadable', error: 'it is a folder' };
    if (!stats.isFile()) return { kind: 'unreadable', error: 'it is not a plain file' };
    const bytes = await readUpTo(file, LARGEST_BYTES + 1);
    const isCut = bytes.length > LARGEST_BYTES;
    const decoded = decodeUtf8(bytes, { isCut, keepsMark: true });
    if (decoded === null) return { kind: 'binary', path: named };
    return isCut ? { kind: 'unreadable', error: tooLarge(stats.size, named) } : { kind: 'text', text: decoded.text };
  } catch (error) {
    return isMissing(error) ? { kind: 'missing' } : unreadable(error);
  } finally {
    await file?.close();
  }
}

async function readUpTo(file: FileHandle, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < most) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, most - length));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks);
}

function tooLarge(size: number, path: string): string {
  return `it has ${size} bytes, and only files of up to ${LARGEST_BYTES} are included. Read from: ${path}`;
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

function unreadable(error: unknown): Extract<OutputContent, { kind: 'unreadable' }> {
  return { kind: 'unreadable', error: error instanceof Error ? error.message : String(error) };
}
