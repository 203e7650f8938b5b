import { resolve } from 'node:path';
import type {
  OutputFiles,
  OutputSpecs,
  QualityCli,
  QualityCriteria,
  QualityGateResult,
  QualityReview,
  ReviewResult,
  StepOutputs,
} from '../domain/quality.ts';
import { QualityGateError } from '../domain/quality.ts';
import { evaluateQuality, evaluateTasks, type QualityJudge } from '../execute/evaluate-quality.ts';
import { type QualitySubject, qualityPayload } from '../execute/quality-payload.ts';
import { openOutputFiles } from '../io/output-files.ts';
import { parseQualityResult } from '../plan/quality-result.ts';
import { qualityTasks, scopeReview } from '../plan/quality-tasks.ts';
import { qualityInstructions } from '../prompt/quality-instructions.ts';

/** Up to so many files are put before a reviewer with their contents. */
export const DEFAULT_MAX_INLINE_FILES = 5;

export type QualityGateOptions = {
  /** Who evaluates; none where only instructions for reviewers are wanted. */
  readonly cli?: QualityCli | null | undefined;
  readonly maxInlineFiles?: number | undefined;
};

/** What is judged; paths of outputs count from `projectRoot`. */
export type JudgedOutputs = {
  readonly outputs: StepOutputs;
  readonly projectRoot: string;
  /** What the author says of the outputs. */
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

/** Judges the outputs of a step by criteria: through a reviewer outside, or by instructions for one. It remembers nothing. */
export class QualityGate {
  readonly maxInlineFiles: number;
  readonly #judge: QualityJudge;

  constructor(options: QualityGateOptions = {}) {
    this.maxInlineFiles = options.maxInlineFiles ?? DEFAULT_MAX_INLINE_FILES;
    if (!Number.isInteger(this.maxInlineFiles) || this.maxInlineFiles < 0) {
      throw new QualityGateError(`maxInlineFiles is ${this.maxInlineFiles}: give a whole number, 0 or more.`);
    }
    this.#judge = { cli: options.cli ?? null, mostInline: this.maxInlineFiles };
  }

  /** The outputs as a reviewer gets them. */
  async buildPayload(given: JudgedOutputs): Promise<string> {
    return qualityPayload(subjectOf(given), this.maxInlineFiles);
  }

  /** One verdict on all the outputs; a pass in which a criterion failed is none. */
  async evaluate(given: Evaluation): Promise<QualityGateResult> {
    const measure = { criteria: given.qualityCriteria, guidance: given.additionalReviewGuidance };
    return evaluateQuality(this.#judge, measure, subjectOf(given));
  }

  /** Every evaluation that the reviews ask for, all at once; answers with those that did not pass. */
  async evaluateReviews(given: StepReviews): Promise<ReviewResult[]> {
    const tasks = given.reviews.flatMap((review) => qualityTasks(review, given.outputs, given.outputSpecs));
    return tasks.length === 0 ? [] : evaluateTasks(this.#judge, tasks, subjectOf(given));
  }

  /** The reviews as one Markdown document, for a reviewer that the author starts itself. */
  async buildReviewInstructionsFile(given: StepReviews): Promise<string> {
    const reviews = given.reviews.map((review) => scopeReview(review, given.outputs, given.outputSpecs));
    const subject = subjectOf(given);
    const outputs = await qualityPayload({ ...subject, notes: null }, this.maxInlineFiles);
    return qualityInstructions({ reviews, outputs, root: subject.root, notes: subject.notes });
  }

  /** A reviewer's structured answer as a verdict, literally. */
  parseResult(data: unknown): QualityGateResult {
    return parseQualityResult(data);
  }
}

function subjectOf({ outputs, projectRoot, notes }: JudgedOutputs): QualitySubject {
  const root = resolve(projectRoot);
  const said = notes ?? '';
  return { files: openedWhenNeeded(root), root, outputs, notes: said.trim() === '' ? null : said };
}

function openedWhenNeeded(root: string): OutputFiles {
  let opened: Promise<OutputFiles> | null = null;
  const files = () => {
    opened ??= openOutputFiles(root).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new QualityGateError(`The project's root cannot be opened: ${why}`, { cause: error });
    });
    return opened;
  };
  return { find: async (path) => (await files()).find(path), read: async (path) => (await files()).read(path) };
}
