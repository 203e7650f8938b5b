import { resolve } from 'node:path';
import { answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { openOutputFiles } from './output-files.ts';
import {
  listedPayload,
  onOneLine,
  qualityInstructions,
  qualitySystemPrompt,
  type ShownOutput,
  shownPayload,
} from './prompt.ts';
import { type OutputFile, outputFiles, qualityTasks, qualityTimeoutSeconds, scopeReview } from './tasks.ts';
import {
  type OutputSpecs,
  type QualityCli,
  type QualityCriteria,
  QualityGateError,
  type QualityGateResult,
  type QualityReview,
  type ReviewError,
  type ReviewResult,
  type StepOutputs,
} from './types.ts';
import { parseQualityResult, settleVerdict } from './verdict.ts';

/**
 * The maximum number of output files whose content is in the prompt. If there are more, the prompt lists only paths.
 */
export const DEFAULT_MAX_INLINE_FILES = 5;

export type QualityGateOptions = {
  /** The reviewer to call. It can be missing if only `buildReviewInstructionsFile` is used. */
  readonly cli?: QualityCli | null | undefined;
  readonly maxInlineFiles?: number | undefined;
};

/** The outputs to judge. Their paths are relative to `projectRoot`. */
export type JudgedOutputs = {
  readonly outputs: StepOutputs;
  readonly projectRoot: string;
  /** Notes for the reviewer, written by the author of the outputs. */
  readonly notes?: string | null | undefined;
};

export type Evaluation = JudgedOutputs & {
  readonly qualityCriteria: QualityCriteria;
  readonly additionalReviewGuidance?: string | null | undefined;
};

export type StepReviews = JudgedOutputs & {
  readonly reviews: readonly QualityReview[];
  readonly outputSpecs: OutputSpecs;
};

const NO_CRITERIA = 'No quality criteria defined - auto-passing';

/** Judges the outputs of a step by calling a reviewer, or writes instructions for a review. It stores no verdicts. */
export class QualityGate {
  readonly maxInlineFiles: number;
  readonly #cli: QualityCli | null;

  constructor(options: QualityGateOptions = {}) {
    this.#cli = options.cli ?? null;
    this.maxInlineFiles = options.maxInlineFiles ?? DEFAULT_MAX_INLINE_FILES;
    if (!Number.isInteger(this.maxInlineFiles) || this.maxInlineFiles < 0) {
      throw new QualityGateError(`maxInlineFiles is ${this.maxInlineFiles}: give a whole number, 0 or more.`);
    }
  }

  /**
   * Returns the outputs as text for a prompt: with their contents, or only their paths if there are more than
   * `maxInlineFiles`.
   */
  async buildPayload({ outputs, projectRoot, notes }: JudgedOutputs): Promise<string> {
    const files = outputFiles(outputs);
    if (files.length === 0) return shownPayload([], notBlank(notes));
    const root = resolve(projectRoot);
    const disk = await openInside(root, files);
    if (files.length > this.maxInlineFiles) return listedPayload(files, root, notBlank(notes));
    const shownOutputs: ShownOutput[] = [];
    for (const file of files) {
      const content = await disk.read(file.path);
      // Since `openInside` checked the path, the file may have been replaced by a link.
      if (content.kind === 'outside') throw outside(file, root);
      shownOutputs.push({ path: file.path, content });
    }
    return shownPayload(shownOutputs, notBlank(notes));
  }

  /**
   * Returns one verdict on all outputs. It is a pass only if the reviewer passed them and neither failed nor skipped a
   * criterion.
   */
  async evaluate(evaluation: Evaluation): Promise<QualityGateResult> {
    const { qualityCriteria: criteria, additionalReviewGuidance: guidance } = evaluation;
    if (Object.keys(criteria).length === 0) return { passed: true, feedback: NO_CRITERIA, criteria_results: [] };
    if (this.#cli === null) {
      throw new QualityGateError(
        'This QualityGate has no reviewer for the criteria. Pass it a cli, or call buildReviewInstructionsFile.',
      );
    }
    const call = {
      systemPrompt: qualitySystemPrompt({ criteria, guidance, notes: notBlank(evaluation.notes) }),
      prompt: await this.buildPayload(evaluation),
      jsonSchema: answerSchema('quality'),
      timeoutSeconds: qualityTimeoutSeconds(outputFiles(evaluation.outputs).length),
      cwd: resolve(evaluation.projectRoot),
    };
    let answer: unknown;
    try {
      answer = await this.#cli.run(call);
    } catch (error) {
      throw new QualityGateError(`The reviewer gave no verdict: ${messageOf(error)}`, { cause: error });
    }
    return settleVerdict(parseQualityResult(answer), criteria);
  }

  /**
   * Runs all reviews of a step in parallel and returns those that failed. If some end without a verdict, waits for all
   * of them and then throws an error that contains the verdicts of the others.
   */
  async evaluateReviews(step: StepReviews): Promise<ReviewResult[]> {
    const tasks = step.reviews.flatMap((review) => qualityTasks(review, step.outputs, step.outputSpecs));
    if (tasks.length === 0) return [];
    // Check all paths before the first call, so that nothing is paid if the outputs cannot be judged.
    const files = outputFiles(step.outputs);
    if (files.length > 0) await openInside(resolve(step.projectRoot), files);
    const ends = await Promise.allSettled(
      tasks.map(({ review, outputs }) =>
        this.evaluate({
          ...step,
          outputs,
          qualityCriteria: review.quality_criteria,
          additionalReviewGuidance: review.additional_review_guidance,
        }),
      ),
    );
    const results: ReviewResult[] = [];
    const errors: ReviewError[] = [];
    for (const [index, { about }] of tasks.entries()) {
      const end = ends[index];
      if (end?.status === 'fulfilled') results.push({ ...end.value, ...about });
      else errors.push({ ...about, error: asGateError(end?.reason) });
    }
    const [first] = errors;
    if (first === undefined) return results.filter(({ passed }) => !passed);
    const message = `${errors.length} of ${tasks.length} evaluations have no verdict. The first: ${first.error.message}`;
    throw new QualityGateError(message, { results, errors });
  }

  /**
   * Returns the instructions for all reviews as one Markdown text, for a sub-agent that the author of the outputs
   * starts.
   */
  async buildReviewInstructionsFile(step: StepReviews): Promise<string> {
    const reviews = step.reviews.map((review) => scopeReview(review, step.outputs, step.outputSpecs));
    const outputs = await this.buildPayload({ ...step, notes: null });
    return qualityInstructions({ reviews, outputs, root: resolve(step.projectRoot), notes: notBlank(step.notes) });
  }

  /**
   * Parses the JSON answer of a reviewer as a verdict. Unlike `evaluate`, it accepts a pass with a failed criterion.
   */
  parseResult(data: unknown): QualityGateResult {
    return parseQualityResult(data);
  }
}

function notBlank(notes: string | null | undefined): string | null {
  return (notes ?? '').trim() === '' ? null : (notes ?? null);
}

/**
 * Returns an object that reads files of the project. Throws if one of `files` is outside the root or inside a git
 * folder.
 */
async function openInside(root: string, files: readonly OutputFile[]) {
  const disk = await openOutputFiles(root).catch((error: unknown) => {
    throw new QualityGateError(`The project root cannot be opened: ${messageOf(error)}`, { cause: error });
  });
  for (const file of files) {
    if (await disk.isOutside(file.path)) throw outside(file, root);
  }
  return disk;
}

function outside({ output, path }: OutputFile, root: string): QualityGateError {
  return new QualityGateError(
    `Output '${output}' names ${onOneLine(path)}, which is outside the project or inside its git folder. Name files below ${onOneLine(root)}.`,
  );
}

function asGateError(error: unknown): QualityGateError {
  return error instanceof QualityGateError ? error : new QualityGateError(messageOf(error), { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
