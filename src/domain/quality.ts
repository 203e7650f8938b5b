import type { AgentFailure, AskMode } from './agent.ts';
import type { Usage } from './usage.ts';

/** What a step's outputs are judged by: a question for each name. */
export type QualityCriteria = Readonly<Record<string, string>>;

/** The files of each output of a step, by the output's name; paths count from the project's root. */
export type StepOutputs = Readonly<Record<string, string | readonly string[]>>;

/** What each output is: one file, or any number of them. */
export type OutputSpecs = Readonly<Record<string, { readonly type: 'file' | 'files' }>>;

/** A review of a step, as a workflow writes it. */
export type QualityReview = {
  /** `step`: all outputs together; else the name of an output, each file of which is judged on its own. */
  readonly run_each: string;
  readonly quality_criteria: QualityCriteria;
  readonly additional_review_guidance?: string | null | undefined;
};

/** A review with the files that it is about; `each` where they are judged one by one, null: all outputs together. */
export type ScopedReview = {
  readonly review: QualityReview;
  readonly files: { readonly each: boolean; readonly paths: readonly string[] } | null;
};

export type CriterionResult = {
  readonly criterion: string;
  readonly passed: boolean;
  readonly feedback: string | null;
};

/** A verdict on a step's outputs. */
export type QualityGateResult = {
  readonly passed: boolean;
  readonly feedback: string;
  readonly criteria_results: readonly CriterionResult[];
};

/** The verdict of one evaluation, with what was evaluated. */
export type ReviewResult = QualityGateResult & {
  readonly review_run_each: string;
  /** The one file that was judged; null: all outputs together. */
  readonly target_file: string | null;
};

/** An evaluation that came to no verdict. */
export type ReviewError = {
  readonly review_run_each: string;
  readonly target_file: string | null;
  readonly error: QualityGateError;
};

/** One evaluation as it is put to a reviewer. */
export type QualityCall = {
  readonly systemPrompt: string;
  readonly prompt: string;
  readonly jsonSchema: object;
  readonly timeoutSeconds: number;
  readonly cwd: string;
};

/** A reviewer outside of this program. */
export interface QualityCli {
  /** The structured answer; rejects where there is none. */
  run(call: QualityCall): Promise<unknown>;
}

/** One question to an agent for an evaluation, told when it has ended: what it used, and why there is no answer. */
export type QualityDispatch = {
  readonly agent: string;
  /** The model that answered, or is to be used, where it is known. */
  readonly model: string | null;
  readonly mode: Exclude<AskMode, 'resumed'>;
  readonly usage: Usage | null;
  readonly durationMs: number;
  readonly failure: AgentFailure | null;
};

/** All the questions of one evaluation, and whether there was an answer. */
export type QualityQuestions = { readonly dispatches: readonly QualityDispatch[]; readonly isAnswered: boolean };

/** The outputs of a step, on disk. */
export interface OutputFiles {
  /** Where the path leads, every symlink followed; nothing is opened. */
  find(path: string): Promise<'inside' | 'outside'>;
  /** The whole text of a file, where it is one and may be read. */
  read(path: string): Promise<OutputContent>;
}

export type OutputContent =
  | { readonly kind: 'text'; readonly text: string }
  /** No UTF-8; `path` is absolute. */
  | { readonly kind: 'binary'; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly error: string }
  | { readonly kind: 'outside' };

/** No verdict: what was asked makes no sense, the reviewer failed, or its answer cannot be interpreted. */
export class QualityGateError extends Error {
  /** The verdicts of the other evaluations, passes among them. */
  readonly results: readonly ReviewResult[];
  /** The evaluations without a verdict, where several were asked for. */
  readonly errors: readonly ReviewError[];

  constructor(
    message: string,
    more: {
      readonly cause?: unknown;
      readonly results?: readonly ReviewResult[];
      readonly errors?: readonly ReviewError[];
    } = {},
  ) {
    super(message, 'cause' in more ? { cause: more.cause } : {});
    this.name = 'QualityGateError';
    this.results = more.results ?? [];
    this.errors = more.errors ?? [];
  }
}

/** An agent gave no answer that counts. */
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
