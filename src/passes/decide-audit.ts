import { createHmac } from 'node:crypto';
import type { PassSubject } from './types.ts';

const DRAWN_BYTES = 6;

/**
 * Whether an accepted pass is reviewed again. The answer depends on the pass and on the verifier's secret, so that no one
 * who gives a pass can know or choose it. Without a secret, every pass is drawn.
 */
export function isDrawn(secret: Uint8Array | null, subject: PassSubject, share: number): boolean {
  // A share that is not a number is a mistake, and must not switch the audit off.
  if (share <= 0) return false;
  if (secret === null || !(share < 1)) return true;
  return fractionOf(secret, subject) < share;
}

/** Returns a number from 0 to 1 (excluded) that looks random to everyone without the secret. */
function fractionOf(secret: Uint8Array, { content, gate, slot, promptDigest }: PassSubject): number {
  const text = JSON.stringify([content, gate, slot, promptDigest]);
  const mac = createHmac('sha256', secret).update(text).digest();
  return mac.readUIntBE(0, DRAWN_BYTES) / 256 ** DRAWN_BYTES;
}
