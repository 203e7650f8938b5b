import type { PhaseLogs } from '../../../src/domain/ports.ts';
import { done } from '../../../src/domain/result.ts';

/** Logs by the name of their playing and their own. */
export type MemoryPhaseLogs = PhaseLogs & { readonly written: ReadonlyMap<string, string> };

export function memoryPhaseLogs(): MemoryPhaseLogs {
  const written = new Map<string, string>();
  return {
    written,
    async write({ id, phase }, name, log) {
      written.set(`${phase}_${id}/${name}`, log);
      return done(undefined);
    },
  };
}
