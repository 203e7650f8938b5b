import { ok } from '@onceover/base/kernel/result';
import type { PhaseLoops } from '@onceover/loops/src/phases/record/store.ts';
import type { KeptLoop } from '@onceover/loops/src/phases/state.ts';

/** Loops in memory. */
export function memoryPhaseLoops(): PhaseLoops {
  const kept = new Map<string, KeptLoop>();
  const key = (phase: string, feature: string) => JSON.stringify([phase, feature]);
  return {
    async read(phase, feature) {
      const loop = kept.get(key(phase, feature));
      return ok(loop === undefined ? null : structuredClone(loop));
    },
    async write(loop) {
      kept.set(key(loop.run.phase, loop.run.feature), structuredClone(loop));
      return ok(undefined);
    },
    async remove(phase, feature) {
      kept.delete(key(phase, feature));
      return ok(undefined);
    },
  };
}
