import { ok, type Result } from '@onceover/base/kernel/result';
import type { ReviewGate } from '../../gate-types.ts';
import { changedLines, isMostlyKept, touchesReviewed } from '../decide/same-change.ts';
import type { RunFacts, RunPorts } from '../ports.ts';
import type { RecordMetadata } from '../record-types.ts';

export type ChangeFacts = Pick<RunFacts, 'comparison' | 'snapshot' | 'past'>;

/** Returns a function that reports whether a gate's current change still contains what an earlier record reviewed. */
export function compareWithEarlier({ snapshots }: Pick<RunPorts, 'snapshots'>, { comparison, snapshot }: ChangeFacts) {
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
    // If the old tree no longer exists, only the commit history can show that this is the same change.
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
