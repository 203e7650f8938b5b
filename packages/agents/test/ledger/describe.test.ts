import { expect, test } from 'vitest';
import { describePaid } from '../../src/ledger/describe.ts';

const noSavings = { pass: 0, slot: 0, session: 0, prefix: 0, reading: 0 };

test.each([
  ['no call', { dispatches: 0 }, []],
  ['calls', { dispatches: 2 }, ['Paid: 2 calls.']],
  [
    'requests that agents repeated by themselves',
    { dispatches: 5, retries: 2 },
    ['Paid: 5 calls (2 retries by the agents themselves).'],
  ],
])('shows what was paid: %s', (_, payment, expected) => {
  expect(describePaid({ usage: null, saved: noSavings, ...payment })).toEqual(expected);
});
