import { WHOLE_STEP } from '../domain/job.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { StepEnd } from '../domain/workflow-outcome.ts';
import { begunSteps } from '../plan/begun-steps.ts';
import { checkOutputs } from '../plan/check-outputs.ts';
import { chooseStep } from '../plan/choose-step.ts';
import { decideFinish } from '../plan/decide-finish.ts';
import { type Evaluation, evaluationsOf, instructionsDigest, outputSpecs, qualityReview } from '../plan/evaluations.ts';
import { finishStep, isCurrent, nameOf, rememberInstructions, rememberVerdict } from '../plan/workflow-session.ts';
import { judgeStep, whatIsSaid } from './judge-step.ts';
import { digestsOf, locateOutputs } from './step-outputs.ts';
import { changeOpenStep, findSession } from './workflow.ts';
import { type FinishingStep, type FinishRequest, stepName, type WorkflowPorts } from './workflow-ports.ts';

/** Checks what a step has made, has it judged where it is to be, and says what is next. */
export async function finishWorkflowStep(ports: WorkflowPorts, request: FinishRequest): Promise<Result<StepEnd>> {
  const finishing = await prepare(ports, request);
  if (!finishing.ok) return finishing;
  const { session, step, reviewer, outputs, digests } = finishing.value;
  const state = session.steps.find(({ id }) => id === step.id);
  const decision = decideFinish({
    state: state ?? { passed: [], failed: [], instructed: null },
    reviewer: reviewer.kind,
    evaluations: evaluationsOf(step, outputs, digests),
    instructionsDigest: instructionsDigest(step, outputs),
    override: request.override,
  });
  switch (decision.kind) {
    case 'refuse':
      return failed({ kind: 'override-refused', step: step.id, why: decision.why });
    case 'instruct':
      return instruct(ports, finishing.value);
    case 'finish':
      return conclude(ports, finishing.value, { override: decision.override, judged: 0, rests: decision.rests });
    case 'judge': {
      const judged = await judgeStep(ports, finishing.value, decision);
      if (!judged.ok) return judged;
      if (judged.value.kind !== 'passed') return done(judged.value);
      return conclude(ports, finishing.value, {
        override: null,
        judged: decision.evaluations.length,
        rests: decision.rests,
      });
    }
  }
}

async function prepare(ports: WorkflowPorts, request: FinishRequest): Promise<Result<FinishingStep>> {
  const session = await findSession(ports.sessions, request);
  if (!session.ok) return session;
  const job = await ports.job(session.value.job);
  if (!job.ok) return job;
  const workflow = job.value.workflows.find(({ name }) => name === session.value.workflow);
  if (workflow === undefined || !isCurrent(session.value, workflow)) {
    return failed({ kind: 'session-outdated', session: nameOf(session.value) });
  }
  const names = Object.keys(request.outputs.values);
  const step = chooseStep(session.value, job.value, { step: request.step, outputs: names });
  if (!step.ok) return step;
  const checked = checkOutputs(nameOf(session.value), step.value, request.outputs);
  if (!checked.ok) return checked;
  const contents = ports.contents();
  const outputs = await locateOutputs(ports, contents, step.value, checked.value);
  if (!outputs.ok) return outputs;
  return done({
    session: session.value,
    job: job.value,
    step: step.value,
    reviewer: request.reviewer === null ? session.value.reviewer : { kind: 'agent', name: request.reviewer },
    outputs: outputs.value,
    digests: await digestsOf(contents, outputs.value),
    notes: request.notes?.trim() || null,
  });
}

/** Writes instructions for whoever is to review, and remembers what they are for. */
async function instruct(ports: WorkflowPorts, finishing: FinishingStep): Promise<Result<StepEnd>> {
  const { session, step, reviewer, outputs, notes } = finishing;
  const judge = await ports.judge(reviewer, stepName(finishing));
  if (!judge.ok) return judge;
  const text = await whatIsSaid(() =>
    judge.value.buildReviewInstructionsFile({
      reviews: step.reviews.map(qualityReview),
      outputs,
      outputSpecs: outputSpecs(step),
      projectRoot: ports.root,
      notes,
    }),
  );
  if (!text.ok) {
    const errors = [{ runEach: WHOLE_STEP, file: null, said: text.said }];
    return failed({ kind: 'no-verdict', session: nameOf(session), step: step.id, errors, passed: 0 });
  }
  const file = await ports.sessions.writeInstructions(session.id, step.id, text.value);
  if (!file.ok) return file;
  const instructed = { digest: instructionsDigest(step, outputs), file: file.value, at: now(ports) };
  return changeOpenStep(ports.sessions, { id: session.id, step: step.id, reviewer }, (open) => {
    const next = rememberInstructions(open, step.id, instructed);
    const ended = { session: next, step: step.id, judged: 0, rests: [], notices: [] };
    const value: StepEnd = { kind: 'instructed', ...ended, file: file.value };
    return { session: next, value };
  });
}

/** The step is finished: those that wait for it begin. */
async function conclude(
  ports: WorkflowPorts,
  { session, job, step, reviewer, outputs, notes }: FinishingStep,
  how: { readonly override: string | null; readonly judged: number; readonly rests: readonly Evaluation[] },
): Promise<Result<StepEnd>> {
  // Somebody's own review is a verdict; going on after a failed one is none.
  const isVerdict = how.override === null ? how.judged > 0 : reviewer.kind === 'self';
  return changeOpenStep(ports.sessions, { id: session.id, step: step.id, reviewer }, (open) => {
    const judged = isVerdict ? rememberVerdict(open, step.id, []) : open;
    const finished = { at: now(ports), outputs, notes, override: how.override };
    const next = finishStep(judged, step.id, finished);
    const value: StepEnd = {
      kind: 'finished',
      session: next.session,
      step: step.id,
      override: how.override,
      judged: how.judged,
      rests: how.rests.map(({ about }) => about),
      notices: [],
      begun: begunSteps(next.session, job, next.begun),
    };
    return { session: next.session, value };
  });
}

function now({ clock }: WorkflowPorts): string {
  return clock.now().toISOString();
}
