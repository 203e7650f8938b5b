import { createHash } from 'node:crypto';
import type { Entry, GateContent } from '../domain/gate.ts';
import { byCodePoint } from '../domain/order.ts';

/** The hash over a gate's entries, in whatever order they come; each field is preceded by its length. */
export function contentOf(entries: readonly Entry[]): GateContent {
  const hash = createHash('sha256');
  for (const entry of [...entries].sort((a, b) => byCodePoint(a.path, b.path))) {
    for (const field of [entry.path, entry.mode, entry.baseBlob ?? '', entry.headBlob ?? '']) {
      hash.update(`${Buffer.byteLength(field)}:`).update(field);
    }
  }
  return hash.digest('hex') as GateContent;
}

/** Whether two entries are the same difference. */
export function isSameEntry(a: Entry | null | undefined, b: Entry | null | undefined): boolean {
  if (a === null || a === undefined || b === null || b === undefined) return false;
  return a.path === b.path && a.mode === b.mode && a.baseBlob === b.baseBlob && a.headBlob === b.headBlob;
}
