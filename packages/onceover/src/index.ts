import { resolve } from 'node:path';
import type { Failure } from '@onceover/base/kernel/failure';
import type { Result } from '@onceover/base/kernel/result';
import type { PhaseName } from '@onceover/base/kernel/review-loops';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { type ExplainDocument, explainDocument, type RunExplanationDocument } from '@onceover/gates/explain/json';
import type { Actor } from '@onceover/gates/findings/types';
import { UNKNOWN_ACTOR } from '@onceover/gates/findings/waivers';
import { type FindingDocument, type RunDocument, resolvedDocument, runDocument } from '@onceover/gates/result/json';
import type { InstructionsDocument, PassDocument, RulesDocument } from '@onceover/gates/rules/json';
import { instructionsDocument, passDocument, rulesDocument } from '@onceover/gates/rules/json';
import { phaseDocument } from '@onceover/loops/phases/json';
import type { PhaseDocument, PhasePlanDocument } from '@onceover/loops/phases/json-schema';
import type { PhaseChoices } from '@onceover/loops/phases/run-types';
import type {
  StepEndDocument,
  WorkflowAbortDocument,
  WorkflowStartDocument,
  WorkflowsDocument,
} from '@onceover/loops/workflows/json';
import {
  sessionDocument,
  stepEndDocument,
  workflowStartDocument,
  workflowsDocument,
} from '@onceover/loops/workflows/json';
import type { QualityCliOptions } from '@onceover/loops/workflows/quality/agent';
import type { QualityCli } from '@onceover/loops/workflows/quality/types';
import type { Event } from '@onceover/web/progress/state';
import * as app from './api.ts';

export { decideDispatch } from '@onceover/agents/economy/resume';
export type {
  AgentFailure,
  AgentSettings,
  DispatchFacts,
  DispatchPlan,
  Session,
  Usage,
} from '@onceover/base/kernel/agent';
export type {
  BadReviewId,
  Failure,
  InTheWay,
  Position,
  Problem,
  ProblemKind,
  UnusableFile,
} from '@onceover/base/kernel/failure';
export type { CommitId, GateId, RepoPath, ReviewId, SnapshotId } from '@onceover/base/kernel/ids';
export { type ComposedPrompt, composePrompt, type PromptSection } from '@onceover/base/kernel/prompt';
export type {
  LoopDispatchReason,
  PhaseName,
  PhaseRole,
  PhaseStage,
  ReviewerRole,
} from '@onceover/base/kernel/review-loops';
export type { ExplainDocument, RunExplanationDocument } from '@onceover/gates/explain/json';
export type { Actor, FindingState } from '@onceover/gates/findings/types';
export type { SlotNumber, SlotPlan, SlotRun } from '@onceover/gates/gate-types';
export type { FindingDocument, RunDocument } from '@onceover/gates/result/json';
export type { InstructionsDocument, PassDocument, RulesDocument } from '@onceover/gates/rules/json';
export { reviewId } from '@onceover/gates/rules/review-id';
export { matchRules } from '@onceover/gates/rules/tasks';
export type { Rule, RuleReference, Strategy } from '@onceover/gates/rules/types';
export { planSlots } from '@onceover/gates/run/decide/skip-reviewers';
export type { PhaseDocument, PhasePlanDocument } from '@onceover/loops/phases/json-schema';
export type {
  StepEndDocument,
  WorkflowAbortDocument,
  WorkflowStartDocument,
  WorkflowsDocument,
} from '@onceover/loops/workflows/json';
export type { QualityCliOptions } from '@onceover/loops/workflows/quality/agent';
export {
  DEFAULT_MAX_INLINE_FILES,
  type Evaluation,
  type JudgedOutputs,
  QualityGate,
  type QualityGateOptions,
  type StepReviews,
} from '@onceover/loops/workflows/quality/gate';
export { qualityTimeoutSeconds } from '@onceover/loops/workflows/quality/tasks';
export {
  type CriterionResult,
  type OutputSpecs,
  type QualityCall,
  type QualityCli,
  QualityCliError,
  type QualityCriteria,
  type QualityDispatch,
  QualityGateError,
  type QualityGateResult,
  type QualityQuestions,
  type QualityReview,
  type ReviewError,
  type ReviewResult,
  type ScopedReview,
  type StepOutputs,
} from '@onceover/loops/workflows/quality/types';
export type {
  CheckSettings,
  EntrySettings,
  Priority,
  ReviewSettings,
  Settings,
} from '@onceover/repo/config/settings';
export type { Event, Reporter } from '@onceover/web/progress/state';

