import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Contents } from '@onceover/base/kernel/repository';
import { MISSING } from '@onceover/base/kernel/repository';

/** A working tree of plain files by path; their folders exist too. */
export function memoryContents(files: Readonly<Record<string, string | Uint8Array>>): Contents {
  const tree = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
  const isFolder = (path: string) => [...tree.keys()].some((one) => one.startsWith(`${path}/`));
  return {
    async digest(paths) {
      const bytes = paths.map((path) => tree.get(path) ?? null);
      return {
        hash: sha256(Buffer.concat(bytes.map((one) => one ?? Buffer.from(MISSING)))),
        files: paths.map((path, n) => ({ path, sha256: digestOf(bytes[n]), link: null })),
      };
    },
    async text(path, limit) {
      const bytes = tree.get(path);
      if (bytes === undefined) return { kind: 'unusable', why: isFolder(path) ? 'not-a-file' : 'missing' };
      const cut = bytes.length > limit;
      const shown = bytes.subarray(0, cut ? characterEnd(bytes, limit) : bytes.length);
      if (shown.includes(0)) return { kind: 'unusable', why: 'binary' };
      if (!isUtf8(shown)) return { kind: 'unusable', why: 'not-utf8' };
      return { kind: 'text', text: shown.toString('utf8'), bytes: shown.length, cut };
    },
    async exists(path) {
      return tree.has(path) ? 'file' : isFolder(path) ? 'folder' : 'missing';
    },
  };
}

function digestOf(bytes: Buffer | null | undefined): string | null {
  return bytes ? sha256(bytes) : null;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

// In UTF-8, a byte 10xxxxxx continues the character before it.
function characterEnd(bytes: Buffer, limit: number): number {
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}
