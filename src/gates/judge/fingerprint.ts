import { digestOf } from '../../kernel/ids.ts';
import type { Finding } from '../types.ts';

/** The length of fingerprints, in hexadecimal digits. */
export const FINGERPRINT_LENGTH = 32;

/**
 * Returns a digest that stays the same if the line or the wording of a finding changes. It covers the gate, the file,
 * the quoted code, and which occurrence of this code is meant. If the code was not found in the file, it covers the
 * number of the reviewer and the id of the finding instead.
 */
export function findingFingerprint(finding: Finding): string {
  const { gate, slot, file, anchor, id } = finding;
  const what =
    anchor === null ? ['unanchored', String(slot), id] : ['anchored', anchor.text, String(anchor.occurrence)];
  return digestOf([gate, file ?? '', ...what]).slice(0, FINGERPRINT_LENGTH);
}
