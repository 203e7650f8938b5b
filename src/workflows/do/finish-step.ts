import { err, ok, type Result } from '../../kernel/result.ts';
import { checkOutputs, chooseStep } from '../decide/choose.ts';
import { decideFinish, evaluationsOf, type FinishDecision, instructionsDigest, outputSpecs } from '../decide/finish.ts';
import {
  begunSteps,
  finishStep,
  isCurrent,
  recordInstructions,
  recordVerdict,
  sessionName,
  stepState,
} from '../session.ts';
import { type StepEnd, WHOLE_STEP } from '../types.ts';
import { catchGateError, digestsOf, locateOutputs, openJudge, reviewStep } from './run-reviews.ts';
import { changeOpenStep, type FinishingStep, type FinishRequest, findSession, type WorkflowPorts } from './start.ts';

/** Checks the outputs of a step, has them reviewed if needed, and returns the next steps. */
export async function finishWorkflowStep(ports: WorkflowPorts, request: FinishRequest): Promise<Result<StepEnd>> {
  const prepared = await prepare(ports, request);
  if (!prepared.ok) return prepared;
  const finishing = prepared.value;
  const { session, step, reviewer, outputs, digests } = finishing;
  const decision = decideFinish({
    state: stepState(session, step.id) ?? { passed: [], failed: [], instructed: null },
    reviewer: reviewer.kind,
    evaluations: evaluationsOf(step, outputs, digests),
    instructionsDigest: instructionsDigest(step, outputs),
    override: request.override,
  });
  switch (decision.kind) {
    case 'refuse':
      return err({ kind: 'override-refused', step: step.id, why: decision.why });
    case 'instruct':
      return instruct(ports, finishing);
    case 'finish':
      return conclude(ports, finishing, decision, 0);
    case 'judge': {
      const reviewed = await reviewStep(ports, finishing, decision);
      if (!reviewed.ok) return reviewed;
      if (reviewed.value.kind !== 'passed') return ok(reviewed.value);
      const { evaluations, skipped } = decision;
      return conclude(ports, finishing, { kind: 'finish', override: null, skipped }, evaluations.length);
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
    return err({ kind: 'session-outdated', session: sessionName(session.value) });
  }
  const names = Object.keys(request.outputs.values);
  const step = chooseStep(session.value, job.value, { step: request.step, outputs: names });
  if (!step.ok) return step;
  const checked = checkOutputs(sessionName(session.value), step.value, request.outputs);
  if (!checked.ok) return checked;
  const contents = ports.contents();
  const outputs = await locateOutputs(ports, contents, step.value, checked.value);
  if (!outputs.ok) return outputs;
  return ok({
    session: session.value,
    job: job.value,
    step: step.value,
    reviewer: request.reviewer === null ? session.value.reviewer : { kind: 'agent', name: request.reviewer },
    outputs: outputs.value,
    digests: await digestsOf(contents, outputs.value),
    notes: request.notes?.trim() || null,
  });
}

/** Writes instructions for a self-review and records the files and criteria that they are for. */
async function instruct(ports: WorkflowPorts, finishing: FinishingStep): Promise<Result<StepEnd>> {
  const { session, step, outputs, notes } = finishing;
  const judge = await openJudge(ports, finishing);
  if (!judge.ok) return judge;
  const text = await catchGateError(() =>
    judge.value.buildReviewInstructionsFile({
      reviews: step.reviews,
      outputs,
      outputSpecs: outputSpecs(step),
      projectRoot: ports.root,
      notes,
    }),
  );
  if (!text.ok) {
    const errors = [{ runEach: WHOLE_STEP, file: null, said: text.said }];
    return err({ kind: 'no-verdict', session: sessionName(session), step: step.id, errors, passed: 0 });
  }
  const written = await ports.sessions.writeInstructions(session.id, step.id, text.value);
  if (!written.ok) return written;
  const file = written.value;
  const instructed = { digest: instructionsDigest(step, outputs), file, at: now(ports) };
  return changeOpenStep<StepEnd>(ports.sessions, finishing, (open) => {
    const next = recordInstructions(open, step.id, instructed);
    return {
      session: next,
      value: { kind: 'instructed', session: next, step: step.id, judged: 0, skipped: [], notices: [], file },
    };
  });
}

/** Finishes the step and starts the steps that wait for it. */
async function conclude(
  ports: WorkflowPorts,
  finishing: FinishingStep,
  { override, skipped }: Extract<FinishDecision, { kind: 'finish' }>,
  judged: number,
): Promise<Result<StepEnd>> {
  const { job, step, reviewer, outputs, notes } = finishing;
  // A self-review counts as a verdict. An override after a failed review does not.
  const isVerdict = override === null ? judged > 0 : reviewer.kind === 'self';
  return changeOpenStep<StepEnd>(ports.sessions, finishing, (open) => {
    const reviewed = isVerdict ? recordVerdict(open, step.id, []) : open;
    const { session, begun } = finishStep(reviewed, step.id, { at: now(ports), outputs, notes, override });
    return {
      session,
      value: {
        kind: 'finished',
        session,
        step: step.id,
        override,
        judged,
        skipped: skipped.map(({ about }) => about),
        notices: [],
        begun: begunSteps(session, job, begun),
      },
    };
  });
}

function now({ clock }: WorkflowPorts): string {
  return clock.now().toISOString();
}
