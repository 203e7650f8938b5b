import { WHOLE_STEP } from '../domain/job.ts';
import {
  type OutputSpecs,
  QualityGateError,
  type QualityReview,
  type ReviewResult,
  type ScopedReview,
  type StepOutputs,
} from '../domain/quality.ts';

/** One file of an output. */
export type OutputFile = { readonly output: string; readonly path: string };

/** One evaluation of a review: the outputs that it covers, and what its result is told of. */
export type QualityTask = {
  readonly review: QualityReview;
  readonly outputs: StepOutputs;
  readonly about: Pick<ReviewResult, 'review_run_each' | 'target_file'>;
};

/** The files of all outputs in the order given, a file that an output names twice once. */
export function outputFiles(outputs: StepOutputs): readonly OutputFile[] {
  return Object.entries(outputs).flatMap(([output, value]) =>
    firstSpellings(typeof value === 'string' ? [value] : value).map((path) => ({ output, path })),
  );
}

/** Each file once, as it was written first. */
function firstSpellings(paths: readonly string[]): readonly string[] {
  const first = new Map<string, string>();
  for (const path of paths) {
    const plain = plainPath(path);
    if (!first.has(plain)) first.set(plain, path);
  }
  return [...first.values()];
}

// `a/../b` may be another file than `b`: `a` may be a link. And a path that ends as a folder's does is none of a file.
function plainPath(path: string): string {
  const parts = path.split('/');
  const isNeeded = (part: string, at: number) => at === parts.length - 1 || (part === '' ? at === 0 : part !== '.');
  return parts.filter(isNeeded).join('/');
}

/** What a review is about; one that names no output is an error. */
export function scopeReview(review: QualityReview, outputs: StepOutputs, outputSpecs: OutputSpecs): ScopedReview {
  return {
    review,
    files: review.run_each === WHOLE_STEP ? null : filesOfOutput(review.run_each, outputs, outputSpecs),
  };
}

/** The evaluations that a review asks for: one of the whole step, or one for each file of an output. */
export function qualityTasks(
  review: QualityReview,
  outputs: StepOutputs,
  outputSpecs: OutputSpecs,
): readonly QualityTask[] {
  const { run_each } = review;
  const { files } = scopeReview(review, outputs, outputSpecs);
  if (files === null) return [{ review, outputs, about: { review_run_each: run_each, target_file: null } }];
  return files.paths.map((path) => ({
    review,
    outputs: { [run_each]: path },
    about: { review_run_each: run_each, target_file: path },
  }));
}

// An output that the step may leave out, and did, has nothing to be judged.
function filesOfOutput(name: string, outputs: StepOutputs, specs: OutputSpecs): NonNullable<ScopedReview['files']> {
  const given = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (given === undefined && spec === undefined) throw new QualityGateError(noSuchOutput(name, outputs, specs));
  const paths = given === undefined ? [] : outputFiles({ [name]: given }).map(({ path }) => path);
  if (spec?.type === 'file' && paths.length > 1) {
    throw new QualityGateError(`Output '${name}' is one file, and ${paths.length} were given: give one path.`);
  }
  return { each: (spec?.type ?? (typeof given === 'string' ? 'file' : 'files')) === 'files', paths };
}

function noSuchOutput(name: string, outputs: StepOutputs, specs: OutputSpecs): string {
  const known = [...new Set([...Object.keys(specs), ...Object.keys(outputs)])].map((one) => `'${one}'`);
  const there = known.length === 0 ? 'the step has no outputs' : `the outputs are ${known.join(', ')}`;
  return `A review has run_each '${name}', and there is no such output: ${there}. Use one of these, or 'step'.`;
}
