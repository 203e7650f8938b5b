import type {
  OutputSpecs,
  QualityCli,
  QualityCriteria,
  QualityGateResult,
  QualityReview,
  ReviewResult,
  StepOutputs,
} from '../domain/quality.ts';
import { QualityGateError } from '../domain/quality.ts';

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

  constructor(options: QualityGateOptions = {}) {
    this.maxInlineFiles = options.maxInlineFiles ?? DEFAULT_MAX_INLINE_FILES;
  }

  /** The outputs as a reviewer gets them. */
  async buildPayload(_given: JudgedOutputs): Promise<string> {
    throw new QualityGateError('not yet');
  }

  /** One verdict on all the outputs. */
  async evaluate(_given: Evaluation): Promise<QualityGateResult> {
    throw new QualityGateError('not yet');
  }

  /** Every evaluation that the reviews ask for, all at once; answers with those that did not pass. */
  async evaluateReviews(_given: StepReviews): Promise<ReviewResult[]> {
    throw new QualityGateError('not yet');
  }

  /** The reviews as one Markdown document, for a reviewer that the author starts itself. */
  async buildReviewInstructionsFile(_given: StepReviews): Promise<string> {
    throw new QualityGateError('not yet');
  }

  /** A reviewer's structured answer as a verdict, literally. */
  parseResult(_data: unknown): QualityGateResult {
    throw new QualityGateError('not yet');
  }
}
