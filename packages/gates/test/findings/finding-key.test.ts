import { finding, path } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { findingKey } from '../../src/findings/match-findings.ts';
import type { KnownFinding } from '../../src/findings/types.ts';

test.each<[string, Partial<KnownFinding>, boolean]>([
  ['another id', { id: 'F9' }, true],
  ['other words', { issue: 'Still wrong.', fix: 'Do it.' }, true],
  ['another line', { line: 40 }, true],
  ['another slot', { slot: 2 }, true],
  ['another priority', { priority: 'low' }, true],
  ['another file', { file: path('src/b.ts') }, false],
  ['another gate', { gate: 'review:src:other' }, false],
  ['other code', { anchor: { text: 'a = 2', occurrence: 1 } }, false],
  ['the second of two such lines', { anchor: { text: 'a = 1', occurrence: 2 } }, false],
])('%s', (_title, differs, isSame) => {
  expect(findingKey(finding(differs)) === findingKey(finding())).toBe(isSame);
});

test('a finding without code has a key of its own', () => {
  const nowhere = { anchor: null, code: null };
  expect(findingKey(finding({ ...nowhere, id: 'F1' }))).not.toBe(findingKey(finding({ ...nowhere, id: 'F2' })));
  expect(findingKey(finding({ file: null, id: 'F1' }))).not.toBe(findingKey(finding({ file: null, id: 'F2' })));
});

test('quoted code that the file does not contain still makes the key', () => {
  const quoted = { anchor: null, code: 'gone()' };
  expect(findingKey(finding({ ...quoted, id: 'F1' }))).toBe(findingKey(finding({ ...quoted, id: 'F2' })));
});
