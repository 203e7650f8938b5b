import { expect, test } from 'vitest';
import type { Fix } from '../../src/domain/loop.ts';
import { fixLog } from '../../src/text/fix-log.ts';

const FIX: Fix = {
  agent: 'claude',
  dispatch: 'resumed',
  summary: 'Done.',
  fixed: ['F1', 'F3'],
  declined: ['F2'],
  filesChanged: 2,
  usage: null,
  durationMs: 5,
  failure: null,
};

test('what was sent and said, and what came of it', () => {
  const exchange = {
    agent: 'claude',
    mode: 'resumed',
    sent: 'Mend it.',
    said: '{"summary":"Done."}',
    failure: null,
  } as const;
  expect(fixLog(FIX, { round: 2, iteration: 5 }, [exchange])).toBe(`Fix 2: claude, after iteration 5
--- Sent (claude, resumed) ---
Mend it.
--- Said (claude) ---
{"summary":"Done."}
--- Result ---
Files changed: 2
Says fixed: F1, F3
Declines: F2
`);
});

test('a fix that failed', () => {
  const failed: Fix = { ...FIX, fixed: [], declined: [], failure: { kind: 'timeout', seconds: 9 } };
  expect(fixLog(failed, { round: 1, iteration: null }, [])).toMatch(
    /^Fix 1: claude\n--- Result ---\nStatus: ERROR \(.+\)\n/,
  );
});
