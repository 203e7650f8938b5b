import { resolve } from 'node:path';
import type { QualityCliOptions } from './app/quality-cli.ts';
import * as app from './app.ts';
import type { Event } from './domain/event.ts';
import type { Failure } from './domain/failure.ts';
import type { PhaseName } from './domain/phase.ts';
import type { QualityCli } from './domain/quality.ts';
import type { Result } from './domain/result.ts';
import {
  type InstructionsDocument,
  instructionsDocument,
  type PassDocument,
  passDocument,
  type RulesDocument,
  rulesDocument,
} from './report/documents.ts';
import {
  type ExplainDocument,
  explainDocument,
  type RunExplanationDocument,
  runExplanationDocument,
} from './report/explain-document.ts';
import {
  type PhaseDocument,
  type PhasePlanDocument,
  phaseDocument,
  phasePlanDocument,
} from './report/phase-document.ts';
import { type FindingDocument, type RunDocument, resolvedDocument, runDocument } from './report/run-document.ts';
import {
  type StepEndDocument,
  sessionDocument,
  stepEndDocument,
  type WorkflowAbortDocument,
  type WorkflowStartDocument,
  type WorkflowsDocument,
  workflowStartDocument,
  workflowsDocument,
} from './report/workflow-document.ts';
import { tellFailure } from './text/failure.ts';

export {
  DEFAULT_MAX_INLINE_FILES,
  type Evaluation,
  type JudgedOutputs,
  QualityGate,
  type QualityGateOptions,
  type StepReviews,
} from './app/quality-gate.ts';
export type * from './domain/agent.ts';
export type * from './domain/brand.ts';
export type * from './domain/change.ts';
export type * from './domain/dispatch.ts';
export type * from './domain/event.ts';
export type * from './domain/failure.ts';
export type * from './domain/finding.ts';
export type * from './domain/gate.ts';
export type * from './domain/phase.ts';
export type * from './domain/phase-run.ts';
export type * from './domain/ports.ts';
export type * from './domain/problem.ts';
export type * from './domain/quality.ts';
export { QualityCliError, QualityGateError } from './domain/quality.ts';
export type * from './domain/receipt.ts';
export type * from './domain/record.ts';
export type * from './domain/rule.ts';
export type * from './domain/scope.ts';
export type * from './domain/settings.ts';
export type * from './domain/slot.ts';
export type * from './domain/usage.ts';
export { decideDispatch } from './plan/decide-dispatch.ts';
export { matchRules } from './plan/match.ts';
export { qualityTimeoutSeconds } from './plan/quality-timeout.ts';
export { reviewId } from './plan/review-id.ts';
export { planSlots } from './plan/slots.ts';
export { composePrompt } from './prompt/compose.ts';
export type {
  ExplainDocument,
  FindingDocument,
  InstructionsDocument,
  PassDocument,
  PhaseDocument,
  PhasePlanDocument,
  QualityCliOptions,
  RulesDocument,
  RunDocument,
  RunExplanationDocument,
  StepEndDocument,
  WorkflowAbortDocument,
  WorkflowStartDocument,
  WorkflowsDocument,
};

/** Expected trouble, with its kind and facts; the message says what happened and what to do. */
export class OnceoverError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    const { what, next } = tellFailure(failure);
    super(`${what}\n${next}`);
    this.name = 'OnceoverError';
    this.failure = failure;
  }
}

/** Where to look, and at what; paths of files count from `root`, which is the working directory unless given. */
export type InstructionsOptions = {
  readonly root?: string;
  readonly files?: readonly string[];
  readonly base?: string;
  /** Whose personas to name. */
  readonly platform?: string;
};

/** Writes the instruction files of all reviews to do; answers with those and with what is skipped. */
export async function instructions(options: InstructionsOptions = {}): Promise<InstructionsDocument> {
  const outcome = await app.instructions(folder(options.root), {
    files: given(options.files),
    base: options.base ?? null,
  });
  return instructionsDocument(unwrap(outcome), options.platform ?? 'claude');
}

/** Writes the instruction files of all reviews to do and returns the list of them. */
export async function writeInstructionFiles(options: InstructionsOptions = {}): Promise<InstructionsDocument['tasks']> {
  return (await instructions(options)).tasks;
}

