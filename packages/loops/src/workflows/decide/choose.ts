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
export function checkOutputs(session: SessionName, step: Step, given: GivenOutputs): Result<StepOutputs> {
  const specs = Object.entries(step.outputs);
  const known = specs.map(([name]) => name);
  const unknown = Object.keys(given.values).find((name) => !known.includes(name));
  if (unknown !== undefined) return err({ kind: 'unknown-output', session, step: step.id, name: unknown, known });
  const missing = missingOutputs(step, Object.keys(given.values));
  if (missing.length > 0) return err({ kind: 'missing-outputs', step: step.id, names: missing });
  const checked: [string, string | readonly string[]][] = [];
  for (const [name, { type: expected, required }] of specs) {
    if (!Object.hasOwn(given.values, name)) continue;
    const paths = [given.values[name] ?? []].flat();
    const [only = ''] = paths;
    const isOne = given.typed ? typeof given.values[name] === 'string' : expected === 'file' && paths.length === 1;
    const wrong = { kind: 'wrong-output-type', step: step.id, name, expected } as const;
    if (isOne !== (expected === 'file')) return err({ ...wrong, given: isOne ? 'one' : 'several' });
    if (required && paths.length === 0) return err({ ...wrong, given: 'none' });
    checked.push([name, isOne ? only : [...new Set(paths)]]);
  }
  return ok(Object.fromEntries(checked));
}

/**
 * Returns the step to finish: the one that the caller names. If it names none, returns the only open step that has
 * these outputs, or the only open step at all.
 */
export function chooseStep(
  session: WorkflowSession,
  job: Job,
  wanted: { readonly step: string | null; readonly outputs: readonly string[] },
): Result<Step> {
  const open = openSteps(session).flatMap(({ id }) => job.steps.find((step) => step.id === id) ?? []);
  const context = { session: sessionName(session), open: open.map(({ id }) => id) };
  if (wanted.step !== null) {
    const { step } = wanted;
    const named = open.find(({ id }) => id === step);
    if (named !== undefined) return ok(named);
    const state = session.steps.find(({ id }) => id === step);
    if (state === undefined) return err({ kind: 'no-such-step', ...context, step });
    if (state.finished === null) return err({ kind: 'step-not-begun', ...context, step });
    return err({ kind: 'step-finished', ...context, step, at: state.finished.at });
  }
  const fitting = job.steps.filter((step) => fits(step, wanted.outputs));
  const fittingOpen = open.filter((step) => fitting.includes(step));
  if (fittingOpen.length === 0 && wanted.outputs.length > 0) {
    for (const { id, finished } of session.steps) {
      if (finished !== null && fitting.some((step) => step.id === id)) {
        return err({ kind: 'step-finished', ...context, step: id, at: finished.at });
      }
    }
  }
  const [only, ...others] = fittingOpen.length === 1 ? fittingOpen : open;
  if (only !== undefined && others.length === 0) return ok(only);
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
export function chooseSession(sessions: readonly WorkflowSession[], wanted: AskedSession): Result<WorkflowSession> {
  const active = sessions.filter(({ end }) => end === null);
  if (wanted.named !== null) {
    const found = sessions.find(({ id }) => id === wanted.named);
    if (found === undefined) return err({ kind: 'unknown-session', id: wanted.named, active: active.map(sessionName) });
    return found.end === null ? ok(found) : err({ kind: 'session-ended', session: sessionName(found), end: found.end });
  }
  const [only, ...others] = active;
  if (only === undefined) {
    return err({ kind: 'no-active-session', ended: sessions.slice(0, MOST_ENDED).map(sessionName) });
  }
  const own = active.find(({ id }) => id === wanted.own);
  if (own !== undefined) return ok(own);
  return others.length === 0 ? ok(only) : err({ kind: 'which-session', active: active.map(sessionName) });
}
