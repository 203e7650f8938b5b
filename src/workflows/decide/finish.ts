import type { RefusedOverride } from '../../kernel/failure.ts';
import { digestOf } from '../../kernel/ids.ts';
import { outputFiles, type QualityTask, qualityTasks } from '../quality/tasks.ts';
import type { ReviewName, StepOutputs } from '../quality/types.ts';
import type { SessionReviewer, Step, StepState } from '../types.ts';

/** The facts of a request to finish a step. */
export type FinishFacts = {
  readonly state: Pick<StepState, 'passed' | 'failed' | 'instructed'>;
  readonly reviewer: SessionReviewer['kind'];
  /** The evaluations that the step's reviews need for the current content of the outputs. */
  readonly evaluations: readonly QualityEvaluation[];
  /** The digest of the instructions that a self-review of these outputs would get. */
  readonly instructionsDigest: string;
  /** The reason to finish the step without a passed review. */
  readonly override: string | null;
};

/** `skipped` are reviews that already passed on the same files with the same criteria. */
export type FinishDecision =
  | { readonly kind: 'refuse'; readonly why: RefusedOverride }
  /** The step is finished. `override` is the reason if no review passed. */
  | { readonly kind: 'finish'; readonly override: string | null; readonly skipped: readonly ReviewName[] }
  /** The author has to do a self-review. */
  | { readonly kind: 'instruct' }
  | {
      readonly kind: 'judge';
      readonly evaluations: readonly QualityEvaluation[];
      readonly skipped: readonly ReviewName[];
    };

/** Decides how to finish a step whose outputs exist and have the right types. */
export function decideFinish({ state, reviewer, evaluations, ...request }: FinishFacts): FinishDecision {
  const override = request.override?.trim() ?? null;
  const finish = (skipped: readonly ReviewName[] = []) => ({ kind: 'finish', override, skipped }) as const;
  if (override === '') return { kind: 'refuse', why: 'empty' };
  if (evaluations.length === 0) return override === null ? finish() : { kind: 'refuse', why: 'no-reviews' };
  if (reviewer === 'self') {
    if (override === null) return { kind: 'instruct' };
    const wasInstructed = state.instructed?.digest === request.instructionsDigest;
    return wasInstructed ? finish() : { kind: 'refuse', why: 'not-instructed' };
  }
  if (override !== null) return state.failed.length > 0 ? finish() : { kind: 'refuse', why: 'not-failed' };
  const open = evaluations.filter(({ digest }) => !state.passed.includes(digest));
  const skipped = evaluations.filter((one) => !open.includes(one)).map(({ about }) => about);
  return open.length === 0 ? finish(skipped) : { kind: 'judge', evaluations: open, skipped };
}

/** One evaluation, with a digest of its files, contents, criteria and guidance. */
export type QualityEvaluation = QualityTask & { readonly digest: string };

/** Returns the evaluations of a step's reviews; `digests` are those of the file contents, by path. */
export function evaluationsOf(
  step: Step,
  outputs: StepOutputs,
  digests: ReadonlyMap<string, string>,
): readonly QualityEvaluation[] {
  return step.reviews
    .flatMap((review) => qualityTasks(review, outputs, step.outputs))
    .map((task) => ({ ...task, digest: digestOfTask(task, digests) }));
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

/** Returns a digest of the files and reviews. It leaves out the contents, which may change during a self-review. */
export function instructionsDigest(step: Step, outputs: StepOutputs): string {
  return digestOf([outputFiles(outputs), step.reviews]);
}
