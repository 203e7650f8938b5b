import type { SnapshotId } from '../domain/brand.ts';
import type { PhaseState } from '../domain/phase-step.ts';

/** The snapshots that a loop which goes on in another call compares with: what was reviewed last, and what each session saw. */
export function neededSnapshots({ position, reviewed, resume }: PhaseState): ReadonlySet<SnapshotId> {
  if (position.at === 'ended') return new Set();
  const seen = Object.values(resume).map(({ session }) => session.saw);
  return new Set(reviewed === null ? seen : [reviewed.snapshot, ...seen]);
}
