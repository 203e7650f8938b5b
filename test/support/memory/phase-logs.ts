import { ok } from '@onceover/base/kernel/result';
import type { PhaseLogs } from '@onceover/loops/src/phases/record/store.ts';

/** Logs by the name of the phase run and by their own name. */
export type MemoryPhaseLogs = PhaseLogs & { readonly written: ReadonlyMap<string, string> };

export function memoryPhaseLogs(): MemoryPhaseLogs {
  const written = new Map<string, string>();
  return {
    written,
    async write({ id, phase }, name, log) {
      written.set(`${phase}_${id}/${name}`, log);
      return ok(undefined);
    },
  };
}
