import type { SnapshotId } from '@onceover/base/kernel/ids';
import type { Snapshot } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import type { CheckGate, Gate } from '../../gate-types.ts';
import { checkedTree } from '../decide/cycles.ts';
import type { CheckState } from '../decide/plan-run.ts';
import type { RunPorts } from '../ports.ts';

/**
 * Returns an id of everything that the checks may read; `null` if there are no checks.
 */
export async function readCheckedTree(snapshot: Snapshot, checks: readonly Gate[]): Promise<Result<SnapshotId | null>> {
  if (checks.length === 0) return ok(null);
  const tree = await snapshot.tree();
  if (!tree.ok) return tree;
  const unseenContents = (await snapshot.unseen?.()) ?? ok([]);
  if (!unseenContents.ok) return unseenContents;
  return ok(checkedTree(tree.value, [...(snapshot.dirty ?? []), ...unseenContents.value]));
}

export async function checkState(ports: RunPorts, gate: CheckGate, tree: SnapshotId | null): Promise<CheckState> {
  const key = { gate: gate.id, command: gate.command };
  const receipt = tree === null ? null : await ports.receipts.find('check', { ...key, tree });
  return { gate, holds: receipt?.verdict === 'pass' };
}
