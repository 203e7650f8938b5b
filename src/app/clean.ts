import type { Place } from '../domain/change.ts';
import { isOpen } from '../domain/finding.ts';
import type { RecordedPast } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { previewRun } from '../execute/run.ts';
import { openLock } from '../stores/lock.ts';
import { NOBODY, openRun, type RunOptions } from './run.ts';

/** What `clean` put away. */
export type Cleaned = {
  readonly iterations: number;
  /** The number of the next iteration: files that are no records, or that git tracks, stay and keep theirs. */
  readonly next: number;
  /** Findings that are open, and stay so while what they are about is unchanged. */
  readonly open: readonly string[];
};

/** Archives the records; open findings outlive that while their files are unchanged. */
export async function clean(place: Place): Promise<Result<Cleaned>> {
  const options: RunOptions = { ...NOBODY, selection: { kind: 'change', base: null } };
  const opened = await openRun(place, options);
  if (!opened.ok) return opened;
  const lock = await openLock(place).take();
  if (!lock.ok) return lock;
  try {
    const { ports } = opened.value;
    const now = await previewRun(ports, opened.value.request);
    if (!now.ok) return now;
    const { facts } = now.value;
    const archived = await ports.records.archive('all');
    if (!archived.ok) return archived;
    for (const finding of facts.findings) {
      if (finding.kept === 'closed' || finding.cycleEnded) continue;
      const { resolution: _said, ...kept } = finding;
      const updated = await ports.findings.update({ ...kept, cycleEnded: true });
      if (!updated.ok) return updated;
    }
    const pruned = await ports.snapshots.prune(new Set());
    if (!pruned.ok) return pruned;
    const left = await ports.records.read([], new Set());
    if (!left.ok) return left;
    const open = now.value.outcome.findings.filter(({ state }) => isOpen(state));
    return done({
      iterations: lastArchived(facts.past, left.value.lastIteration),
      next: left.value.lastIteration + 1,
      open: open.map(({ finding }) => finding.id),
    });
  } finally {
    await lock.value.release();
  }
}

/** The number of the last iteration that was put away; 0: none was. */
function lastArchived({ lastIteration, slots, checks, others }: RecordedPast, left: number): number {
  if (left < lastIteration) return lastIteration;
  return [...slots, ...checks, ...others].reduce((last, { iteration }) => Math.max(last, iteration), 0);
}
