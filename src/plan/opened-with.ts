import { createHash } from 'node:crypto';

/** What a session is opened with and cannot change: tools, schema, and the stable part of its prompt. */
export function openedWith(tools: string, schema: object, stable: string): string {
  return createHash('sha256')
    .update(JSON.stringify([tools, schema, stable]))
    .digest('hex');
}
