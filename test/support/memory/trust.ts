import type { Trust } from '../../../src/domain/ports.ts';
import { done } from '../../../src/domain/result.ts';

/** Trust that is forgotten with the test. */
export function memoryTrust(): Trust {
  const trusted = new Set<string>();
  return {
    async isTrusted(digest) {
      return trusted.has(digest);
    },
    async trust(digest) {
      trusted.add(digest);
      return done(undefined);
    },
  };
}
