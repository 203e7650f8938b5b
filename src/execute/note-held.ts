import { done, type Result } from '../domain/result.ts';
import type { RunFacts } from './read-run.ts';
import type { RunPorts } from './run-ports.ts';

/** Notes which gates hold, where that is not known yet: failing iterations before it count no more. */
export async function noteHeld(ports: RunPorts, { comparison, reviews }: RunFacts): Promise<Result<void>> {
  // Later runs ignore what narrow ones saw.
  if (comparison.scope.kind === 'narrow') return done(undefined);
  for (const { gate, holds, isHeldNoted } of reviews) {
    if (!holds || isHeldNoted) continue;
    const at = ports.clock.now().toISOString();
    const { id, content } = gate;
    const noted = await ports.receipts.writeHeld({ gate: id, ...comparison.where, content, at });
    if (!noted.ok) return noted;
  }
  return done(undefined);
}
