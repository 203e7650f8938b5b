import { err, ok, type Result } from '../../kernel/result.ts';
import { type AskedSession, checkOutputs, chooseStep, type GivenOutputs } from '../decide/choose.ts';
import { decideFinish, evaluationsOf, instructionsDigest } from '../decide/finish.ts';
import { WHOLE_STEP } from '../quality/types.ts';
import { changeStep, finishStep, isCurrent, recordVerdict, sessionName, stepState } from '../session.ts';
import type { StepEnd } from '../types.ts';
import { catchGateError, digestsOf, endRequest, type FinishingStep, locateOutputs, reviewStep } from './run-reviews.ts';
import { findSession, type WorkflowPorts } from './start.ts';

export type FinishRequest = AskedSession & {
  readonly step: string | null;
  readonly outputs: GivenOutputs;
  readonly notes: string | null;
  readonly override: string | null;
  /** The agent that reviews from now on; `null` keeps the reviewer of the session. */
  readonly reviewer: string | null;
};

/** Checks the outputs of a step, has them reviewed if needed, and returns the next steps. */
export async function finishWorkflowStep(ports: WorkflowPorts, request: FinishRequest): Promise<Result<StepEnd>> {
  const prepared = await prepare(ports, request);
  if (!prepared.ok) return prepared;
  const finishing = prepared.value;
  const { session, step, reviewer, outputs, digests } = finishing;
  const decision = decideFinish({
    state: stepState(session, step.id),
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
      return conclude(ports, finishing, { ...decision, judged: 0 });
    case 'judge': {
      const failed = await reviewStep(ports, finishing, decision);
      if (!failed.ok) return failed;
      if (failed.value !== null) return ok(failed.value);
      const { evaluations, skipped } = decision;
      return conclude(ports, finishing, { override: null, skipped, judged: evaluations.length });
    }
  }
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
  const { session, step, reviewer, outputs, notes } = finishing;
  const judge = await ports.judge(reviewer, { job: session.job, session: session.id, step: step.id });
  if (!judge.ok) return judge;
  const { reviews, outputs: outputSpecs } = step;
  const given = { reviews, outputs, outputSpecs, projectRoot: ports.root, notes };
  const text = await catchGateError(() => judge.value.buildReviewInstructionsFile(given));
  if (!text.ok) {
    const errors = [{ runEach: WHOLE_STEP, file: null, said: text.said }];
    return err({ kind: 'no-verdict', session: sessionName(session), step: step.id, errors, passed: 0 });
  }
  const written = await ports.sessions.writeInstructions(session.id, step.id, text.value);
  if (!written.ok) return written;
  const instructed = { digest: instructionsDigest(step, outputs), file: written.value, at: now(ports) };
  return endRequest(ports, finishing, { kind: 'instructed' }, (open) => changeStep(open, step.id, { instructed }));
}

/** Finishes the step and starts the steps that wait for it. */
function conclude(
  ports: WorkflowPorts,
  finishing: FinishingStep,
  { override, judged, skipped }: Pick<StepEnd, 'judged' | 'skipped'> & { readonly override: string | null },
): Promise<Result<StepEnd>> {
  const { step, reviewer, outputs, notes } = finishing;
  // A self-review counts as a verdict. An override after a failed review does not.
  const isVerdict = override === null ? judged > 0 : reviewer.kind === 'self';
  return endRequest(ports, finishing, { kind: 'finished', judged, skipped }, (open) => {
    const reviewed = isVerdict ? recordVerdict(open, step.id, []) : open;
    return finishStep(reviewed, step.id, { at: now(ports), outputs, notes, override });
  });
}

function now({ clock }: WorkflowPorts): string {
  return clock.now().toISOString();
}
