import type { SessionName } from '@onceover/base/kernel/failure';
import type { SessionId } from '@onceover/base/kernel/ids';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { StepOutputs } from '../quality/types.ts';
import { openSteps, sessionName } from '../session.ts';
import type { Job, Step, WorkflowSession } from '../types.ts';

/** The outputs that a caller names when it finishes a step: paths by output name. */
export type GivenOutputs = {
  readonly values: StepOutputs;
  /**
   * Whether the caller distinguishes one path from a list of paths. A command line does not: there, every value is a
   * list.
   */
  readonly typed: boolean;
};

/**
 * Returns the given outputs in the order in which the step defines them. Fails if an output is unknown, missing or of
 * the wrong type.
 */
export function checkOutputs(session: SessionName, step: Step, outputs: GivenOutputs): Result<StepOutputs> {
  const specs = Object.entries(step.outputs);
  const validNames = specs.map(([name]) => name);
  const unknownName = Object.keys(outputs.values).find((name) => !validNames.includes(name));
  if (unknownName !== undefined)
    return err({ kind: 'unknown-output', session, step: step.id, name: unknownName, known: validNames });
  const missing = missingOutputs(step, Object.keys(outputs.values));
  if (missing.length > 0) return err({ kind: 'missing-outputs', step: step.id, names: missing });
  const entries: [string, string | readonly string[]][] = [];
  for (const [name, { type: outputType, required }] of specs) {
    if (!Object.hasOwn(outputs.values, name)) continue;
    const paths = [outputs.values[name] ?? []].flat();
    const [only = ''] = paths;
    const isOne = outputs.typed
      ? typeof outputs.values[name] === 'string'
      : outputType === 'file' && paths.length === 1;
    const wrong = { kind: 'wrong-output-type', step: step.id, name, expected: outputType } as const;
    if (isOne !== (outputType === 'file')) return err({ ...wrong, given: isOne ? 'one' : 'several' });
    if (required && paths.length === 0) return err({ ...wrong, given: 'none' });
    entries.push([name, isOne ? only : [...new Set(paths)]]);
  }
  return ok(Object.fromEntries(entries));
}

/**
 * Returns the step to finish: the one that the caller names. If it names none, returns the only open step that has
 * these outputs, or the only open step at all.
 */
export function chooseStep(
  session: WorkflowSession,
  job: Job,
  request: { readonly step: string | null; readonly outputs: readonly string[] },
): Result<Step> {
  const open = openSteps(session).flatMap(({ id }) => job.steps.find((step) => step.id === id) ?? []);
  const context = { session: sessionName(session), open: open.map(({ id }) => id) };
  if (request.step !== null) {
    const { step } = request;
    const openStep = open.find(({ id }) => id === step);
    if (openStep !== undefined) return ok(openStep);
    const state = session.steps.find(({ id }) => id === step);
    if (state === undefined) return err({ kind: 'no-such-step', ...context, step });
    if (state.finished === null) return err({ kind: 'step-not-begun', ...context, step });
    return err({ kind: 'step-finished', ...context, step, at: state.finished.at });
  }
  const fitting = job.steps.filter((step) => fits(step, request.outputs));
  const fittingOpen = open.filter((step) => fitting.includes(step));
  if (fittingOpen.length === 0 && request.outputs.length > 0) {
    for (const { id, finished } of session.steps) {
      if (finished !== null && fitting.some((step) => step.id === id)) {
        return err({ kind: 'step-finished', ...context, step: id, at: finished.at });
      }
    }
  }
  const [only, ...alternatives] = fittingOpen.length === 1 ? fittingOpen : open;
  if (only !== undefined && alternatives.length === 0) return ok(only);
  return err({
    kind: 'which-step',
    session: context.session,
    open: open.map(({ id, outputs }) => ({ id, outputs: Object.keys(outputs) })),
  });
}

/** Whether all names are outputs of the step, and all required outputs are among them. */
function fits(step: Step, names: readonly string[]): boolean {
  return names.every((name) => Object.hasOwn(step.outputs, name)) && missingOutputs(step, names).length === 0;
}

function missingOutputs({ outputs }: Step, names: readonly string[]): readonly string[] {
  return Object.entries(outputs).flatMap(([name, { required }]) => (required && !names.includes(name) ? [name] : []));
}

/** The session that a caller means. `named`: the id in the request. `own`: the session that this caller started. */
export type AskedSession = { readonly named: string | null; readonly own: SessionId | null };

const MOST_ENDED = 3;

/**
 * Returns the session that the caller names. If it names none, returns the one that it started, or the only active one.
 * `sessions` must be sorted, newest first.
 */
export function chooseSession(sessions: readonly WorkflowSession[], request: AskedSession): Result<WorkflowSession> {
  const active = sessions.filter(({ end }) => end === null);
  if (request.named !== null) {
    const session = sessions.find(({ id }) => id === request.named);
    if (session === undefined)
      return err({ kind: 'unknown-session', id: request.named, active: active.map(sessionName) });
    return session.end === null
      ? ok(session)
      : err({ kind: 'session-ended', session: sessionName(session), end: session.end });
  }
  const [only, ...alternatives] = active;
  if (only === undefined) {
    return err({ kind: 'no-active-session', ended: sessions.slice(0, MOST_ENDED).map(sessionName) });
  }
  const ownSession = active.find(({ id }) => id === request.own);
  if (ownSession !== undefined) return ok(ownSession);
  return alternatives.length === 0 ? ok(only) : err({ kind: 'which-session', active: active.map(sessionName) });
}
