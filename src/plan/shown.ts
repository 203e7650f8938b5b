import { sha256 } from '../domain/digest.ts';
import type { Entry } from '../domain/gate.ts';

/** What of a change a session was shown: for each entry a short hash of its path and one of what it was compared with. */
export function shownEntries(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) => `${short(entry.path)}${short(baseOf(entry))}`);
}

/**
 * Whether a session that was shown some entries, and is told what changed in the tree since, knows the whole change: each
 * entry was shown against the same base, or is new to the tree as well.
 */
export function knowsAll(shown: readonly string[], entries: readonly Entry[], changed: ReadonlySet<string>): boolean {
  const bases = new Map(shown.map((one) => [one.slice(0, LENGTH), one.slice(LENGTH)]));
  return entries.every((entry) => {
    const base = bases.get(short(entry.path));
    return base === undefined ? changed.has(entry.path) : base === short(baseOf(entry));
  });
}

function baseOf({ mode, baseMode, baseBlob }: Entry): string {
  return baseBlob === null ? '' : `${baseMode ?? mode} ${baseBlob}`;
}

const LENGTH = 8;

function short(text: string): string {
  return sha256(text).slice(0, LENGTH);
}
