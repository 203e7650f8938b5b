import type { GateId } from '@onceover/base/kernel/ids';
import { ok, type Result } from '@onceover/base/kernel/result';
import type { ReviewGate } from '../../gate-types.ts';
import { isSameBranch } from '../decide/gate-state.ts';
import type { RunPorts } from '../ports.ts';
import type { RecordMetadata, SlotRecord } from '../record-types.ts';
import type { ChangeFacts, compareWithEarlier } from './earlier-change.ts';

/**
 * Returns, for each gate, the first iteration that reviewed the current change; 0 if all its records are about this
 * change. An earlier change is over when it was merged, or when the current change no longer contains it.
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
      // Usually the content has not changed since the last record. Load the code that compares changes only if it has.
      contains ??= (await import('./earlier-change.ts')).compareWithEarlier(ports, facts);
      const isSameChange = await contains(last.own, gate);
      if (!isSameChange.ok) return isSameChange;
      if (!isSameChange.value) {
        starts.set(gate.id, last.iteration + 1);
        continue;
      }
    }
    starts.set(gate.id, last.own.cycle?.start ?? 0);
  }
  return ok(starts);
}

type OwnRecord = Pick<SlotRecord, 'iteration'> & { readonly own: RecordMetadata };

/**
 * Returns each gate's last record on this branch. If the last iteration has several records, prefers one with a
 * snapshot.
 */
function latestRecords({ comparison: { scope, where }, past }: ChangeFacts): ReadonlyMap<GateId, OwnRecord> {
  const latest = new Map<GateId, OwnRecord>();
  for (const { gate, iteration, own } of past.slots) {
    if (own === null || own.scope !== scope.key || !isSameBranch(own, where)) continue;
    const latestRecord = latest.get(gate);
    const isLater = latestRecord === undefined || iteration > latestRecord.iteration;
    if (isLater || (iteration === latestRecord.iteration && latestRecord.own.snapshot === null))
      latest.set(gate, { iteration, own });
  }
  return latest;
}
