import { sha256 } from '../domain/digest.ts';
import type { Entry } from '../domain/gate.ts';

/** What a file is, in a form that differs when the file does; null where nothing is known of it. */
export function seenAs(entry: Entry | undefined, text: string | null): string | null {
  if (text !== null) return `text ${sha256(text)}`;
  return entry === undefined ? null : `blob ${entry.headBlob ?? 'deleted'}`;
}
