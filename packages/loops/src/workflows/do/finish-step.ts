import type { LedgerStep } from '@onceover/agents/ledger/entries';
import type { ReviewTrouble, UnusableOutput } from '@onceover/base/kernel/failure';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Clock } from '@onceover/base/kernel/ports';
import type { Contents } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { type AskedSession, checkOutputs, chooseSession, chooseStep, type GivenOutputs } from '../decide/choose.ts';
import {
  decideFinish,
  type FinishDecision,
  type FinishingStep,
  instructionsDigest,
  type QualityEvaluation,
} from '../decide/finish.ts';
import type { QualityGate } from '../quality/gate.ts';
import { outputFiles } from '../quality/tasks.ts';
import {
  QualityGateError,
  type ReviewName,
  type ReviewResult,
  type StepOutputs,
  WHOLE_STEP,
} from '../quality/types.ts';
import type { WorkflowSessions } from '../record/sessions.ts';
import {
  begunSteps,
  changeStep,
  finishStep,
  isCurrent,
  openSteps,
  recordPass,
  recordVerdict,
  sessionName,
  stepState,
} from '../session.ts';
import type { Job, SessionReviewer, Step, StepEnd, WorkflowSession } from '../types.ts';

/** The names that identify a step of a session in the ledger (the log of all calls). */
export type StepName = Pick<LedgerStep, 'job' | 'session' | 'step'>;

/**
 * Judges the outputs of a step, or writes instructions to review them. Throws a QualityGateError if there is no
 * verdict.
 */
export type OutputJudge = Pick<QualityGate, 'evaluate' | 'buildReviewInstructionsFile'>;

/** The files, sessions, jobs and reviewers that are needed to finish a step. */
export type WorkflowPorts = {
  readonly root: string;
  readonly sessions: WorkflowSessions;
  /** Opens the files of the working tree with their current contents. */
  contents(): Contents;
  readonly clock: Clock;
  /** Returns the current definition of a job. */
  job(name: string): Result<Job>;
  judge(reviewer: SessionReviewer, about: StepName): Promise<Result<OutputJudge>>;
  /** Returns the path that a caller gave as a path relative to the repository's root; `null` if it is outside. */
  locate(path: string): RepoPath | null;
  /** Called before the first review and after each review. */
  progress(done: number, of: number): void;
};

export type FinishRequest = AskedSession & {
  readonly step: string | null;
  readonly outputs: GivenOutputs;
  readonly notes: string | null;
  readonly override: string | null;
  /** The agent that reviews this step and the later ones; `null` if the session keeps its reviewer. */
  readonly reviewer: string | null;
};

/** Finishes a step: checks its outputs, has them reviewed if needed, and returns the next steps. */
export async function finishWorkflowStep(ports: WorkflowPorts, request: FinishRequest): Promise<Result<StepEnd>> {
  const preparation = await prepare(ports, request);
  if (!preparation.ok) return preparation;
  const finishing = preparation.value;
  const decision = decideFinish(finishing);
  switch (decision.kind) {
    case 'refuse':
      return err({ kind: 'override-refused', step: finishing.step.id, why: decision.why });
    case 'instruct':
      return instruct(ports, finishing);
    case 'override':
      return conclude(ports, finishing, { override: decision.reason, judged: 0, skipped: [] });
    case 'review': {
      const { evaluations, skipped } = decision;
      const reviewEnd = evaluations.length === 0 ? ok(null) : await reviewStep(ports, finishing, decision);
      if (!reviewEnd.ok) return reviewEnd;
      if (reviewEnd.value !== null) return ok(reviewEnd.value);
      return conclude(ports, finishing, { override: null, judged: evaluations.length, skipped });
    }
  }
}

/** Ends a session before its last step, and stores the caller's explanation. The output files of its steps stay. */
export async function abortWorkflow(
  ports: Pick<WorkflowPorts, 'sessions' | 'clock'>,
  request: AskedSession & { readonly explanation: string },
): Promise<Result<WorkflowSession>> {
  const currentSession = await findSession(ports.sessions, request);
  if (!currentSession.ok) return currentSession;
  return ports.sessions.update(currentSession.value.id, (session) => {
    const { end } = session;
    if (end !== null) return err({ kind: 'session-ended', session: sessionName(session), end });
    return ok({ ...session, end: { kind: 'aborted', at: now(ports), explanation: request.explanation } });
  });
}

/**
 * Returns the session that the caller means. Fails if a damaged file may contain that session, and renames the file.
 */
async function findSession(sessions: WorkflowSessions, request: AskedSession): Promise<Result<WorkflowSession>> {
  const storedSessions = await sessions.all();
  if (!storedSessions.ok) return storedSessions;
  const { named } = request;
  const damagedSession = storedSessions.value.unreadable.find(({ id }) => named === null || named === id);
  if (damagedSession === undefined) return chooseSession(storedSessions.value.sessions, request);
  const aside = await sessions.putAside(damagedSession.id);
  return aside.ok ? err({ kind: 'unreadable-session', ...damagedSession, aside: aside.value }) : aside;
}

