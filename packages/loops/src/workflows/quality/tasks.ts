import {
  type OutputSpecs,
  QualityGateError,
  type QualityReview,
  type ReviewName,
  type ScopedReview,
  type StepOutputs,
  WHOLE_STEP,
} from './types.ts';

/** A file, and the name of the output that it belongs to. */
export type OutputFile = { readonly output: string; readonly path: string };

/** A review, with the outputs that the reviewer judges in one call. */
export type QualityTask = {
  readonly review: QualityReview;
  readonly outputs: StepOutputs;
  readonly about: ReviewName;
};

/** Returns the files of all outputs in the given order. A file that one output lists twice is returned once. */
export function outputFiles(outputs: StepOutputs): readonly OutputFile[] {
  return Object.entries(outputs).flatMap(([output, value]) => {
    const paths = [value].flat();
    const plain = paths.map(plainPath);
    return paths.filter((_, at) => plain.indexOf(plain[at] ?? '') === at).map((path) => ({ output, path }));
  });
}

// Removes `./` and double slashes from a path. Keeps `a/..`, because `a` may be a link, and a final `/` or `/.`,
// because it marks a folder.
function plainPath(path: string): string {
  return path.replace(/\/(?:\.?\/)+/g, '/').replace(/^(?:\.\/)+/, '');
}

/**
 * Returns a review with the files to judge. Throws if its output is unknown, or if a single-file output has several
 * paths.
 */
export function scopeReview(review: QualityReview, outputs: StepOutputs, specs: OutputSpecs): ScopedReview {
  const name = review.run_each;
  if (name === WHOLE_STEP) return { review, files: null };
  const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (output === undefined && spec === undefined) {
    const validNames = new Set([WHOLE_STEP, ...Object.keys(specs), ...Object.keys(outputs)]);
    const names = [...validNames].map((option) => `'${option}'`).join(', ');
    throw new QualityGateError(
      `A review has run_each '${name}', but the step has no such output. Use one of: ${names}.`,
    );
  }
  // The step did not provide this optional output, so it has no files to judge.
  const paths = output === undefined ? [] : outputFiles({ [name]: output }).map(({ path }) => path);
  if (spec?.type === 'file' && paths.length > 1) {
    throw new QualityGateError(
      `Output '${name}' must be one file, but ${paths.length} paths were given. Give one path.`,
    );
  }
  const type = spec?.type ?? (typeof output === 'string' ? 'file' : 'files');
  return { review, files: { each: type === 'files', paths } };
}

/**
 * Returns what a reviewer has to judge for a review: the whole step in one call, or each file of an output in a call of
 * its own.
 */
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

/** Returns the time limit for a reviewer: 240 seconds for up to 5 files, plus 30 seconds for each further file. */
export function qualityTimeoutSeconds(fileCount: number): number {
  return 240 + 30 * Math.max(0, fileCount - 5);
}
