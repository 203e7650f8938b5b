import type { RepoPath } from './brand.ts';

/** Steps whose outputs are judged by criteria, and the orders in which they are done. */
export type Job = {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** What every step is told beside its own instructions; empty where there is nothing. */
  readonly commonInfo: string;
  readonly steps: readonly Step[];
  /** At least one: where none is written, there is one of all steps. */
  readonly workflows: readonly Workflow[];
  readonly folder: RepoPath;
};

/** One piece of work: what it is given, what it has to leave, and how that is judged. */
export type Step = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  /** Where they were read, from the root. */
  readonly instructionsFile: RepoPath;
  readonly inputs: readonly StepInput[];
  readonly outputs: readonly OutputSpec[];
  /** Steps that must be finished before. */
  readonly dependencies: readonly string[];
  readonly reviews: readonly StepReview[];
};

type StepInput =
  /** Something that the user is to be asked for. */
  | { readonly kind: 'user'; readonly name: string; readonly description: string }
  /** An output of an earlier step. */
  | { readonly kind: 'file'; readonly output: string; readonly fromStep: string };

export type OutputSpec = {
  readonly name: string;
  readonly type: 'file' | 'files';
  readonly description: string;
  readonly required: boolean;
};

/** Criteria for all outputs together (`step`), or for each file of one output. */
export type StepReview = {
  readonly runEach: string;
  /** Names and questions. */
  readonly criteria: Readonly<Record<string, string>>;
  readonly guidance: string | null;
};

/** What a review is called that looks at all outputs of a step together. */
export const WHOLE_STEP = 'step';

/** An order of steps; those of one group may be done at the same time. */
export type Workflow = {
  readonly name: string;
  readonly summary: string;
  readonly groups: readonly (readonly string[])[];
};