async function prepare(ports: WorkflowPorts, request: FinishRequest): Promise<Result<FinishingStep>> {
  const session = await findSession(ports.sessions, request);
  if (!session.ok) return session;
  const job = ports.job(session.value.job);
  if (!job.ok) return job;
  const workflow = job.value.workflows.find(({ name }) => name === session.value.workflow);
  if (workflow === undefined || !isCurrent(session.value, workflow)) {
    return err({ kind: 'session-outdated', session: sessionName(session.value) });
  }
  const names = Object.keys(request.outputs.values);
  const step = chooseStep(session.value, job.value, { step: request.step, outputs: names });
  if (!step.ok) return step;
  const checkedOutputs = checkOutputs(sessionName(session.value), step.value, request.outputs);
  if (!checkedOutputs.ok) return checkedOutputs;
  const contents = ports.contents();
  const outputs = await locateOutputs(ports, contents, step.value, checkedOutputs.value);
  if (!outputs.ok) return outputs;
  return ok({
    session: session.value,
    job: job.value,
    step: step.value,
    reviewer: request.reviewer === null ? session.value.reviewer : { kind: 'agent', name: request.reviewer },
    outputs: outputs.value,
    digests: await digestsOf(contents, outputs.value),
    notes: request.notes?.trim() || null,
    override: request.override,
  });
}

/**
 * Returns the outputs with paths relative to the root. Fails if a path is not a readable regular file inside the root.
 */
export async function locateOutputs(
  { locate }: Pick<WorkflowPorts, 'locate'>,
  contents: Contents,
  step: Step,
  outputs: StepOutputs,
): Promise<Result<StepOutputs>> {
  const entries: [string, string | readonly string[]][] = [];
  for (const [name, value] of Object.entries(outputs)) {
    const paths: string[] = [];
    for (const path of typeof value === 'string' ? [value] : value) {
      const location = path === '' ? null : locate(path);
      const why = path === '' ? 'missing' : location === null ? 'outside' : await unusable(contents, location);
      if (why !== null) return err({ kind: 'unusable-output', step: step.id, name, path, why });
      if (location !== null && !paths.includes(location)) paths.push(location);
    }
    entries.push([name, typeof value === 'string' ? (paths[0] ?? value) : paths]);
  }
  return ok(Object.fromEntries(entries));
}

async function unusable(contents: Contents, path: RepoPath): Promise<UnusableOutput | null> {
  // A limit of 0 bytes means that no content is read, because the file may be large and need not be text.
  const text = await contents.text(path, 0);
  if (text.kind === 'text') return null;
  if (text.why === 'not-a-file') return (await contents.exists(path)) === 'folder' ? 'folder' : 'not-a-file';
  return text.why === 'missing' || text.why === 'outside' ? text.why : 'unreadable';
}

/** Returns the digest of the content of each output file, by path. Unreadable files are left out. */
export async function digestsOf(contents: Contents, outputs: StepOutputs): Promise<ReadonlyMap<string, string>> {
  const paths = [...new Set(outputFiles(outputs).map(({ path }) => path))] as RepoPath[];
  const { files } = await contents.digest(paths);
  return new Map(files.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [[path, sha256] as const])));
}

/** Writes instructions for a self-review, and records the files and criteria for which they were written. */
async function instruct(ports: WorkflowPorts, finishing: FinishingStep): Promise<Result<StepEnd>> {
  const { session, step, reviewer, outputs, notes } = finishing;
  const judge = await ports.judge(reviewer, { job: session.job, session: session.id, step: step.id });
  if (!judge.ok) return judge;
  const { reviews, outputs: outputSpecs } = step;
  const stepReviews = { reviews, outputs, outputSpecs, projectRoot: ports.root, notes };
  const about = { review_run_each: WHOLE_STEP, target_file: null };
  const text = await orTrouble(about, () => judge.value.buildReviewInstructionsFile(stepReviews));
  if (typeof text !== 'string') {
    return err({ kind: 'no-verdict', session: sessionName(session), step: step.id, errors: [text], passed: 0 });
  }
  const instructionsFile = await ports.sessions.writeInstructions(session.id, step.id, text);
  if (!instructionsFile.ok) return instructionsFile;
  const instruction = { digest: instructionsDigest(step, outputs), file: instructionsFile.value, at: now(ports) };
  return endRequest(ports, finishing, { kind: 'instructed' }, (open) =>
    changeStep(open, step.id, { instructed: instruction }),
  );
}

/** Finishes the step and starts the steps that were waiting for it. */
function conclude(
  ports: WorkflowPorts,
  finishing: FinishingStep,
  { override, judged, skipped }: Pick<StepEnd, 'judged' | 'skipped'> & { readonly override: string | null },
): Promise<Result<StepEnd>> {
  const { step, reviewer, outputs, notes } = finishing;
  // Finishing a step in spite of a self-review counts as one more verdict. A failed review by a reviewer has already
  // been counted.
  const isVerdict = override === null ? judged > 0 : reviewer.kind === 'self';
  return endRequest(ports, finishing, { kind: 'finished', judged, skipped }, (open) => {
    const session = isVerdict ? recordVerdict(open, step.id, []) : open;
    return finishStep(session, step.id, { at: now(ports), outputs, notes, override });
  });
}

