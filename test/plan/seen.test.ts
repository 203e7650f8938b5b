import { expect, test } from 'vitest';
import { seenAs } from '../../src/plan/seen.ts';
import { entry } from '../support/run-samples.ts';

test.each([
  ['a changed file without text', entry({ headBlob: 'h1' }), null, 'blob h1'],
  ['a deleted file', entry({ headBlob: null }), null, 'blob deleted'],
  ['nothing is known', undefined, null, null],
])('%s', (_title, given, text, expected) => {
  expect(seenAs(given, text)).toBe(expected);
});

test('a file with text: its text', () => {
  expect(seenAs(undefined, 'a')).toBe(seenAs(undefined, 'a'));
  expect(seenAs(undefined, 'a')).not.toBe(seenAs(undefined, 'b'));
  expect(seenAs(undefined, '')).not.toBeNull();
  // Whether it is a part of the change or not makes no difference, nor does its mode.
  expect(seenAs(entry(), 'a')).toBe(seenAs(undefined, 'a'));
});
