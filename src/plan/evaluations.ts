import { digestOf } from '../domain/digest.ts';
import type { Step, StepReview } from '../domain/job.ts';
import type { OutputSpecs, QualityReview, StepOutputs } from '../domain/quality.ts';
import { outputFiles, type QualityTask, qualityTasks } from './quality-tasks.ts';

/** One look of a reviewer, by what is looked at and what for. */
export type Evaluation = QualityTask & {
  /** The same for the same files, contents, criteria and guidance. */
  readonly digest: string;
};

/** The looks that a step's reviews ask for; `digests` are those of the files' contents by their paths. */
export function evaluationsOf(
  step: Step,
  outputs: StepOutputs,
  digests: ReadonlyMap<string, string>,
): readonly Evaluation[] {
  const specs = outputSpecs(step);
  return step.reviews
    .flatMap((review) => qualityTasks(qualityReview(review), outputs, specs))
    .map((task) => ({ ...task, digest: digestOfTask(task, digests) }));
}

/** What instructions for a review are about: which files, and what for; their contents may change while it goes on. */
export function instructionsDigest(step: Step, outputs: StepOutputs): string {
  return digestOf([outputFiles(outputs), step.reviews]);
}

export function qualityReview({ runEach, criteria, guidance }: StepReview): QualityReview {
  return { run_each: runEach, quality_criteria: criteria, additional_review_guidance: guidance };
}

export function outputSpecs({ outputs }: Step): OutputSpecs {
  return Object.fromEntries(outputs.map(({ name, type }) => [name, { type }]));
}

function digestOfTask({ review, outputs }: QualityTask, digests: ReadonlyMap<string, string>): string {
  const files = outputFiles(outputs).map(({ output, path }) => [output, path, digests.get(path) ?? null]);
  return digestOf([
    review.run_each,
    Object.entries(review.quality_criteria),
    review.additional_review_guidance ?? null,
    files,
  ]);
}
