import { createHash } from 'node:crypto';
import type { Entry, GateContent } from '../domain/gate.ts';
import { byCodePoint } from '../domain/order.ts';

/** The hash over a gate's entries, in whatever order they come; each field is preceded by its length. */
export function contentOf(entries: readonly Entry[]): GateContent {
  const hash = createHash('sha256');
  for (const entry of [...entries].sort((a, b) => byCodePoint(a.path, b.path))) {
    const { mode, baseMode } = entry;
    const modes = baseMode === undefined ? mode : `${baseMode} ${mode}`;
    for (const field of [entry.path, modes, entry.baseBlob ?? '', entry.headBlob ?? '']) {
      hash.update(`${Buffer.byteLength(field)}:`).update(field);
    }
  }
  return hash.digest('hex') as GateContent;
}

/** Whether two entries are the same difference. */
export function isSameEntry(a: Entry | null | undefined, b: Entry | null | undefined): boolean {
  if (a === null || a === undefined || b === null || b === undefined) return false;
  const isSameMode = a.mode === b.mode && a.baseMode === b.baseMode;
  return a.path === b.path && isSameMode && a.baseBlob === b.baseBlob && a.headBlob === b.headBlob;
}
