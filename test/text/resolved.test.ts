import { expect, test } from 'vitest';
import { tellResolved } from '../../src/text/resolved.ts';
import { claim, finding, waiver } from '../support/run-samples.ts';

test('a waiver: what it changes', () => {
  expect(tellResolved(finding({ id: 'F3', gate: 'review:src:a b', resolution: waiver('So\nbe it.') }))).toBe(
    'F3 is waived: So\\nbe it.\nIt no longer keeps "review:src:a b" from holding, and reviewers are told why it stays.',
  );
});

test('a claim: who has to confirm it', () => {
  expect(tellResolved(finding({ id: 'F3', slot: 2, resolution: claim() }))).toBe(
    'F3 is said to be fixed. It stays open until @2 of review:src:code-quality confirms it: run "onceover run".',
  );
});
