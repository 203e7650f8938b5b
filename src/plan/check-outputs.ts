import type { OutputSpec, Step } from '../domain/job.ts';
import type { StepOutputs } from '../domain/quality.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { SessionName } from '../domain/workflow.ts';

/** Paths by the names of outputs, as whoever finishes a step gives them. */
export type GivenOutputs = {
  readonly values: Readonly<Record<string, string | readonly string[]>>;
  /** False: every value is a list, as on a command line, where one path and a list of one look the same. */
  readonly typed: boolean;
};

/** The outputs in the order in which the step names them, if they are those that it must have. */
export function checkOutputs(session: SessionName, step: Step, given: GivenOutputs): Result<StepOutputs> {
  const names = Object.keys(given.values);
  const unknown = names.find((name) => !step.outputs.some((output) => output.name === name));
  if (unknown !== undefined) {
    const known = step.outputs.map(({ name }) => name);
    return failed({ kind: 'unknown-output', session, step: step.id, name: unknown, known });
  }
  const missing = step.outputs.filter(({ name, required }) => required && !names.includes(name));
  if (missing.length > 0) {
    return failed({ kind: 'missing-outputs', step: step.id, names: missing.map(({ name }) => name) });
  }
  const checked: [string, string | readonly string[]][] = [];
  for (const output of step.outputs) {
    const value = Object.hasOwn(given.values, output.name) ? given.values[output.name] : undefined;
    if (value === undefined) continue;
    const typed = given.typed ? value : typedValue(output, value);
    const wrong = wrongType(output, typed);
    if (wrong !== null) {
      return failed({
        kind: 'wrong-output-type',
        step: step.id,
        name: output.name,
        expected: output.type,
        given: wrong,
      });
    }
    checked.push([output.name, typeof typed === 'string' ? typed : [...new Set(typed)]]);
  }
  return done(Object.fromEntries(checked));
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
