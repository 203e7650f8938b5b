import { sha256 } from '../domain/digest.ts';

/** What the names of a working tree's kept indexes begin with. */
export function indexName(root: string): string {
  return sha256(root).slice(0, 32);
}
