import { claim, finding, waiver } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { describeResolved } from '../../src/result/describe/messages.ts';

test('describes the effect of a waiver', () => {
  expect(
    describeResolved([
      { ...finding({ id: 'F3', gate: 'review:src:a b', resolution: waiver('So\nbe it.') }), because: null },
    ]),
  ).toBe('F3 is waived: So\\nbe it.\nIt no longer fails "review:src:a b", and reviewers see the reason.');
});

test('names the reviewer that has to confirm a fix', () => {
  expect(describeResolved([{ ...finding({ id: 'F3', slot: 2, resolution: claim() }), because: null }])).toBe(
    'F3 is marked as fixed. It stays open until reviewer 2 of review:src:code-quality confirms the fix: run "onceover run".',
  );
});

test('says which findings about the same code got the same answer', () => {
  const first = { ...finding({ id: 'F1', resolution: waiver('Known.') }), because: null };
  const second = { ...finding({ id: 'F2', slot: 2, resolution: waiver('Known.') }), because: 'F1' };
  expect(describeResolved([first, second]).split('\n').at(-1)).toBe(
    'F2 is waived too: reviewer 2 of review:src:code-quality reported it for the same code as F1.',
  );
});
