import { describeTrusted } from '@onceover/gates/result/describe/messages';
import { describeSnoozed } from '@onceover/gates/stop-hook/describe';
import { expect, test } from 'vitest';
import { usdOf } from '../../src/ui/wording.ts';

test.each([
  [0, '$0.00'],
  [0.00012, '$0.0001'],
  [0.0999, '$0.0999'],
  [0.1, '$0.10'],
  [12.345, '$12.35'],
])('shows %d dollars as %s', (usd, text) => {
  expect(usdOf(usd)).toBe(text);
});

test('says until when the stop hook is snoozed', () => {
  expect(describeSnoozed(null)).toBe('The stop hook is active.');
  expect(describeSnoozed(new Date(2026, 2, 1, 9, 5))).toMatch(
    /^The stop hook is snoozed until 09:05: .*"onceover hook snooze off"/,
  );
});

test('lists the approved commands, one per line', () => {
  expect(describeTrusted([])).toMatch(/nothing to approve\.$/);
  expect(describeTrusted(['npm test', 'a\u001b'])).toBe(
    'Approved the commands of this configuration, until one of them changes:\n  "npm test"\n  "a\\u001b"',
  );
});