/** Runs all reviews of a step in parallel. Returns `null` if all passed. Stores each pass immediately. */
async function reviewStep(
  ports: WorkflowPorts,
  finishing: FinishingStep,
  { evaluations, skipped }: Extract<FinishDecision, { kind: 'review' }>,
): Promise<Result<StepEnd | null>> {
  const { session, step, reviewer } = finishing;
  const judge = await ports.judge(reviewer, { job: session.job, session: session.id, step: step.id });
  if (!judge.ok) return judge;
  let doneCount = 0;
  ports.progress(0, evaluations.length);
  const ends = await Promise.all(
    evaluations.map(async (evaluation) => {
      const end = await evaluateOnce(ports, judge.value, finishing, evaluation);
      ports.progress(++doneCount, evaluations.length);
      return end;
    }),
  );
  const failedReviews: ReviewResult[] = [];
  const errors: ReviewTrouble[] = [];
  for (const end of ends) {
    if (!end.ok) return end;
    if ('message' in end.value) errors.push(end.value);
    else if (!end.value.passed) failedReviews.push(end.value);
  }
  const judgedCount = ends.length - errors.length;
  if (failedReviews.length > 0) {
    const end = { kind: 'failed', judged: judgedCount, errors, skipped } as const;
    return endRequest(ports, finishing, end, (open) => recordVerdict(open, step.id, failedReviews));
  }
  if (errors.length === 0) return ok(null);
  const passedCount = skipped.length + judgedCount;
  return err({ kind: 'no-verdict', session: sessionName(session), step: step.id, errors, passed: passedCount });
}

/**
 * Runs one review. Returns its verdict, or why there is none. Fails if a pass cannot be stored or a file changed during
 * the review.
 */
async function evaluateOnce(
  ports: WorkflowPorts,
  judge: OutputJudge,
  { session, step, digests, notes }: FinishingStep,
  { review, outputs, about, digest }: QualityEvaluation,
): Promise<Result<ReviewResult | ReviewTrouble>> {
  const verdict = await orTrouble(about, () =>
    judge.evaluate({
      qualityCriteria: review.quality_criteria,
      additionalReviewGuidance: review.additional_review_guidance,
      outputs,
      projectRoot: ports.root,
      notes,
    }),
  );
  if ('message' in verdict) return ok(verdict);
  const after = await digestsOf(ports.contents(), outputs);
  const paths = outputFiles(outputs).map(({ path }) => path);
  const changedPaths = paths.filter((path) => after.get(path) !== digests.get(path));
  if (changedPaths.length > 0) return err({ kind: 'outputs-changed', step: step.id, paths: changedPaths });
  const result = ok({ ...verdict, ...about });
  if (!verdict.passed) return result;
  const updateResult = await ports.sessions.update(session.id, (now) => ok(recordPass(now, step.id, digest)));
  return updateResult.ok ? result : updateResult;
}

/** Returns the result of `call`. If `call` throws a QualityGateError, returns the reason why there is no verdict. */
async function orTrouble<T>(about: ReviewName, call: () => Promise<T>): Promise<T | ReviewTrouble> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof QualityGateError)) throw error;
    return { ...about, message: error.message };
  }
}

/**
 * Stores the result of an attempt to finish a step, and returns it. Fails if another process ended the session or
 * finished the step.
 */
async function endRequest(
  { sessions }: WorkflowPorts,
  { session: { id }, job, step, reviewer }: FinishingStep,
  end: Pick<StepEnd, 'kind'> & Partial<StepEnd>,
  change: (session: WorkflowSession) => WorkflowSession,
): Promise<Result<StepEnd>> {
  const updateResult = await sessions.update(id, (now) => {
    const name = sessionName(now);
    if (now.end !== null) return err({ kind: 'session-ended', session: name, end: now.end });
    const { finished } = stepState(now, step.id);
    if (finished === null) return ok(change({ ...now, reviewer }));
    const open = openSteps(now).map((openStep) => openStep.id);
    return err({ kind: 'step-finished', session: name, step: step.id, at: finished.at, open });
  });
  if (!updateResult.ok) return updateResult;
  const session = updateResult.value;
  const state = stepState(session, step.id);
  // A step of a later group can be open only because this call started it.
  const nextSteps = openSteps(session).filter(({ group }) => group > state.group);
  return ok({
    ...{ judged: 0, skipped: [], errors: [], notInLedger: null },
    ...end,
    session,
    step: state,
    begun: begunSteps(session, job, nextSteps),
  });
}

function now({ clock }: Pick<WorkflowPorts, 'clock'>): string {
  return clock.now().toISOString();
}
