import type { ReviewId } from '@onceover/base/kernel/ids';
import { ok } from '@onceover/base/kernel/result';
import type { Passes } from '@onceover/gates/rules/passes';
import type { MarkReceipt, TaskFacts } from '@onceover/gates/rules/types';

/** Passes in memory; every marker is a plain file. */
export function memoryPasses(): Passes {
  const marked = new Set<string>();
  const facts = new Map<ReviewId, TaskFacts>();
  const receipts = new Map<ReviewId, MarkReceipt>();
  return {
    async marked() {
      return ok({ ids: new Set(marked), notFiles: new Set<string>() });
    },
    async receipt(id) {
      return receipts.get(id) ?? null;
    },
    async remember(tasks) {
      for (const task of tasks) facts.set(task.id, task);
      return ok(undefined);
    },
    isKnown(id) {
      return facts.has(id as ReviewId);
    },
    async mark(id, by, at) {
      const about = facts.get(id);
      if (about !== undefined) receipts.set(id, { ...about, by, at: at.toISOString() });
      marked.add(id);
      return ok({ vouched: about !== undefined });
    },
  };
}
