import type { RefusedOverride } from '@onceover/base/kernel/failure';
import { digestOf } from '@onceover/base/kernel/ids';
import { outputFiles, type QualityTask, qualityTasks } from '../quality/tasks.ts';
import type { ReviewName, StepOutputs } from '../quality/types.ts';
import { stepState } from '../session.ts';
import type { Job, SessionReviewer, Step, WorkflowSession } from '../types.ts';

/** A step that a caller wants to finish. Its outputs exist and have the right types. */
export type FinishingStep = {
  readonly session: WorkflowSession;
  readonly job: Job;
  readonly step: Step;
  readonly reviewer: SessionReviewer;
  readonly outputs: StepOutputs;
  /** The digest of the content of each output file, by path. */
  readonly digests: ReadonlyMap<string, string>;
  readonly notes: string | null;
  /** The caller's reason to finish the step without a passed review; `null` if the caller gave none. */
  readonly override: string | null;
};

export type FinishDecision =
  | { readonly kind: 'refuse'; readonly why: RefusedOverride }
  /** The agent that works on the steps must first let a sub-agent review the outputs. */
  | { readonly kind: 'instruct' }
  /** The caller gave an acceptable reason to finish the step without a passed review. */
  | { readonly kind: 'override'; readonly reason: string }
  /**
   * The step is finished if the reviews in `evaluations` pass. Those in `skipped` passed before, with the same files
   * and criteria.
   */
  | {
      readonly kind: 'review';
      readonly evaluations: readonly QualityEvaluation[];
      readonly skipped: readonly ReviewName[];
    };

/**
 * Decides what to do if a caller wants to finish a step: refuse, ask for a self-review, finish without a review, or
 * call reviewers.
 */
export function decideFinish({ session, step, reviewer, outputs, digests, override }: FinishingStep): FinishDecision {
  const { passed, failed, instructed } = stepState(session, step.id);
  const evaluations = evaluationsOf(step, outputs, digests);
  const reason = override?.trim() ?? null;
  if (reason === '') return { kind: 'refuse', why: 'empty' };
  if (reason !== null) {
    if (evaluations.length === 0) return { kind: 'refuse', why: 'no-reviews' };
    if (reviewer.kind === 'agent') {
      return failed.length > 0 ? { kind: 'override', reason } : { kind: 'refuse', why: 'not-failed' };
    }
    const wasInstructed = instructed?.digest === instructionsDigest(step, outputs);
    return wasInstructed ? { kind: 'override', reason } : { kind: 'refuse', why: 'not-instructed' };
  }
  if (evaluations.length > 0 && reviewer.kind === 'self') return { kind: 'instruct' };
  const open = evaluations.filter(({ digest }) => !passed.includes(digest));
  const skippedReviews = evaluations.filter((evaluation) => !open.includes(evaluation)).map(({ about }) => about);
  return { kind: 'review', evaluations: open, skipped: skippedReviews };
}

/** A review of some outputs, with a digest of their paths and contents and of the review's criteria and guidance. */
export type QualityEvaluation = QualityTask & { readonly digest: string };

/**
 * Returns everything that has to be reviewed for a step. `digests` maps each path to the digest of the file's content.
 */
export function evaluationsOf(
  step: Step,
  outputs: StepOutputs,
  digests: ReadonlyMap<string, string>,
): readonly QualityEvaluation[] {
  return step.reviews
    .flatMap((review) => qualityTasks(review, outputs, step.outputs))
    .map((task) => {
      const { run_each, quality_criteria, additional_review_guidance = null } = task.review;
      const files = outputFiles(task.outputs).map(({ output, path }) => [output, path, digests.get(path) ?? null]);
      return {
        ...task,
        digest: digestOf([run_each, Object.entries(quality_criteria), additional_review_guidance, files]),
      };
    });
}

/**
 * Returns a digest of a step's output paths and reviews. File contents are not included, because a self-review may
 * change them.
 */
export function instructionsDigest(step: Step, outputs: StepOutputs): string {
  return digestOf([outputFiles(outputs), step.reviews]);
}
