import type { AgentFailure, AskMode, Usage } from '../../kernel/agent.ts';

/** The `run_each` value of a review that judges all outputs of a step together. */
export const WHOLE_STEP = 'step';

/** The criteria of a review: for each name, the question that decides whether the criterion passes. */
export type QualityCriteria = Readonly<Record<string, string>>;

/** The files of each output of a step, by output name. Paths are relative to the project root. */
export type StepOutputs = Readonly<Record<string, string | readonly string[]>>;

/** The type of each output: one file, or a list of files. */
export type OutputSpecs = Readonly<Record<string, { readonly type: 'file' | 'files' }>>;

/** A review of a step, with the keys of `job.yml`. */
export type QualityReview = {
  /** `step` for one review of all outputs, or the name of an output for one review per file. */
  readonly run_each: string;
  readonly quality_criteria: QualityCriteria;
  readonly additional_review_guidance?: string | null | undefined;
};

/** A review and the files that it judges, one by one if `each` is true. `files: null` means all outputs together. */
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

/** Identifies one evaluation of a review. */
export type ReviewName = {
  readonly review_run_each: string;
  /** The file that is judged; `null` if all outputs are judged together. */
  readonly target_file: string | null;
};

/** The verdict of one evaluation. */
export type ReviewResult = QualityGateResult & ReviewName;

/** An evaluation without a verdict. */
export type ReviewError = ReviewName & { readonly error: QualityGateError };

/** One call to a reviewer: the prompts, the schema of the answer, the time limit and the folder to run in. */
export type QualityCall = {
  readonly systemPrompt: string;
  readonly prompt: string;
  readonly jsonSchema: object;
  readonly timeoutSeconds: number;
  readonly cwd: string;
};

/** A reviewer that the quality gate calls, for example an agent. */
export interface QualityCli {
  /** Resolves to the structured answer; rejects if there is none. */
  run(call: QualityCall): Promise<unknown>;
}

/** One finished call to an agent for an evaluation, with its usage; `failure` is the reason if there is no answer. */
export type QualityDispatch = {
  readonly agent: string;
  /** The model that answered, or the configured model; `null` if unknown. */
  readonly model: string | null;
  readonly mode: Exclude<AskMode, 'resumed'>;
  readonly usage: Usage | null;
  readonly durationMs: number;
  /** How often the agent repeated a request to its service by itself. */
  readonly retries: number;
  readonly failure: AgentFailure | null;
};

/** All calls of one evaluation, and whether the agent gave a valid answer. */
export type QualityQuestions = { readonly dispatches: readonly QualityDispatch[]; readonly isAnswered: boolean };

/** Thrown if there is no verdict: the request is invalid, the reviewer failed, or its answer cannot be interpreted. */
export class QualityGateError extends Error {
  /** The verdicts of the evaluations that have one, including passes. */
  readonly results: readonly ReviewResult[];
  /** The evaluations without a verdict. Empty if the error is about a single evaluation. */
  readonly errors: readonly ReviewError[];

  constructor(
    message: string,
    more: {
      readonly cause?: unknown;
      readonly results?: readonly ReviewResult[];
      readonly errors?: readonly ReviewError[];
    } = {},
  ) {
    super(message, more);
    this.name = 'QualityGateError';
    this.results = more.results ?? [];
    this.errors = more.errors ?? [];
  }
}

/** Thrown if an agent gave no usable answer. */
export class QualityCliError extends Error {
  readonly agent: string;
  readonly failure: AgentFailure;

  constructor(message: string, given: { readonly agent: string; readonly failure: AgentFailure }) {
    super(message);
    this.name = 'QualityCliError';
    this.agent = given.agent;
    this.failure = given.failure;
  }
}
