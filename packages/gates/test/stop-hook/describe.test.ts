import { expect, test } from 'vitest';
import type { AllowStopReason } from '../../src/stop-hook/decide.ts';
import { describeAllowedStop } from '../../src/stop-hook/describe.ts';

test.each<[AllowStopReason, string]>([
  [
    { kind: 'unjudged', said: 'No agent was found.' },
    'onceover could not judge this change, so nothing was passed: No agent was found.',
  ],
  [
    { kind: 'still-running', waits: 3 },
    'onceover let the agent stop: it waited 3 times and the review is still running. Nothing passed yet; see "onceover status" for the result.',
  ],
  [
    { kind: 'no-progress', blocks: 3, open: ['F1', 'check:.:lint'] },
    'onceover let the agent stop after 3 blocks without progress. Not passed: F1, check:.:lint. Run "onceover status" for details.',
  ],
  [
    { kind: 'no-progress', blocks: 3, open: [] },
    'onceover let the agent stop after 3 blocks without progress. Run "onceover status" for details.',
  ],
  [
    { kind: 'not-counted', folder: '/x/.git' },
    'onceover let the agent stop although the gates do not pass, because it cannot count blocks: /x/.git is not writable. Run "onceover status" for details.',
  ],
  [
    { kind: 'asleep', until: new Date(2026, 0, 2, 15, 4) },
    "onceover's stop hook is snoozed until 15:04, so this change was not reviewed.",
  ],
])('%o', (why, expected) => {
  expect(describeAllowedStop(why)).toBe(expected);
});
