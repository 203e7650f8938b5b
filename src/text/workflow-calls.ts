import type { Step } from '../domain/job.ts';
import type { SessionId } from '../domain/workflow.ts';
import { commandWord } from './command-word.ts';

/** By what names whoever is told goes on: an agent by its tools, a person by commands. */
export type Calls = 'tools' | 'commands';

/** How a step is finished. `alone`: no other step is open, so that it need not be named. */
export function callToFinish(
  calls: Calls,
  given: { readonly session: SessionId; readonly step: Step; readonly alone: boolean },
): string {
  const { session, step, alone } = given;
  if (calls === 'commands') {
    const outputs = step.outputs.map(({ name, type, required }) => {
      const option = `--output ${commandWord(`${name}=PATH`)}${type === 'files' ? ' …' : ''}`;
      return required ? option : `[${option}]`;
    });
    return [
      'onceover workflow finish',
      `--session ${session}`,
      ...(alone ? [] : [`--step ${step.id}`]),
      ...outputs,
    ].join(' ');
  }
  const outputs = step.outputs.map(
    ({ name, type, required }) =>
      `${JSON.stringify(name)}: ${type === 'file' ? '"path"' : '["path", …]'}${required ? '' : ' (may be left out)'}`,
  );
  const named = alone ? '' : `, step_id "${step.id}"`;
  return `finished_step with session_id "${session}"${named} and outputs {${outputs.join(', ')}}`;
}

/** How to go on after a failed review with a reason instead of a pass. */
export function callToOverride(calls: Calls): string {
  return calls === 'tools' ? 'quality_review_override_reason' : '--override "why"';
}

/** What finishes a step. */
export function finishCall(calls: Calls): string {
  return calls === 'tools' ? 'finished_step' : '"onceover workflow finish"';
}
