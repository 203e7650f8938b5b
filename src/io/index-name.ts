import { createHash } from 'node:crypto';

/** What the names of a working tree's kept indexes begin with. */
export function indexName(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 32);
}
