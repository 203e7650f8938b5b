import { hostname } from 'node:os';
import type { HeldLock, Lock } from '../../../src/domain/ports.ts';
import { done, failed } from '../../../src/domain/result.ts';

/** A lock among those who share it in this process. */
export function memoryLock(): Lock {
  let held: { readonly lock: HeldLock; readonly since: string } | null = null;
  return {
    async take() {
      if (held !== null) return failed({ kind: 'lock-held', pid: process.pid, host: hostname(), since: held.since });
      const lock: HeldLock = {
        async release() {
          if (held?.lock === lock) held = null;
        },
      };
      held = { lock, since: new Date().toISOString() };
      return done(lock);
    },
  };
}
