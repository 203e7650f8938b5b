import type { ReviewId } from '../../../src/domain/brand.ts';
import type { MarkReceipt, TaskFacts } from '../../../src/domain/pass.ts';
import type { Passes } from '../../../src/domain/ports.ts';
import { done } from '../../../src/domain/result.ts';

/** Passes that are forgotten with the test; a marker there is always a plain one. */
export function memoryPasses(): Passes {
  const marked = new Set<string>();
  const facts = new Map<ReviewId, TaskFacts>();
  const receipts = new Map<ReviewId, MarkReceipt>();
  return {
    async marked() {
      return done({ ids: new Set(marked), notFiles: new Set<string>() });
    },
    async receipt(id) {
      return receipts.get(id) ?? null;
    },
    async remember(tasks) {
      for (const task of tasks) facts.set(task.id, task);
      return done(undefined);
    },
    async mark(id, by, at) {
      const about = facts.get(id);
      if (about !== undefined) receipts.set(id, { ...about, by, at: at.toISOString() });
      marked.add(id);
      return done({ vouched: about !== undefined });
    },
  };
}
