import { createHash } from 'node:crypto';
import type { SessionPrompts } from '@onceover/agents/dispatch/cooldowns';
import { ok } from '@onceover/base/kernel/result';

/** First prompts by digest; `pass` advances the clock. */
export type MemoryOpenings = SessionPrompts & { pass(ms: number): void };

/** First prompts in memory. */
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
      return ok(digest);
    },
    async prune(keep) {
      for (const [digest, { at }] of texts)
        if (!keep.has(digest) && now - at > 14 * 24 * 3_600_000) texts.delete(digest);
      return ok(undefined);
    },
  };
}
