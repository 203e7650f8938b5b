import type { GateId } from '../../kernel/ids.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { isSameBranch } from '../decide/gate-state.ts';
import type { RunPorts } from '../ports.ts';
import type { RecordMetadata, SlotRecord } from '../record-types.ts';
import type { ReviewGate } from '../types.ts';
import type { ChangeFacts, compareWithEarlier } from './earlier-change.ts';

/**
 * Returns the first iteration of each gate's current cycle; 0 if all its records belong to the cycle. A cycle is a
 * gate's reviews of one change. It ends when that change was merged, or is not part of the current change any more.
 */
export async function cycleStarts(
  ports: Pick<RunPorts, 'snapshots'>,
  facts: ChangeFacts,
  gates: readonly ReviewGate[],
): Promise<Result<ReadonlyMap<GateId, number>>> {
  const starts = new Map<GateId, number>();
  const { scope } = facts.comparison;
  if (scope.kind === 'narrow') return ok(starts);
  const latest = latestRecords(facts);
  let contains: ReturnType<typeof compareWithEarlier> | null = null;
  for (const gate of gates) {
    const last = latest.get(gate.id);
    if (last === undefined) continue;
    if (last.own.content !== gate.content) {
      // Usually the content is the same as in the last record, so load the code to compare changes only if needed.
      contains ??= (await import('./earlier-change.ts')).compareWithEarlier(ports, facts);
      const continued = await contains(last.own, gate);
      if (!continued.ok) return continued;
      if (!continued.value) {
        starts.set(gate.id, last.iteration + 1);
        continue;
      }
    }
    starts.set(gate.id, last.own.cycle?.start ?? 0);
  }
  return ok(starts);
}

type OwnRecord = Pick<SlotRecord, 'iteration'> & { readonly own: RecordMetadata };

/** Returns each gate's last record on this branch. If the iteration has several, prefers one with a snapshot. */
function latestRecords({ comparison: { scope, where }, past }: ChangeFacts): ReadonlyMap<GateId, OwnRecord> {
  const latest = new Map<GateId, OwnRecord>();
  for (const { gate, iteration, own } of past.slots) {
    if (own === null || own.scope !== scope.key || !isSameBranch(own, where)) continue;
    const known = latest.get(gate);
    const isLater = known === undefined || iteration > known.iteration;
    if (isLater || (iteration === known.iteration && known.own.snapshot === null)) latest.set(gate, { iteration, own });
  }
  return latest;
}
