import { hostname } from 'node:os';
import type { HeldLock, Lock } from '@onceover/base/kernel/ports';
import { err, ok } from '@onceover/base/kernel/result';

/** A lock between its users in this process. */
export function memoryLock(): Lock {
  let held: { readonly lock: HeldLock; readonly since: string } | null = null;
  return {
    async take() {
      if (held !== null) return err({ kind: 'lock-held', pid: process.pid, host: hostname(), since: held.since });
      const lock: HeldLock = {
        async release() {
          if (held?.lock === lock) held = null;
        },
      };
      held = { lock, since: new Date().toISOString() };
      return ok(lock);
    },
  };
}
