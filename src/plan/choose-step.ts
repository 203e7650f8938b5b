import type { Job, Step } from '../domain/job.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { WorkflowSession } from '../domain/workflow.ts';
import { nameOf, openSteps } from './workflow-session.ts';

/** The step that is meant to be finished: the one named; else the one whose outputs these are; else the only open one. */
export function chooseStep(
  session: WorkflowSession,
  job: Job,
  asked: { readonly step: string | null; readonly outputs: readonly string[] },
): Result<Step> {
  const open = openSteps(session).flatMap(({ id }) => job.steps.find((step) => step.id === id) ?? []);
  const whose = { session: nameOf(session), open: open.map(({ id }) => id) };
  if (asked.step !== null) return namedStep(session, open, asked.step);
  const [fitting, ...more] = open.filter((step) => fits(step, asked.outputs));
  if (fitting !== undefined && more.length === 0) return done(fitting);
  const before = fitting === undefined ? finishedWith(session, job, asked.outputs) : null;
  if (before !== null) return failed({ kind: 'step-finished', ...whose, ...before });
  const [only, ...others] = open;
  if (only !== undefined && others.length === 0) return done(only);
  const outputsOf = (step: Step) => step.outputs.map(({ name }) => name);
  return failed({
    kind: 'which-step',
    session: whose.session,
    open: open.map((step) => ({ id: step.id, outputs: outputsOf(step) })),
  });
}

function namedStep(session: WorkflowSession, open: readonly Step[], step: string): Result<Step> {
  const found = open.find(({ id }) => id === step);
  if (found !== undefined) return done(found);
  const whose = { session: nameOf(session), step, open: open.map(({ id }) => id) };
  const state = session.steps.find(({ id }) => id === step);
  if (state === undefined) return failed({ kind: 'no-such-step', ...whose });
  if (state.finished === null) return failed({ kind: 'step-not-begun', ...whose });
  return failed({ kind: 'step-finished', ...whose, at: state.finished.at });
}

/** Whether these are outputs of the step, with none missing. */
function fits(step: Step, names: readonly string[]): boolean {
  return (
    names.every((name) => step.outputs.some((output) => output.name === name)) &&
    step.outputs.every(({ name, required }) => !required || names.includes(name))
  );
}

/** A step that is finished already, and whose outputs these are. */
function finishedWith(
  session: WorkflowSession,
  job: Job,
  names: readonly string[],
): { readonly step: string; readonly at: string } | null {
  if (names.length === 0) return null;
  for (const { id, finished } of session.steps) {
    const step = job.steps.find((one) => one.id === id);
    if (finished !== null && step !== undefined && fits(step, names)) return { step: id, at: finished.at };
  }
  return null;
}