/** The configured rules; with files, those that match one of them. */
export async function configuredReviews(
  options: { readonly root?: string; readonly files?: readonly string[] } = {},
): Promise<RulesDocument> {
  const found = unwrap(await app.rules(folder(options.root), given(options.files)));
  return rulesDocument(found.rules, found.notices);
}

/** Marks a review as passed. */
export async function markReviewAsPassed(
  reviewId: string,
  options: { readonly root?: string } = {},
): Promise<PassDocument> {
  return passDocument(unwrap(await app.pass(folder(options.root), reviewId, 'library')));
}

/** Why a review, gate, slot or finding stands as it does. */
export async function explain(
  name: string,
  options: { readonly root?: string; readonly base?: string } = {},
): Promise<ExplainDocument | RunExplanationDocument> {
  const explained = unwrap(await app.explain(folder(options.root), name, { base: options.base ?? null }));
  return explained.about === 'review'
    ? explainDocument(explained.explanation)
    : runExplanationDocument(explained.explanation);
}

/** What to run the gates on; everything is optional. */
export type RunOptions = {
  readonly root?: string;
  readonly base?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
  readonly files?: readonly string[];
  readonly gates?: readonly string[];
  readonly paths?: readonly string[];
  readonly force?: boolean;
  readonly fresh?: boolean;
  readonly all?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: Event) => void;
};

/** Runs the gates; the document's `exit_code` is 0 only if every gate holds. */
export async function run(options: RunOptions = {}): Promise<RunDocument> {
  return runDocument(unwrap(await app.run(folder(options.root), wishOf(options))));
}

/** What holds, rests and is open, without running anything. */
export async function status(options: Pick<RunOptions, 'root' | 'base'> = {}): Promise<RunDocument> {
  return runDocument(unwrap(await app.preview(folder(options.root), wishOf(options))).outcome);
}

/** Says of a finding that it is fixed, or why it is left. */
export async function resolveFinding(
  id: string,
  word: { readonly how: 'fixed' | 'skipped'; readonly why: string },
  options: { readonly root?: string } = {},
): Promise<FindingDocument> {
  return resolvedDocument(unwrap(await app.resolve(folder(options.root), id, word)).finding);
}

/** How a phase is played; everything is optional. Without a fixer and without steps: one look, and its verdict. */
export type PhaseOptions = {
  readonly root?: string;
  /** The agent that mends what is found. */
  readonly fixer?: string;
  /** One round a call: whoever calls mends in between, and says with `summary` what it did. */
  readonly step?: boolean;
  readonly summary?: string;
  readonly keepSessions?: boolean;
  readonly rerun?: boolean;
  readonly acceptWithNotes?: boolean;
  readonly maxIterations?: number;
  /** False: fixes are not committed. */
  readonly commit?: boolean;
  /** Of implement alone, as are those below. */
  readonly files?: readonly string[];
  readonly base?: string;
  readonly simplify?: boolean;
  readonly deepenTests?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: Event) => void;
};

/** Plays a phase of a feature; its status is "approved" only if the reviewers approved what is there now. */
export async function phase(name: PhaseName, feature: string, options: PhaseOptions = {}): Promise<PhaseDocument> {
  return phaseDocument(unwrap(await app.phase(folder(options.root), phaseWishOf(name, feature, options))));
}

/** What a phase would do next; nobody is asked and nothing is written. */
export async function previewPhase(
  name: PhaseName,
  feature: string,
  options: PhaseOptions = {},
): Promise<PhasePlanDocument> {
  return phasePlanDocument(unwrap(await app.previewPhase(folder(options.root), phaseWishOf(name, feature, options))));
}

function phaseWishOf(name: PhaseName, feature: string, options: PhaseOptions): app.PhaseWish {
  return {
    phase: name,
    feature,
    fixer: options.fixer ?? null,
    step: options.step === true,
    summary: options.summary ?? null,
    rerun: options.rerun === true,
    acceptWithNotes: options.acceptWithNotes === true,
    mostIterations: options.maxIterations ?? null,
    commits: options.commit !== false,
    keepSessions: options.keepSessions === true,
    files: given(options.files),
    base: options.base ?? null,
    simplify: options.simplify === true,
    deepenTests: options.deepenTests === true,
    startedBy: 'person',
    reporter: { tell: (event) => options.onEvent?.(event) },
    stop: options.signal ?? null,
  };
}