/** An expected failure. `failure` has its kind and details; the message says what happened and what to do next. */
export class OnceoverError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    const { what, next } = describeFailure(failure);
    super(`${what}\n${next}`);
    this.name = 'OnceoverError';
    this.failure = failure;
  }
}

/** Options of `instructions`. Paths are relative to `root` (default: the working directory). */
export type InstructionsOptions = {
  readonly root?: string;
  readonly files?: readonly string[];
  readonly base?: string;
  /** The agent platform; a rule can name a sub-agent for each platform. Default: claude. */
  readonly platform?: string;
};

/** Writes one instruction file for each review that the change needs. Returns these reviews and the skipped ones. */
export async function instructions(options: InstructionsOptions = {}): Promise<InstructionsDocument> {
  const wish = { files: givenFiles(options.files), base: options.base ?? null };
  return instructionsDocument(await call(app.instructions, options, wish), options.platform ?? 'claude');
}

/** Writes one instruction file for each review that the change needs, and returns these reviews. */
export async function writeInstructionFiles(options: InstructionsOptions = {}): Promise<InstructionsDocument['tasks']> {
  return (await instructions(options)).tasks;
}

/** Returns the configured review rules, or only those that match one of `files`. */
export async function configuredReviews(
  options: { readonly root?: string; readonly files?: readonly string[] } = {},
): Promise<RulesDocument> {
  const { rules, notices } = await call(app.rules, options, givenFiles(options.files));
  return rulesDocument(rules, notices);
}

/** Marks the review with this id as passed. */
export async function markReviewAsPassed(
  reviewId: string,
  options: { readonly root?: string } = {},
): Promise<PassDocument> {
  return passDocument(await call(app.pass, options, reviewId, 'library'));
}

/** Returns an explanation of the state of a review, gate, reviewer or finding. */
export async function explain(
  name: string,
  options: { readonly root?: string; readonly base?: string } = {},
): Promise<ExplainDocument | RunExplanationDocument> {
  const { about, explanation } = await call(app.explain, options, name, options.base ?? null);
  return about === 'review' ? explainDocument(explanation) : explanation.document;
}

/** Options of a run. Default: all gates, on everything that differs from the base branch. */
export type RunOptions = app.RunWish & {
  readonly root?: string;
  readonly files?: readonly string[];
  readonly gates?: readonly string[];
  readonly paths?: readonly string[];
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: Event) => void;
};

/** Runs the gates. The field `exit_code` of the result is 0 only if every gate passes. */
export async function run(options: RunOptions = {}): Promise<RunDocument> {
  const { gates = [], paths = [] } = options;
  const request = { ...options, files: givenFiles(options.files), gates, paths, ...listenerOf(options) };
  return runDocument(await call(app.run, options, request));
}

/** Returns the state of all gates and findings. Runs nothing. */
export async function status(options: Pick<RunOptions, 'root' | 'base'> = {}): Promise<RunDocument> {
  return runDocument((await call(app.status, options, options.base ?? null)).outcome);
}

/**
 * Resolves a finding: marks it as fixed (its reviewer has to confirm that), waives it, or confirms a proposed waiver.
 * A waiver counts only if `by` says that a person decided it; by default it is a proposal.
 */
export async function resolveFinding(
  id: string,
  word: { readonly how: 'fixed' | 'skipped' | 'confirmed'; readonly why: string },
  options: { readonly root?: string; readonly by?: Actor } = {},
): Promise<FindingDocument> {
  const by = options.by ?? { kind: 'agent', name: UNKNOWN_ACTOR };
  return resolvedDocument(await call(app.resolve, options, id, word, by));
}

/** Options of a phase. Without `fixer` and `step`, the phase only reviews and returns the verdict. */
export type PhaseOptions = PhaseChoices & {
  readonly root?: string;
  /** The files to review. Only for the `implement` phase. */
  readonly files?: readonly string[];
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: Event) => void;
};

/** Runs a phase of a feature. The status is "approved" only if the reviewers approved the current content. */
export async function phase(name: PhaseName, feature: string, options: PhaseOptions = {}): Promise<PhaseDocument> {
  return phaseDocument(await call(app.phase, options, phaseRequestOf(name, feature, options)));
}

