import { expect, test } from 'vitest';
import { chooseStep } from '../../src/plan/choose-step.ts';
import { finishStep } from '../../src/plan/workflow-session.ts';
import { jobOf, output, sessionOf, stepOf } from '../support/workflow/samples.ts';

const notes = output('notes', { type: 'files' });
const job = jobOf(
  [
    stepOf('research', { outputs: [notes, output('index', { required: false })] }),
    stepOf('left', { outputs: [output('out'), output('extra', { required: false })] }),
    stepOf('right', { outputs: [output('out')] }),
    stepOf('chart', { outputs: [output('chart')] }),
    stepOf('quiet', { outputs: [] }),
    stepOf('end', { outputs: [output('out')] }),
  ],
  [['research'], ['left', 'right', 'chart', 'quiet'], ['end']],
);

/** The session after these steps were finished. */
const after = (...ids: readonly string[]) =>
  ids.reduce(
    (session, id) => finishStep(session, id, { at: '2026-03-01', outputs: {}, notes: null, override: null }).session,
    sessionOf(job),
  );

test.each<[title: string, finished: readonly string[], step: string | null, outputs: readonly string[], meant: string]>(
  [
    ['the only open one', [], null, ['notes'], 'research'],
    ['the only open one, whatever is given', [], null, ['nonsense'], 'research'],
    ['the only open one, with something missing', [], null, ['index'], 'research'],
    ['of several, that whose output it is', ['research'], null, ['chart'], 'chart'],
    ['of several, that which may have them', ['research'], null, ['out', 'extra'], 'left'],
    ['of several, that without outputs', ['research'], null, [], 'quiet'],
    ['of several, the one named', ['research'], 'right', ['out'], 'right'],
    ['two have such an output', ['research'], null, ['out'], 'which-step left right chart quiet'],
    ['none has such an output', ['research'], null, ['nonsense'], 'which-step left right chart quiet'],
    ['finished twice', ['research'], null, ['notes'], 'step-finished research'],
    ['finished twice, by name', ['research'], 'research', ['notes'], 'step-finished research'],
    ['finished twice, in a group', ['research', 'chart'], null, ['chart'], 'step-finished chart'],
    [
      'a finished step had outputs of the same names',
      ['research', 'left', 'right', 'chart', 'quiet'],
      null,
      ['out'],
      'end',
    ],
    ['not begun', ['research'], 'end', ['out'], 'step-not-begun end'],
    ['no step of the workflow', ['research'], 'nope', ['out'], 'no-such-step nope'],
  ],
)('%s', (_, finished, step, outputs, meant) => {
  const chosen = chooseStep(after(...finished), job, { step, outputs });
  if (chosen.ok) return expect(chosen.value.id).toBe(meant);
  const { failure } = chosen;
  const told =
    'step' in failure ? failure.step : failure.kind === 'which-step' ? failure.open.map(({ id }) => id).join(' ') : '';
  expect(`${failure.kind} ${told}`).toBe(meant);
});
