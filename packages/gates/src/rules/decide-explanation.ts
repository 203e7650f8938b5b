import type { DecidedReview } from './decide.ts';
import { stemOf } from './review-id.ts';
import type { PastPass, ReviewExplanation } from './types.ts';

/** Explains why the review with this id is done or skipped. Returns `null` if the id is unknown. */
export function explainReview(id: string, now: readonly DecidedReview[], past: PastPass): ReviewExplanation | null {
  const review = now.find(({ task }) => task.id === id);
  if (review !== undefined) {
    const { task, mark, why } = review;
    const commonFields = { id, task, passed: mark !== null, receipt: mark?.receipt ?? null };
    return why === null ? { kind: 'skipped', ...commonFields } : { kind: 'to-do', why, ...commonFields };
  }
  const successor = now.find(({ task }) => stemOf(task.id) === stemOf(id));
  if (successor !== undefined) return { kind: 'changed', id, task: successor.task, ...past };
  return past.passed || past.receipt !== null ? { kind: 'not-asked-for', id, task: null, ...past } : null;
}