/** An agent of this machine as the `cli` of a quality gate, for files of the repository that `root` is in. */
export async function openQualityCli(
  options: QualityCliOptions & { readonly root?: string | undefined } = {},
): Promise<QualityCli> {
  const { openQualityCli: open } = await import('./app/quality-cli.ts');
  return unwrap(await open(folder(options.root), options));
}

/** Who reviews the outputs of steps, and how it is heard of. */
export type WorkflowOptions = {
  readonly root?: string;
  /** The agent that reviews; at a start, Claude Code where it is here. */
  readonly reviewer?: string;
  readonly signal?: AbortSignal;
  /** Hears of each review that has ended. */
  readonly onProgress?: (done: number, of: number) => void;
};

/** The jobs of the repository with their workflows, and what is going on. */
export async function workflows(options: { readonly root?: string } = {}): Promise<WorkflowsDocument> {
  return workflowsDocument(unwrap(await app.workflows(folder(options.root))));
}

/** Begins a workflow; `selfReview`: whoever makes the outputs has them reviewed. */
export async function startWorkflow(
  job: string,
  goal: string,
  options: WorkflowOptions & { readonly workflow?: string; readonly selfReview?: boolean } = {},
): Promise<WorkflowStartDocument> {
  const { workflow = null, selfReview = false } = options;
  const wish = { ...callerOf(options), job, goal, workflow, selfReview };
  return workflowStartDocument(unwrap(await app.startWorkflow(folder(options.root), wish)));
}

/** Says that a step is finished; its outputs are checked and judged. Paths count from `root`. */
export async function finishStep(
  outputs: Readonly<Record<string, string | readonly string[]>>,
  options: WorkflowOptions & {
    readonly notes?: string;
    /** Why it counts as finished without a pass; only after a review. */
    readonly override?: string;
    readonly session?: string;
    readonly step?: string;
  } = {},
): Promise<StepEndDocument> {
  const ended = await app.finishStep(folder(options.root), {
    ...callerOf(options),
    named: options.session ?? null,
    own: null,
    step: options.step ?? null,
    outputs: { values: outputs, typed: true },
    pathsFrom: 'arguments',
    notes: options.notes ?? null,
    override: options.override ?? null,
  });
  return stepEndDocument(unwrap(ended));
}

/** Ends a workflow that nobody goes on with; answers with where it stood. */
export async function abortWorkflow(
  explanation: string,
  options: { readonly root?: string; readonly session?: string } = {},
): Promise<WorkflowAbortDocument> {
  const wish = { named: options.session ?? null, own: null, explanation };
  return sessionDocument(unwrap(await app.abortWorkflow(folder(options.root), wish)));
}

function callerOf({ reviewer, signal, onProgress }: WorkflowOptions) {
  const progress = (done: number, of: number) => onProgress?.(done, of);
  return { startedBy: 'person', reviewer: reviewer ?? null, stop: signal ?? null, progress } as const;
}

function wishOf(options: RunOptions): app.RunWish {
  const { commit, files, base = null } = options;
  return {
    selection:
      commit !== undefined
        ? { kind: 'commit', commit }
        : options.uncommitted === true
          ? { kind: 'uncommitted' }
          : files !== undefined
            ? { kind: 'files', files: { names: files, source: 'arguments' }, base }
            : { kind: 'change', base },
    gates: options.gates ?? [],
    paths: options.paths ?? [],
    force: options.force === true,
    fresh: options.fresh === true,
    all: options.all === true,
    startedBy: 'person',
    reporter: { tell: (event) => options.onEvent?.(event) },
    stop: options.signal ?? null,
  };
}

function folder(root: string | undefined): string {
  return resolve(root ?? '.');
}

function given(files: readonly string[] | undefined): app.GivenFiles | null {
  return files === undefined ? null : { names: files, source: 'arguments' };
}

function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new OnceoverError(result.failure);
}
