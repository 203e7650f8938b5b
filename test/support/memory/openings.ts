import { createHash } from 'node:crypto';
import type { Openings } from '../../../src/domain/ports.ts';
import { done } from '../../../src/domain/result.ts';

/** Openings by digest; `pass` lets so much time go by. */
export type MemoryOpenings = Openings & { pass(ms: number): void };

/** Openings that are forgotten with the test. */
export function memoryOpenings(): MemoryOpenings {
  const texts = new Map<string, { readonly text: string; readonly at: number }>();
  let now = 0;
  return {
    pass(ms) {
      now += ms;
    },
    async read(digest) {
      return texts.get(digest)?.text ?? null;
    },
    async keep(text) {
      const digest = createHash('sha256').update(text).digest('hex');
      texts.set(digest, { text, at: now });
      return done(digest);
    },
    async prune(keep) {
      for (const [digest, { at }] of texts)
        if (!keep.has(digest) && now - at > 14 * 24 * 3_600_000) texts.delete(digest);
      return done(undefined);
    },
  };
}
