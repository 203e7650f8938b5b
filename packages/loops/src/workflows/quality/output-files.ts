import { constants as bufferConstants } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorCode } from '@onceover/base/platform/files';
import { decodeUtf8 } from '@onceover/base/platform/private-files';

// Node.js cannot decode a larger file into one string.
const LONGEST_TEXT = bufferConstants.MAX_STRING_LENGTH;

const MOST_LINKS = 40;

export type OutputContent =
  | { readonly kind: 'text'; readonly text: string }
  /** The content is not UTF-8. `path` is absolute. */
  | { readonly kind: 'binary'; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly error: string }
  | { readonly kind: 'outside' };

/**
 * Returns an object that reads files below an existing root. It never reads files outside the root or in a git folder.
 */
export async function openOutputFiles(projectRoot: string) {
  const root = resolve(projectRoot);
  const realRoot = await realpath(root);
  return {
    /** Whether the path leads out of the root after all links are followed. Does not open the file. */
    async isOutside(path: string): Promise<boolean> {
      return (await locate(root, realRoot, path)).kind === 'outside';
    },
    async read(path: string): Promise<OutputContent> {
      const location = await locate(root, realRoot, path);
      return location.kind === 'found' ? readWhole(location.real, resolve(root, path)) : location;
    },
  };
}

type Location =
  | { readonly kind: 'found'; readonly real: string }
  | Extract<OutputContent, { kind: 'missing' | 'unreadable' | 'outside' }>;

/**
 * Finds the real path of a file inside the root. A relative path must stay inside the root even before links are
 * followed.
 */
async function locate(root: string, realRoot: string, path: string): Promise<Location> {
  const literalPath = resolve(root, path);
  const staysInside = isAbsolute(path) || isBelow(root, literalPath);
  if (path === '' || path.includes('\0') || !staysInside) return { kind: 'outside' };
  try {
    const real = await realpath(isAbsolute(path) ? path : `${root}${sep}${path}`);
    return isBelow(realRoot, real) ? { kind: 'found', real } : { kind: 'outside' };
  } catch (error) {
    if (!isMissing(error)) return unreadable(error);
    const target = await missingTarget(literalPath);
    return target === null || isBelow(realRoot, target) ? { kind: 'missing' } : { kind: 'outside' };
  }
}

/** Returns the path at which a missing file would be, after following links; `null` if there are too many links. */
async function missingTarget(path: string, links = 0): Promise<string | null> {
  if (links > MOST_LINKS) return null;
  const target = await readlink(path).catch(() => null);
  if (target !== null) {
    const folder = await missingTarget(dirname(path), links + 1);
    return folder === null ? null : missingTarget(resolve(folder, target), links + 1);
  }
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(path) === path ? path : await missingTarget(dirname(path), links);
    return folder === null ? null : join(folder, basename(path));
  }
}

// Whether a path is inside the root. A git folder may contain credentials, so its files count as outside.
function isBelow(root: string, path: string): boolean {
  const parts = relative(root, path).split(sep);
  return parts[0] !== '..' && !isAbsolute(relative(root, path)) && !parts.includes('.git');
}

async function readWhole(real: string, requestedPath: string): Promise<OutputContent> {
  let file: FileHandle | null = null;
  try {
    // Without O_NONBLOCK, opening a named pipe (FIFO) would hang.
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (stats.isDirectory()) return { kind: 'unreadable', error: 'it is a folder' };
    if (!stats.isFile()) return { kind: 'unreadable', error: 'it is not a regular file' };
    if (stats.size > LONGEST_TEXT) {
      return {
        kind: 'unreadable',
        error: `its ${stats.size} bytes do not fit into one text. Read from: ${requestedPath}`,
      };
    }
    const content = decodeUtf8(await file.readFile(), { keepsMark: true });
    return content === null ? { kind: 'binary', path: requestedPath } : { kind: 'text', text: content.text };
  } catch (error) {
    return isMissing(error) ? { kind: 'missing' } : unreadable(error);
  } finally {
    await file?.close();
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error));
}

function unreadable(error: unknown): Extract<OutputContent, { kind: 'unreadable' }> {
  return { kind: 'unreadable', error: error instanceof Error ? error.message : String(error) };
}
