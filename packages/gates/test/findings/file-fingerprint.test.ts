import { entry } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { fileFingerprint } from '../../src/findings/locate-finding.ts';

test.each([
  ['a changed file without text', entry({ headBlob: 'h1' }), null, 'blob h1'],
  ['a deleted file', entry({ headBlob: null }), null, 'blob deleted'],
  ['a file without text and entry', undefined, null, null],
])('%s', (_title, given, text, expected) => {
  expect(fileFingerprint(given, text)).toBe(expected);
});

test('the fingerprint of a text file depends only on its text', () => {
  expect(fileFingerprint(undefined, 'a')).toBe(fileFingerprint(undefined, 'a'));
  expect(fileFingerprint(undefined, 'a')).not.toBe(fileFingerprint(undefined, 'b'));
  expect(fileFingerprint(undefined, '')).not.toBeNull();
  // The entry makes no difference.
  expect(fileFingerprint(entry(), 'a')).toBe(fileFingerprint(undefined, 'a'));
});
