import type { SnapshotId } from '../domain/brand.ts';
import { done, type Result } from '../domain/result.ts';
import type { RunFacts } from './read-run.ts';
import type { RunPorts } from './run-ports.ts';

/** Archives cycles that are over; after an iteration, lets go of snapshots and texts that no record needs. */
export async function tidy(
  ports: RunPorts,
  facts: RunFacts,
  { hasIterated }: { readonly hasIterated: boolean },
): Promise<Result<void>> {
  const { ended, past } = facts;
  if (ended.records.length > 0) {
    const archived = await ports.records.archive(ended.records);
    if (!archived.ok) return archived;
  }
  for (const finding of ended.findings) {
    const { resolution: _said, ...kept } = finding;
    const updated = await ports.findings.update({ ...kept, cycleEnded: true });
    if (!updated.ok) return updated;
  }
  if (!hasIterated) return done(undefined);
  const snapshots = new Set<SnapshotId>();
  const openings = new Set<string>();
  for (const { own } of past.slots) {
    if (own?.snapshot != null) snapshots.add(own.snapshot);
    if (own?.session != null) openings.add(own.session.stableDigest);
  }
  const pruned = await ports.snapshots.prune(snapshots);
  return pruned.ok ? ports.openings.prune(openings) : pruned;
}
