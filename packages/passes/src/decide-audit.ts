import { createHmac } from 'node:crypto';
import { subjectDigest } from '@onceover/base/kernel/review-subject';
import type { PassSubject } from './types.ts';

const DRAWN_BYTES = 6;

/**
 * Whether an accepted pass is drawn for an audit, which means that it is reviewed again. `share` is the share of passes
 * to draw. The draw depends on the review subject and on a secret of the verifier. So the signer of a pass cannot
 * predict it, and neither another run nor a change outside the subject draws again.
 * Without a secret, every pass is drawn.
 */
export function isDrawn(secret: Uint8Array | null, subject: PassSubject, share: number): boolean {
  // A share that is not a number is a configuration mistake. A mistake must not switch the audit off.
  if (share <= 0) return false;
  if (secret === null || !(share < 1)) return true;
  return fractionOf(secret, subject) < share;
}

/** Returns a number from 0 up to but not including 1, which looks random to everyone who does not know the secret. */
function fractionOf(secret: Uint8Array, subject: PassSubject): number {
  const text = JSON.stringify([subjectDigest(subject), subject.slot]);
  const mac = createHmac('sha256', secret).update(text).digest();
  return mac.readUIntBE(0, DRAWN_BYTES) / 256 ** DRAWN_BYTES;
}
