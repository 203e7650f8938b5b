import { fence } from '../domain/fence.ts';
import type { FixNote } from '../domain/phase.ts';
import type { ReviewForm } from '../domain/role.ts';
import { type ComposedPrompt, composePrompt } from './compose.ts';
import { tellForm } from './review-form.ts';

/** What changed since a reviewer looked. */
export type LoopDelta = {
  /** Of code: which files, and how much of each. */
  readonly stat: string | null;
  /** The diff of what is under review. */
  readonly diff: string;
  /** The diff of the documents that it rests on, where they changed too. */
  readonly upstream: string;
};

export type ResumedReview = {
  /** The stable part that the session was opened with. */
  readonly opening: string;
  readonly form: ReviewForm;
  readonly delta: LoopDelta;
  /** What was fixed since this reviewer looked. */
  readonly fixes: readonly FixNote[];
  readonly iteration: number;
  readonly most: number;
};

/** The prompt that a reviewer is resumed with (I2); `artifact` is the name of the document, null for code. */
export function resumedReviewPrompt(
  review: ResumedReview & { readonly artifact: string | null; readonly hadIssues: boolean },
): ComposedPrompt {
  const { artifact, hadIssues, iteration, most } = review;
  return resumed(review, [
    `You already have the upstream artifacts and the previous version of ${artifact ?? 'the implementation files'} in context from your prior review.`,
    hadIssues ? 'The following changes were made to address your previous issues:' : 'The following changes were made:',
    `## Delta\n${tellDelta(review.delta)}`,
    tellUpstream(review.delta),
    `## Fix Summary\n${tellFixes(review.fixes)}`,
    'Review the changes above. Assess whether your previous issues are resolved and check for new issues introduced by the fixes.',
    `This is iteration ${iteration} of ${most}.`,
  ]);
}

/** The prompt that a reviewer of code is resumed with for final validation (I2-FV). */
export function finalValidationPrompt(review: ResumedReview & { readonly lastIteration: number }): ComposedPrompt {
  const { lastIteration, iteration, most } = review;
  return resumed(review, [
    `You already have the upstream artifacts and implementation files in context from your prior review at iteration ${lastIteration}.`,
    'Since your last review, the following fixes were applied to address issues from other reviewers:',
    `## Changes Since Your Last Review\n${tellDelta(review.delta)}`,
    tellUpstream(review.delta),
    `## Fix Summary\n${tellFixes(review.fixes)}`,
    'Perform a full regression check. Verify your previous approval still holds given these changes, and check for any new issues.',
    `This is the final validation round (iteration ${iteration} of ${most}).`,
  ]);
}

function resumed({ opening, form }: ResumedReview, texts: readonly string[]): ComposedPrompt {
  return composePrompt([
    { kind: 'stable', text: opening },
    ...[...texts, tellForm(form)].map((text) => ({ kind: 'dynamic', text }) as const),
  ]);
}

function tellDelta({ stat, diff }: LoopDelta): string {
  if (diff.trim() === '') return '(Nothing changed.)';
  return [...(stat === null ? [] : [fence(stat)]), fence(diff, 'diff')].join('\n');
}

function tellUpstream({ upstream }: LoopDelta): string {
  if (upstream.trim() === '') return '';
  return `## Changes to Upstream Artifacts\nThe documents that you read before have changed as well:\n${fence(upstream, 'diff')}`;
}

function tellFixes(fixes: readonly FixNote[]): string {
  const [only] = fixes;
  if (only === undefined) return '(None was given.)';
  const text =
    fixes.length === 1
      ? only.summary
      : fixes.map(({ iteration, summary }) => `Iteration ${iteration}: ${summary.trim()}`).join('\n\n');
  return `What the fixer says it did, to be checked against the changes:\n${fence(text)}`;
}
