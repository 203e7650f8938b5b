import type { GateId, SnapshotId } from '@onceover/base/kernel/ids';
import type { Snapshots } from '@onceover/base/kernel/repository';
import { forEachOk, ok, type Result } from '@onceover/base/kernel/result';
import type { KnownFinding } from '../../findings/types.ts';
import type { ReviewGate } from '../../gate-types.ts';
import type { RunFacts, RunPorts } from '../ports.ts';

/** Records which gates pass now, if that is new. The retry limit then ignores failures before this pass. */
export async function recordPassingGates(ports: RunPorts, { comparison, reviews }: RunFacts): Promise<Result<void>> {
  // Later runs ignore the results of narrow runs, such as `--uncommitted`, so do not record them.
  if (comparison.scope.kind === 'narrow') return ok(undefined);
  const passing = reviews.filter(({ holds, isHeldNoted }) => holds && !isHeldNoted);
  const at = ports.clock.now().toISOString();
  return forEachOk(passing, ({ gate: { id: gate, content } }) =>
    ports.receipts.write('held', { gate, ...comparison.where, content, at }),
  );
}

/**
 * Archives the records of gates without changes. After an iteration, also deletes snapshots and prompts that no record
 * needs.
 */
export async function archiveEndedCycles(
  ports: RunPorts,
  { ended, past }: RunFacts,
  { hasIterated }: { readonly hasIterated: boolean },
): Promise<Result<void>> {
  const archiveResult = ended.records.length === 0 ? ok(undefined) : await ports.records.archive(ended.records);
  if (!archiveResult.ok) return archiveResult;
  const cycleResult = await endCycles(ports.findings, ended.findings);
  if (!cycleResult.ok || !hasIterated) return cycleResult;
  const snapshots = new Set<SnapshotId>();
  const sessionPrompts = new Set<string>();
  for (const { own } of past.slots) {
    if (own?.snapshot != null) snapshots.add(own.snapshot);
    if (own?.session != null) sessionPrompts.add(own.session.stableDigest);
  }
  const pruneResult = await ports.snapshots.prune(snapshots);
  return pruneResult.ok ? ports.sessionPrompts.prune(sessionPrompts) : pruneResult;
}

export function endCycles(store: RunPorts['findings'], findings: readonly KnownFinding[]): Promise<Result<void>> {
  return forEachOk(findings, ({ resolution: _, ...finding }) => store.update({ ...finding, cycleEnded: true }));
}

/** Returns a function that reports whether no file of a gate was written to since this call. */
export function watchGateFiles(
  snapshots: Pick<Snapshots, 'touched'>,
  gates: readonly ReviewGate[],
): (gate: ReviewGate) => boolean {
  const touchState = ({ entries }: ReviewGate) => snapshots.touched(entries.map(({ path }) => path));
  const before = new Map<GateId, string>(gates.map((gate) => [gate.id, touchState(gate)]));
  return (gate) => before.get(gate.id) === touchState(gate);
}
