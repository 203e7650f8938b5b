import { expect, test } from 'vitest';
import { usdOf } from '../../src/text/money.ts';
import { tellSnoozed } from '../../src/text/snoozed.ts';
import { tellTrusted } from '../../src/text/trusted.ts';

test.each([
  [0, '$0.00'],
  [0.00012, '$0.0001'],
  [0.0999, '$0.0999'],
  [0.1, '$0.10'],
  [12.345, '$12.35'],
])('%d is %s', (usd, expected) => {
  expect(usdOf(usd)).toBe(expected);
});

test('until when the stop hook sleeps', () => {
  expect(tellSnoozed(null)).toBe('The stop hook is awake.');
  expect(tellSnoozed(new Date(2026, 2, 1, 9, 5))).toMatch(
    /^The stop hook sleeps until 09:05: .*"onceover hook snooze off"/,
  );
});

test('what was agreed to, each command on its line', () => {
  expect(tellTrusted([])).toMatch(/nothing to agree to\.$/);
  expect(tellTrusted(['npm test', 'a\u001b'])).toBe(
    'Agreed to the commands of this configuration, until one of them changes:\n  "npm test"\n  "a\\u001b"',
  );
});
