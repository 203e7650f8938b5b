import { finding, path } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { findingFingerprint } from '../../src/findings/fingerprint.ts';
import { gateFingerprint } from '../../src/reports/finished-run.ts';

const here = findingFingerprint(finding());

test.each([
  ['its line', finding({ line: 99 })],
  ['what is said of it', finding({ issue: 'Other words.', fix: 'Do it.', priority: 'low' })],
  ['how the code is indented in the quotation', finding({ code: '  a = 1' })],
  ['its id, iteration and time', finding({ id: 'F9', since: 4, at: '2026-04-01T00:00:00.000Z' })],
  ['the slot and the agent that report it', finding({ slot: 2, agent: 'gemini' })],
  ['what the file and the gate are now', finding({ seen: 'blob h2', entry: null, content: null })],
])('a finding keeps its fingerprint whatever is %s', (_title, other) => {
  expect(findingFingerprint(other)).toBe(here);
});

test.each([
  ['gate', finding({ gate: 'review:src:other' })],
  ['file', finding({ file: path('src/b.ts') })],
  ['text', finding({ anchor: { text: 'b = 1', occurrence: 1 } })],
  ['occurrence', finding({ anchor: { text: 'a = 1', occurrence: 2 } })],
])('a finding at another %s is another', (_title, other) => {
  expect(findingFingerprint(other)).not.toBe(here);
});

test('what points at nothing is known by its id', () => {
  const one = finding({ anchor: null });
  expect(findingFingerprint({ ...one, line: 7, issue: 'x', at: 'later' })).toBe(findingFingerprint(one));
  expect(findingFingerprint({ ...one, id: 'F2' })).not.toBe(findingFingerprint(one));
});

test('parts cannot run together', () => {
  const one = findingFingerprint(finding({ gate: 'a', file: path('bc') }));
  expect(findingFingerprint(finding({ gate: 'ab', file: path('c') }))).not.toBe(one);
});

test('a gate has one of its own', () => {
  expect(new Set([gateFingerprint('a'), gateFingerprint('b'), gateFingerprint(null)]).size).toBe(3);
  expect(gateFingerprint('a')).toBe(gateFingerprint('a'));
});
