import { expect, test } from 'vitest';
import type { LetGo } from '../../src/domain/stop.ts';
import { tellLetGo } from '../../src/text/let-go.ts';

test.each<[LetGo, string]>([
  [
    { kind: 'unjudged', said: 'No agent was found.' },
    'onceover could not judge this change, so nothing was passed: No agent was found.',
  ],
  [
    { kind: 'still-running', waits: 3 },
    'onceover let the agent stop after it had waited 3 times for a review that still goes on. Nothing was passed yet; "onceover status" tells what came of it.',
  ],
  [
    { kind: 'no-progress', blocks: 3, open: ['F1', 'check:.:lint'] },
    'onceover let the agent stop after 3 blocks without progress. Not passed: F1, check:.:lint. "onceover status" tells more.',
  ],
  [
    { kind: 'no-progress', blocks: 3, open: [] },
    'onceover let the agent stop after 3 blocks without progress. "onceover status" tells more.',
  ],
  [
    { kind: 'not-counted', folder: '/x/.git' },
    'onceover let the agent stop although the gates do not hold: how often it was held back cannot be written down in /x/.git. See "onceover status".',
  ],
  [
    { kind: 'asleep', until: new Date(2026, 0, 2, 15, 4) },
    "onceover's stop hook sleeps until 15:04; nothing was judged.",
  ],
])('%o', (why, expected) => {
  expect(tellLetGo(why)).toBe(expected);
});
