import type { Fix } from '@onceover/agents/dispatch/fix-progress';
import { expect, test } from 'vitest';
import { fixLog, fixResult, isAskedAbout } from '../../../src/run/describe/logs.ts';

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

test('the log of a fix has the transcript and the result', () => {
  const exchange = {
    agent: 'claude',
    mode: 'resumed',
    sent: 'Fix it.',
    said: '{"summary":"Done."}',
    failure: null,
  } as const;
  expect(
    fixLog(FIX, { round: 2, iteration: 5, asked: ['F1', 'check:a b:lint'] }, [exchange]),
  ).toBe(`Fix 2: claude, after iteration 5
Asked about: F1
Asked about: "check:a b:lint"
--- Sent (claude, resumed) ---
Fix it.
--- Said (claude) ---
{"summary":"Done."}
--- Result ---
Files changed: 2
Says fixed: F1, F3
Declines: F2
Summary: Done.
`);
});

test('the log of a failed fix has the error', () => {
  const failed: Fix = { ...FIX, fixed: [], declined: [], failure: { kind: 'timeout', seconds: 9 } };
  expect(fixLog(failed, { round: 1, iteration: null, asked: [] }, [])).toMatch(
    /^Fix 1: claude\n--- Result ---\nStatus: ERROR \(.+\)\n/,
  );
});

test('reads the findings and the result back from the log of a fix', () => {
  const said = 'Asked about: F9\n--- Result ---\nSays fixed: F9';
  const exchange = { agent: 'claude', mode: 'fresh', sent: 'Asked about: F8', said, failure: null } as const;
  const log = fixLog({ ...FIX, summary: 'a\nb' }, { round: 1, iteration: 1, asked: ['F1', 'check:a b:lint'] }, [
    exchange,
  ]);
  expect(['F1', 'check:a b:lint', 'F8', 'F9', 'F'].map((id) => isAskedAbout(log, [id]))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(isAskedAbout(log, ['F7', 'F1'])).toBe(true);
  expect(fixResult(log)).toEqual(['Files changed: 2', 'Says fixed: F1, F3', 'Declines: F2', 'Summary: a; b']);
  expect(fixResult(log.slice(0, 40))).toEqual([]);
  expect([
    isAskedAbout('', ['F1']),
    isAskedAbout(fixLog(FIX, { round: 1, iteration: 1, asked: [] }, []), ['F1']),
  ]).toEqual([false, false]);
});
