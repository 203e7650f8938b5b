import { createHash } from 'node:crypto';

/** The SHA-256 of a text, in hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The same of plain data, as JSON writes it: the order of keys counts. */
export function digestOf(value: unknown): string {
  return sha256(JSON.stringify(value));
}
