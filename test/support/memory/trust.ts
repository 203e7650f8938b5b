import { ok } from '../../../src/kernel/result.ts';
import type { ConsentStore } from '../../../src/trust/consent.ts';

/** Trust in memory. */
export function memoryTrust(): ConsentStore {
  const trusted = new Set<string>();
  return {
    async isTrusted(digest) {
      return trusted.has(digest);
    },
    async trust(digest) {
      trusted.add(digest);
      return ok(undefined);
    },
  };
}
