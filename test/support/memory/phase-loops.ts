import type { KeptLoop } from '../../../src/domain/phase-run.ts';
import type { PhaseLoops } from '../../../src/domain/ports.ts';
import { done } from '../../../src/domain/result.ts';

/** Loops that are forgotten with the test. */
export function memoryPhaseLoops(): PhaseLoops {
  const kept = new Map<string, KeptLoop>();
  const key = (phase: string, feature: string) => JSON.stringify([phase, feature]);
  return {
    async read(phase, feature) {
      const loop = kept.get(key(phase, feature));
      return done(loop === undefined ? null : structuredClone(loop));
    },
    async write(loop) {
      kept.set(key(loop.run.phase, loop.run.feature), structuredClone(loop));
      return done(undefined);
    },
    async remove(phase, feature) {
      kept.delete(key(phase, feature));
      return done(undefined);
    },
  };
}
