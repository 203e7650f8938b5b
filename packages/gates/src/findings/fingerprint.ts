import { digestOf } from '@onceover/base/kernel/ids';
import type { Finding } from './types.ts';

/** The length of fingerprints, in hexadecimal digits. */
export const FINGERPRINT_LENGTH = 32;

/**
 * Returns a digest of a finding that stays the same if its line number or wording changes. It covers the gate, the
 * file, the quoted code and, if the file has this code several times, which occurrence. If the file does not contain
 * the code, it covers the reviewer's number and the finding's id instead.
 */
export function findingFingerprint(finding: Finding): string {
  const { gate, slot, file, anchor, id } = finding;
  const identity =
    anchor === null ? ['unanchored', String(slot), id] : ['anchored', anchor.text, String(anchor.occurrence)];
  return digestOf([gate, file ?? '', ...identity]).slice(0, FINGERPRINT_LENGTH);
}
