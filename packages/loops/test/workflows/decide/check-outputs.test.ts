import type { WorkflowFailure } from '@onceover/base/kernel/failure';
import { jobOf, output, sessionOf, stepOf } from '@onceover/testing/workflow/samples.ts';
import { expect, test } from 'vitest';
import { checkOutputs } from '../../../src/workflows/decide/choose.ts';
import type { StepOutputs } from '../../../src/workflows/quality/types.ts';
import { sessionName } from '../../../src/workflows/session.ts';

const step = stepOf('a', {
  outputs: {
    ...output('report'),
    ...output('notes', { type: 'files' }),
    ...output('index', { required: false }),
    ...output('more', { type: 'files', required: false }),
  },
});

const SESSION = sessionName(sessionOf(jobOf([step])));
const GOOD = { notes: ['n/1.md', 'n/2.md'], report: 'r.md' };
const wrong = (name: string, expected: 'file' | 'files', amount: 'one' | 'several' | 'none') =>
  ({ kind: 'wrong-output-type', step: 'a', name, expected, given: amount }) as const;

test.each<[title: string, values: StepOutputs, expected: StepOutputs | WorkflowFailure]>([
  ['in the order of the step', GOOD, { report: 'r.md', notes: ['n/1.md', 'n/2.md'] }],
  [
    'including optional outputs',
    { ...GOOD, index: 'i.md', more: [] },
    { report: 'r.md', notes: GOOD.notes, index: 'i.md', more: [] },
  ],
  ['the same path once', { ...GOOD, notes: ['x', 'y', 'x'] }, { report: 'r.md', notes: ['x', 'y'] }],
  [
    'an unknown name',
    { ...GOOD, reports: 'r.md' },
    {
      kind: 'unknown-output',
      session: SESSION,
      step: 'a',
      name: 'reports',
      known: ['report', 'notes', 'index', 'more'],
    },
  ],
  [
    'a name that every object has',
    { ...GOOD, constructor: 'r.md' },
    {
      kind: 'unknown-output',
      session: SESSION,
      step: 'a',
      name: 'constructor',
      known: ['report', 'notes', 'index', 'more'],
    },
  ],
  ['missing outputs', { index: 'i.md' }, { kind: 'missing-outputs', step: 'a', names: ['report', 'notes'] }],
  ['a list for a file', { ...GOOD, report: ['r.md'] }, wrong('report', 'file', 'several')],
  ['an empty list for a file', { ...GOOD, report: [] }, wrong('report', 'file', 'several')],
  ['a path for a list', { ...GOOD, notes: 'n.md' }, wrong('notes', 'files', 'one')],
  ['an empty list', { ...GOOD, notes: [] }, wrong('notes', 'files', 'none')],
])('%s', (_, values, expected) => {
  const outputs = checkOutputs(SESSION, step, { values, typed: true });
  expect(outputs.ok ? outputs.value : outputs.failure).toEqual(expected);
  if (outputs.ok) expect(Object.keys(outputs.value)).toEqual(Object.keys(expected));
});

test.each<[title: string, values: Record<string, string[]>, expected: StepOutputs | WorkflowFailure]>([
  ['one path', { report: ['r.md'], notes: ['n.md'] }, { report: 'r.md', notes: ['n.md'] }],
  ['several paths for a file', { report: ['r.md', 's.md'], notes: ['n.md'] }, wrong('report', 'file', 'several')],
])('converts lists from a command line: %s', (_, values, expected) => {
  const outputs = checkOutputs(SESSION, step, { values, typed: false });
  expect(outputs.ok ? outputs.value : outputs.failure).toEqual(expected);
});
