import { ok, type Result } from '@onceover/base/kernel/result';
import type { ReviewGate } from '../../gate-types.ts';
import { changedLines, isMostlyKept, touchesReviewed } from '../decide/same-change.ts';
import type { RunFacts, RunPorts } from '../ports.ts';
import type { RecordMetadata } from '../record-types.ts';

export type ChangeFacts = Pick<RunFacts, 'comparison' | 'snapshot' | 'past'>;

/** Returns a function that reports whether a gate's current change still contains what an earlier record reviewed. */
export function compareWithEarlier({ snapshots }: Pick<RunPorts, 'snapshots'>, { comparison, snapshot }: ChangeFacts) {
  const runOnce = memoize();
  const changedBefore = (from: string, to: string) =>
    runOnce(`files ${from} ${to}`, async () => {
      const changedFiles = await snapshots.changedFiles(from, to);
      return ok(changedFiles.ok ? changedFiles.value : null);
    });
  const linesBefore = (from: string, to: string) =>
    runOnce(`lines ${from} ${to}`, async () => {
      const sections = await snapshots.sections(from, to, 0);
      return ok(changedLines(sections.ok ? sections.value : []));
    });
  const linesNow = () =>
    runOnce('now', async () => {
      const tree = await snapshot.tree();
      const sections = tree.ok ? await snapshots.sections(comparison.baseTree, tree.value, 0) : tree;
      return sections.ok ? ok(changedLines(sections.value)) : sections;
    });
  return async (metadata: RecordMetadata, gate: ReviewGate): Promise<Result<boolean>> => {
    const from = metadata.cycle?.base ?? metadata.mergeBase;
    const { snapshot: to, mergeBase, cycle } = metadata;
    if (from === null || to === null) return ok(false);
    const changedFiles = await changedBefore(from, to);
    if (!changedFiles.ok) return changedFiles;
    if (changedFiles.value !== null && !touchesReviewed(gate.entries, changedFiles.value)) return ok(false);
    const hasOnlyGrown =
      cycle === undefined
        ? ok(false)
        : await runOnce(`grew ${cycle.head} ${cycle.mark} ${mergeBase}`, () =>
            snapshots.onlyGrew({ mergeBase, head: cycle.head, mark: cycle.mark }, comparison),
          );
    // If the old tree no longer exists, only the commit history can show that this is the same change.
    if (!hasOnlyGrown.ok || hasOnlyGrown.value || changedFiles.value === null) return hasOnlyGrown;
    const earlierLines = await linesBefore(from, to);
    if (!earlierLines.ok) return earlierLines;
    const currentLines = await linesNow();
    return currentLines.ok ? ok(isMostlyKept(earlierLines.value, currentLines.value, gate.entries)) : currentLines;
  };
}

function memoize() {
  const cache = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const promise = (cache.get(key) as Promise<T> | undefined) ?? work();
    cache.set(key, promise);
    return promise;
  };
}
