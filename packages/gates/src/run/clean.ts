import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { openLock } from '@onceover/base/platform/lock';
import { isOpen } from '../findings/types.ts';
import type { Cleaned } from '../result/types.ts';
import { previewGates, READ_ONLY } from './open-run.ts';
import { endCycles } from './record/after-run.ts';
import type { RecordHistory } from './record-types.ts';

/** Archives the records of all runs. An open finding stays open as long as its file does not change. */
export async function clean(repository: RepositoryPaths): Promise<Result<Cleaned>> {
  const lock = await openLock(repository).take();
  if (!lock.ok) return lock;
  try {
    const preview = await previewGates(repository, {
      ...READ_ONLY,
      selection: { kind: 'change', base: null },
      allowUnconfigured: true,
    });
    if (!preview.ok) return preview;
    const { ports, facts, outcome } = preview.value;
    const archived = await ports.records.archive('all');
    if (!archived.ok) return archived;
    const current = facts.findings.filter(({ kept, cycleEnded }) => kept !== 'closed' && !cycleEnded);
    const ended = await endCycles(ports.findings, current);
    if (!ended.ok) return ended;
    const pruned = await ports.snapshots.prune(new Set());
    if (!pruned.ok) return pruned;
    const left = await ports.records.read([], new Set());
    if (!left.ok) return left;
    const open = outcome.findings.filter(({ state }) => isOpen(state)).map(({ finding }) => finding.id);
    return ok({ iterations: lastArchived(facts.past, left.value.lastIteration), open });
  } finally {
    await lock.value.release();
  }
}

function lastArchived({ lastIteration, slots, checks, others }: RecordHistory, left: number): number {
  if (left < lastIteration) return lastIteration;
  return [...slots, ...checks, ...others].reduce((last, { iteration }) => Math.max(last, iteration), 0);
}
