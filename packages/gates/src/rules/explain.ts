import type { ReviewId } from '@onceover/base/kernel/ids';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { explainReview } from './decide-explanation.ts';
import { type InstructionsWish, prepareReviews } from './instructions.ts';
import type { ReviewExplanation } from './types.ts';

/** Explains why the review with this id is done or skipped. */
export async function explainReviewId(
  cwd: string,
  id: string,
  options: Omit<InstructionsWish, 'files'>,
): Promise<Result<ReviewExplanation>> {
  const preparation = await prepareReviews(cwd, { files: null, ...options });
  if (!preparation.ok) return preparation;
  const { reviews, passes, passed } = preparation.value;
  const past = { passed: passed.has(id), receipt: await passes.receipt(id as ReviewId) };
  const explanation = explainReview(id, reviews, past);
  return explanation === null ? err({ kind: 'unknown-subject', name: id }) : ok(explanation);
}
