import { expect, test } from 'vitest';
import { describeResolved } from '../../../src/gates/describe/messages.ts';
import { claim, finding, waiver } from '../../support/run-samples.ts';

test('describes the effect of a waiver', () => {
  expect(describeResolved([finding({ id: 'F3', gate: 'review:src:a b', resolution: waiver('So\nbe it.') })])).toBe(
    'F3 is waived: So\\nbe it.\nIt no longer fails "review:src:a b", and reviewers see the reason.',
  );
});

test('names the reviewer that has to confirm a fix', () => {
  expect(describeResolved([finding({ id: 'F3', slot: 2, resolution: claim() })])).toBe(
    'F3 is marked as fixed. It stays open until reviewer 2 of review:src:code-quality confirms the fix: run "onceover run".',
  );
});
