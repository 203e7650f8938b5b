import type { GateId } from '../../kernel/ids.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { changedLines, isMostlyKept, touchesReviewed } from '../decide/cycles.ts';
import { isSameBranch } from '../decide/gate-state.ts';
import type { RunFacts, RunPorts } from '../ports.ts';
import type { RecordMetadata, SlotRecord } from '../record-types.ts';
import type { ReviewGate } from '../types.ts';

type ChangeFacts = Pick<RunFacts, 'comparison' | 'snapshot' | 'past'>;

/**
 * Returns the first iteration of each gate's cycle; 0 if all its records belong to it. The cycle of a gate ends when
 * the change that its last records are about was merged, or is no longer part of the current change.
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
  const isContinued = compareWithEarlier(ports, facts);
  for (const gate of gates) {
    const last = latest.get(gate.id);
    if (last === undefined) continue;
    const continued = await isContinued(last.own, gate);
    if (!continued.ok) return continued;
    starts.set(gate.id, continued.value ? (last.own.cycle?.start ?? 0) : last.iteration + 1);
  }
  return ok(starts);
}

type OwnRecord = Pick<SlotRecord, 'iteration'> & { readonly own: RecordMetadata };

/** Returns each gate's last record on this branch; of several in one iteration, one that has a snapshot. */
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

/** Returns a function that says whether a gate's change still contains what an earlier record reviewed. */
function compareWithEarlier({ snapshots }: Pick<RunPorts, 'snapshots'>, { comparison, snapshot }: ChangeFacts) {
  const once = memoized();
  const changedBefore = (from: string, to: string) =>
    once(`files ${from} ${to}`, async () => {
      const changed = await snapshots.changedFiles(from, to);
      return ok(changed.ok ? changed.value : null);
    });
  const linesBefore = (from: string, to: string) =>
    once(`lines ${from} ${to}`, async () => {
      const sections = await snapshots.sections(from, to, 0);
      return ok(changedLines(sections.ok ? sections.value : []));
    });
  const linesNow = () =>
    once('now', async () => {
      const tree = await snapshot.tree();
      const sections = tree.ok ? await snapshots.sections(comparison.baseTree, tree.value, 0) : tree;
      return sections.ok ? ok(changedLines(sections.value)) : sections;
    });
  return async (own: RecordMetadata, gate: ReviewGate): Promise<Result<boolean>> => {
    if (own.content === gate.content) return ok(true);
    const from = own.cycle?.base ?? own.mergeBase;
    const { snapshot: to, mergeBase, cycle } = own;
    if (from === null || to === null) return ok(false);
    const changed = await changedBefore(from, to);
    if (!changed.ok) return changed;
    if (changed.value !== null && !touchesReviewed(gate.entries, changed.value)) return ok(false);
    const grew =
      cycle === undefined
        ? ok(false)
        : await once(`grew ${cycle.head} ${cycle.mark} ${mergeBase}`, () =>
            snapshots.onlyGrew({ mergeBase, head: cycle.head, mark: cycle.mark }, comparison),
          );
    // If the old tree is gone, only the history can show that this is the same change.
    if (!grew.ok || grew.value || changed.value === null) return grew;
    const before = await linesBefore(from, to);
    if (!before.ok) return before;
    const now = await linesNow();
    return now.ok ? ok(isMostlyKept(before.value, now.value, gate.entries)) : now;
  };
}

function memoized() {
  const known = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const made = (known.get(key) as Promise<T> | undefined) ?? work();
    known.set(key, made);
    return made;
  };
}