/** Returns what a phase would do next. Runs and writes nothing. */
export async function previewPhase(
  name: PhaseName,
  feature: string,
  options: PhaseOptions = {},
): Promise<PhasePlanDocument> {
  return call(app.previewPhase, options, phaseRequestOf(name, feature, options));
}

function phaseRequestOf(phase: PhaseName, feature: string, options: PhaseOptions): app.PhaseOptions {
  return { ...options, phase, feature, files: givenFiles(options.files), ...listenerOf(options) };
}

function listenerOf({ signal, onEvent }: Pick<RunOptions, 'signal' | 'onEvent'>) {
  const reporter = { tell: (event: Event) => onEvent?.(event) };
  return { startedBy: 'person', reporter, stop: signal ?? null } as const;
}

/** Returns a `cli` for `QualityGate`: an installed agent that reviews files of the repository at `root`. */
export async function openQualityCli(
  options: QualityCliOptions & { readonly root?: string | undefined } = {},
): Promise<QualityCli> {
  const agent = await import('@onceover/loops/workflows/quality/agent');
  return call(agent.openQualityCli, options, options);
}

/** Options of a call that starts a workflow or finishes a step. */
export type WorkflowOptions = {
  readonly root?: string;
  /** The agent that reviews. Default for a new workflow: Claude Code, if installed. */
  readonly reviewer?: string;
  readonly signal?: AbortSignal;
  /** Called when the reviews start, with `done` 0, and after each finished review. */
  readonly onProgress?: (done: number, of: number) => void;
};

/** Lists the jobs with their workflows, and the open sessions. */
export async function workflows(options: { readonly root?: string } = {}): Promise<WorkflowsDocument> {
  return workflowsDocument(await call(app.workflows, options));
}

/** Starts a workflow. With `selfReview`, onceover runs no reviewer, and the caller has the outputs reviewed. */
export async function startWorkflow(
  job: string,
  goal: string,
  options: WorkflowOptions & { readonly workflow?: string; readonly selfReview?: boolean } = {},
): Promise<WorkflowStartDocument> {
  const { workflow = null, selfReview = false } = options;
  return workflowStartDocument(
    await call(app.startWorkflow, options, { ...callerOf(options), job, goal, workflow, selfReview }),
  );
}

/** Finishes a step: checks and reviews its outputs. Paths are relative to `root`. */
export async function finishStep(
  outputs: Readonly<Record<string, string | readonly string[]>>,
  options: WorkflowOptions & {
    readonly notes?: string;
    /** The reason why the step is finished although its review failed. It is allowed only after a review. */
    readonly override?: string;
    readonly session?: string;
    readonly step?: string;
  } = {},
): Promise<StepEndDocument> {
  const stepEnd = await call(app.finishStep, options, {
    ...callerOf(options),
    named: options.session ?? null,
    own: null,
    step: options.step ?? null,
    outputs: { values: outputs, typed: true },
    pathsFrom: 'arguments',
    notes: options.notes ?? null,
    override: options.override ?? null,
  });
  return stepEndDocument(stepEnd);
}

/** Ends a workflow before its last step, and returns its state. */
export async function abortWorkflow(
  explanation: string,
  options: { readonly root?: string; readonly session?: string } = {},
): Promise<WorkflowAbortDocument> {
  const request = { named: options.session ?? null, own: null, explanation };
  return sessionDocument(await call(app.abortWorkflow, options, request));
}

function callerOf({ reviewer, signal, onProgress }: WorkflowOptions) {
  const progress = (doneCount: number, of: number) => onProgress?.(doneCount, of);
  return { startedBy: 'person', reviewer: reviewer ?? null, stop: signal ?? null, progress } as const;
}

function givenFiles(files: readonly string[] | undefined): app.GivenFiles | null {
  return files === undefined ? null : { names: files, source: 'arguments' };
}

/** Calls a function of `api.ts` for the folder `root`. Returns its value, or throws an `OnceoverError`. */
async function call<Args extends readonly unknown[], T>(
  capability: (cwd: string, ...args: Args) => Promise<Result<T>>,
  { root = '.' }: { readonly root?: string | undefined },
  ...args: Args
): Promise<T> {
  const result = await capability(resolve(root), ...args);
  if (result.ok) return result.value;
  throw new OnceoverError(result.failure);
}
