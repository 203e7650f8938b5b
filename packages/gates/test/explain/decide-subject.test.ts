import { gateOutcome } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { idleGateOf, type Subject, subjectOf } from '../../src/explain/decide-subject.ts';

const check = gateOutcome({ id: 'check:src:q', kind: 'check', slots: [] });
const review = gateOutcome({ id: 'review:src:q' });
const other = gateOutcome({ id: 'review:docs:style' });
const GATES = [check, review, other];

test.each<[string, Subject | null]>([
  ['f12', { kind: 'finding', id: 'F12' }],
  ['review:src:q', { kind: 'gate', gate: review }],
  ['style', { kind: 'gate', gate: other }],
  ['docs:style', { kind: 'gate', gate: other }],
  ['q', { kind: 'ambiguous', gates: [check, review] }],
  ['q@2', { kind: 'slot', gate: review, slot: 2 }],
  ['style@1', { kind: 'slot', gate: other, slot: 1 }],
  ['check:src:q@1', null],
  ['nope', null],
  ['@1', null],
])('%s', (name, expected) => {
  expect(subjectOf(name, GATES)).toEqual(expected);
});

test('a slot whose name fits several reviews is ambiguous', () => {
  const same = gateOutcome({ id: 'review:docs:q' });
  expect(subjectOf('q@1', [...GATES, same])).toEqual({ kind: 'ambiguous', gates: [review, same] });
});

test.each<[string, string | null]>([
  ['review:docs:prose', 'review:docs:prose'],
  ['prose', 'review:docs:prose'],
  ['docs:prose@2', 'review:docs:prose'],
  ['lint', 'check:.:lint'],
  ['same', null],
  ['review:a:same', 'review:a:same'],
  ['nope', null],
  ['', null],
])('a gate without changes: %j', (name, expected) => {
  expect(idleGateOf(name, ['review:docs:prose', 'check:.:lint', 'review:a:same', 'review:b:same'])).toBe(expected);
});
