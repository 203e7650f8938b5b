import type { TamperGuard } from '@onceover/base/kernel/ports';
import { ok } from '@onceover/base/kernel/result';

/** A read-only proof in memory; it notifies its listeners when a proof is added or removed. */
export function memoryProof(hear: (what: 'noted' | 'taken back') => readonly string[] = () => []): TamperGuard {
  return {
    async snapshot() {
      hear('noted');
      return { restore: async () => ok(hear('taken back')) };
    },
  };
}
