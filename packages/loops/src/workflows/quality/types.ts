import type { AgentFailure, AskMode, Usage } from '@onceover/base/kernel/agent';

/** The value of `run_each` that makes a review judge all outputs of a step together. */
export const WHOLE_STEP = 'step';

/**
 * The criteria of a review. The key is a criterion's name, and the value is the question that decides whether the
 * outputs meet it.
 */
export type QualityCriteria = Readonly<Record<string, string>>;

/** The files of each output of a step, by output name. Paths are relative to the project root. */
export type StepOutputs = Readonly<Record<string, string | readonly string[]>>;

/** The type of each output: one file, or a list of files. */
export type OutputSpecs = Readonly<Record<string, { readonly type: 'file' | 'files' }>>;

/** A review of a step, with the keys that it has in `job.yml`. */
export type QualityReview = {
  /** `step`: one review of all outputs. The name of an output: one review for each of its files. */
  readonly run_each: string;
  readonly quality_criteria: QualityCriteria;
  readonly additional_review_guidance?: string | null | undefined;
};

/**
 * A review with the files that it judges. `each`: every file is judged separately. `files: null`: all outputs are
 * judged together.
 */
export type ScopedReview = {
  readonly review: QualityReview;
  readonly files: { readonly each: boolean; readonly paths: readonly string[] } | null;
};

export type CriterionResult = {
  readonly criterion: string;
  readonly passed: boolean;
  readonly feedback: string | null;
};

/** A reviewer's verdict on the outputs of a step. */
export type QualityGateResult = {
  readonly passed: boolean;
  readonly feedback: string;
  readonly criteria_results: readonly CriterionResult[];
};

/** Identifies a review of all outputs or of one file. */
export type ReviewName = {
  readonly review_run_each: string;
  /** The file that is judged; `null` if all outputs are judged together. */
  readonly target_file: string | null;
};

/** The verdict of one review of all outputs or of one file. */
export type ReviewResult = QualityGateResult & ReviewName;

/** A review that ended without a verdict. */
export type ReviewError = ReviewName & { readonly error: QualityGateError };

/** One call to a reviewer: the prompts, the schema of the answer, the time limit and the folder in which it runs. */
export type QualityCall = {
  readonly systemPrompt: string;
  readonly prompt: string;
  readonly jsonSchema: object;
  readonly timeoutSeconds: number;
  readonly cwd: string;
};

/** A reviewer that the quality gate calls, for example an agent. */
export interface QualityCli {
  /** Returns the reviewer's structured answer. Throws if there is none. */
  run(call: QualityCall): Promise<unknown>;
}

/** One finished call to an agent for a review, with its usage. `failure` is the reason why there is no answer. */
export type QualityDispatch = {
  readonly agent: string;
  /** The model that answered, or the configured model; `null` if unknown. */
  readonly model: string | null;
  readonly mode: Exclude<AskMode, 'resumed'>;
  readonly usage: Usage | null;
  readonly durationMs: number;
  /** How often the agent repeated a failed request to its model service by itself. */
  readonly retries: number;
  readonly failure: AgentFailure | null;
};

/** All calls of one review, and whether the agent gave a valid answer. */
export type QualityQuestions = { readonly dispatches: readonly QualityDispatch[]; readonly isAnswered: boolean };

/** Thrown if there is no verdict: the request is invalid, the reviewer failed, or its answer cannot be understood. */
export class QualityGateError extends Error {
  /** The verdicts of those reviews that have one, including passes. */
  readonly results: readonly ReviewResult[];
  /** The reviews without a verdict. Empty if the error is about a single review. */
  readonly errors: readonly ReviewError[];

  constructor(
    message: string,
    details: {
      readonly cause?: unknown;
      readonly results?: readonly ReviewResult[];
      readonly errors?: readonly ReviewError[];
    } = {},
  ) {
    super(message, details);
    this.name = 'QualityGateError';
    this.results = details.results ?? [];
    this.errors = details.errors ?? [];
  }
}

/** Thrown if an agent gave no usable answer. */
export class QualityCliError extends Error {
  readonly agent: string;
  readonly failure: AgentFailure;

  constructor(message: string, details: { readonly agent: string; readonly failure: AgentFailure }) {
    super(message);
    this.name = 'QualityCliError';
    this.agent = details.agent;
    this.failure = details.failure;
  }
}
