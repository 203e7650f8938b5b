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
    const archiveResult = await ports.records.archive('all');
    if (!archiveResult.ok) return archiveResult;
    const current = facts.findings.filter(({ kept, cycleEnded }) => kept !== 'closed' && !cycleEnded);
    const endResult = await endCycles(ports.findings, current);
    if (!endResult.ok) return endResult;
    const pruneResult = await ports.snapshots.prune(new Set());
    if (!pruneResult.ok) return pruneResult;
    const remainingRecords = await ports.records.read([], new Set());
    if (!remainingRecords.ok) return remainingRecords;
    const open = outcome.findings.filter(({ state }) => isOpen(state)).map(({ finding }) => finding.id);
    return ok({ iterations: lastArchived(facts.past, remainingRecords.value.lastIteration), open });
  } finally {
    await lock.value.release();
  }
}

function lastArchived({ lastIteration, slots, checks, others }: RecordHistory, remainingIteration: number): number {
  if (remainingIteration < lastIteration) return lastIteration;
  return [...slots, ...checks, ...others].reduce((last, { iteration }) => Math.max(last, iteration), 0);
}
