import type { SessionName } from '../../kernel/failure.ts';
import type { SessionId } from '../../kernel/ids.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import type { StepOutputs } from '../quality/types.ts';
import { openSteps, sessionName, stepState } from '../session.ts';
import type { Job, OutputSpec, Step, WorkflowSession } from '../types.ts';

/** Paths by output name, as the caller gives them to finish a step. */
export type GivenOutputs = {
  readonly values: StepOutputs;
  /** False if every value is a list. On a command line, one path looks the same as a list of one path. */
  readonly typed: boolean;
};

/** Returns the outputs in the order of the step, or a failure if they are not the outputs that the step needs. */
export function checkOutputs(session: SessionName, step: Step, given: GivenOutputs): Result<StepOutputs> {
  const names = Object.keys(given.values);
  const known = step.outputs.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) return err({ kind: 'unknown-output', session, step: step.id, name: unknown, known });
  const missing = step.outputs.flatMap(({ name, required }) => (required && !names.includes(name) ? [name] : []));
  if (missing.length > 0) return err({ kind: 'missing-outputs', step: step.id, names: missing });
  const checked: [string, string | readonly string[]][] = [];
  for (const output of step.outputs) {
    const { name, type } = output;
    const value = Object.hasOwn(given.values, name) ? given.values[name] : undefined;
    if (value === undefined) continue;
    const typed = given.typed ? value : typedValue(output, value);
    const wrong = wrongType(output, typed);
    if (wrong !== null) return err({ kind: 'wrong-output-type', step: step.id, name, expected: type, given: wrong });
    checked.push([name, typeof typed === 'string' ? typed : [...new Set(typed)]]);
  }
  return ok(Object.fromEntries(checked));
}

function typedValue({ type }: OutputSpec, value: string | readonly string[]): string | readonly string[] {
  const [first, ...others] = value;
  return type === 'file' && typeof value !== 'string' && first !== undefined && others.length === 0 ? first : value;
}

function wrongType(
  { type, required }: OutputSpec,
  value: string | readonly string[],
): 'one' | 'several' | 'none' | null {
  if (typeof value === 'string') return type === 'file' ? null : 'one';
  if (type === 'file') return 'several';
  return required && value.length === 0 ? 'none' : null;
}

/** Returns the step to finish: the named one, else the only open step with these outputs, else the only open step. */
export function chooseStep(
  session: WorkflowSession,
  job: Job,
  wanted: { readonly step: string | null; readonly outputs: readonly string[] },
): Result<Step> {
  const findStep = (id: string) => job.steps.find((step) => step.id === id);
  const open = openSteps(session).flatMap(({ id }) => findStep(id) ?? []);
  const context = { session: sessionName(session), open: open.map(({ id }) => id) };
  if (wanted.step !== null) {
    const named = open.find(({ id }) => id === wanted.step);
    if (named !== undefined) return ok(named);
    const step = wanted.step;
    const state = stepState(session, step);
    if (state === undefined) return err({ kind: 'no-such-step', ...context, step });
    if (state.finished === null) return err({ kind: 'step-not-begun', ...context, step });
    return err({ kind: 'step-finished', ...context, step, at: state.finished.at });
  }
  const fitting = open.filter((step) => fits(step, wanted.outputs));
  if (fitting.length === 0 && wanted.outputs.length > 0) {
    for (const { id, finished } of session.steps) {
      const step = findStep(id);
      if (finished !== null && step !== undefined && fits(step, wanted.outputs)) {
        return err({ kind: 'step-finished', ...context, step: id, at: finished.at });
      }
    }
  }
  const [only, ...others] = fitting.length === 1 ? fitting : open;
  if (only !== undefined && others.length === 0) return ok(only);
  return err({
    kind: 'which-step',
    session: context.session,
    open: open.map(({ id, outputs }) => ({ id, outputs: outputs.map(({ name }) => name) })),
  });
}

/** Whether the names are outputs of the step and include all required outputs. */
function fits(step: Step, names: readonly string[]): boolean {
  return (
    names.every((name) => step.outputs.some((output) => output.name === name)) &&
    step.outputs.every(({ name, required }) => !required || names.includes(name))
  );
}

const MOST_ENDED = 3;

/**
 * Returns the named session, else the session that the same caller started, else the only active session. `sessions`
 * are all sessions, newest first.
 */
export function chooseSession(
  sessions: readonly WorkflowSession[],
  wanted: { readonly named: string | null; readonly own: SessionId | null },
): Result<WorkflowSession> {
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
