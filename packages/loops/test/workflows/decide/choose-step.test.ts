import { jobOf, output, sessionOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import { expect, test } from 'vitest';
import { chooseStep } from '../../../src/workflows/decide/choose.ts';
import { finishStep } from '../../../src/workflows/session.ts';

const notes = output('notes', { type: 'files' });
const job = jobOf(
  [
    stepOf('research', { outputs: { ...notes, ...output('index', { required: false }) } }),
    stepOf('left', { outputs: { ...output('out'), ...output('extra', { required: false }) } }),
    stepOf('right', { outputs: output('out') }),
    stepOf('chart', { outputs: output('chart') }),
    stepOf('quiet', { outputs: {} }),
    stepOf('end', { outputs: output('out') }),
  ],
  [['research'], ['left', 'right', 'chart', 'quiet'], ['end']],
);

/** Returns the session after these steps were finished. */
const after = (...ids: readonly string[]) =>
  ids.reduce(
    (session, id) => finishStep(session, id, { at: '2026-03-01', outputs: {}, notes: null, override: null }),
    sessionOf(job),
  );

test.each<[title: string, finished: readonly string[], step: string | null, outputs: readonly string[], meant: string]>(
  [
    ['the only open step', [], null, ['notes'], 'research'],
    ['the only open step, with unknown outputs', [], null, ['nonsense'], 'research'],
    ['the only open step, with missing outputs', [], null, ['index'], 'research'],
    ['the open step that has the output', ['research'], null, ['chart'], 'chart'],
    ['the open step that has all the outputs', ['research'], null, ['out', 'extra'], 'left'],
    ['the open step without outputs', ['research'], null, [], 'quiet'],
    ['the named step of several', ['research'], 'right', ['out'], 'right'],
    ['a failure if two steps have the output', ['research'], null, ['out'], 'which-step left right chart quiet'],
    ['a failure if no step has the output', ['research'], null, ['nonsense'], 'which-step left right chart quiet'],
    ['a failure if the step is already finished', ['research'], null, ['notes'], 'step-finished research'],
    ['a failure if the named step is already finished', ['research'], 'research', ['notes'], 'step-finished research'],
    [
      'a failure if a step of the group is already finished',
      ['research', 'chart'],
      null,
      ['chart'],
      'step-finished chart',
    ],
    [
      'the open step, although a finished step had the same outputs',
      ['research', 'left', 'right', 'chart', 'quiet'],
      null,
      ['out'],
      'end',
    ],
    ['a failure if the step has not started', ['research'], 'end', ['out'], 'step-not-begun end'],
    ['a failure if the step is unknown', ['research'], 'nope', ['out'], 'no-such-step nope'],
  ],
)('%s', (_, ids, step, outputs, result) => {
  const choice = chooseStep(after(...ids), job, { step, outputs });
  if (choice.ok) return expect(choice.value.id).toBe(result);
  const { failure } = choice;
  const details =
    'step' in failure ? failure.step : failure.kind === 'which-step' ? failure.open.map(({ id }) => id).join(' ') : '';
  expect(`${failure.kind} ${details}`).toBe(result);
});
