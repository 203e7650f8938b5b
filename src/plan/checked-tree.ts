import type { SnapshotId } from '../domain/brand.ts';
import { sha256 } from '../domain/digest.ts';
import type { DirtyRepository } from '../domain/ports.ts';

/** What a check passes for: the whole tree, and what is not committed in repositories inside it, which no tree has. */
export function checkedTree(tree: SnapshotId, dirty: readonly DirtyRepository[] = []): SnapshotId {
  return dirty.length === 0 ? tree : (`${tree} ${sha256(JSON.stringify(dirty))}` as SnapshotId);
}
