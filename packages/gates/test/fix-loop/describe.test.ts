import type { Fix } from '@onceover/agents/dispatch/fix-progress';
import { cells } from '@onceover/base/ui/layout';
import { failedRun, loopRound } from '@onceover/testing/loop-rounds.ts';
import { CHECK_FAILED, gateOutcome, reported, runOutcome } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { LoopOutcome, LoopRound } from '../../src/fix-loop/decide-end.ts';
import { describeLoop } from '../../src/fix-loop/describe.ts';
import { LOOP_ENDS, type LoopEnd } from '../../src/result/types.ts';

const FIX: Fix = {
  agent: 'claude',
  dispatch: 'fresh',
  summary: 'Made b three, and adapted its callers in the same module.',
  fixed: ['F1'],
  declined: ['F2'],
  filesChanged: 2,
  usage: null,
  durationMs: 4000,
  failure: null,
};
const ROUND = loopRound({ run: failedRun(['F1', 'F2']), fix: FIX });
const LAST = loopRound({
  run: runOutcome({ gates: [gateOutcome(), gateOutcome({ ...CHECK_FAILED, status: 'pass' })] }),
});
/** The last round, with tolerated findings. */
const tolerating = (...ids: readonly string[]) =>
  loopRound({ run: runOutcome({ findings: ids.map((id) => reported({ id }, 'warning')) }), tolerated: new Set(ids) });

function story(end: LoopEnd, rounds: readonly LoopRound[], width: number | null = null): string {
  const outcome: LoopOutcome = { end, rounds, run: runOutcome() };
  return describeLoop(outcome, { width });
}

const SECOND = loopRound({
  run: failedRun(['F3', 'check:.:lint']),
  dispatches: 0,
  fix: { ...FIX, dispatch: 'resumed', declined: [], filesChanged: 1, summary: '' },
});

test('shows one line per round without a width limit', () => {
  expect(story('passed', [ROUND, SECOND, LAST])).toBe(`Round 1: failed, 2 calls, 2 open
Fix 1: claude, new session: 2 files changed, declined F2. Made b three, and adapted its callers in the same module.
Round 2: failed, no calls, 2 open (2 closed, 1 new)
Fix 2: claude, resumed session: 1 file changed.
Round 3: passed, 2 calls, 0 open (1 closed)

All gates pass after 2 fixes.`);
});

test('wraps at 80 columns', () => {
  expect(story('stalled', [ROUND, SECOND], 80)).toBe(`Round 1: failed, 2 calls, 2 open
Fix 1: claude, new session: 2 files changed, declined F2. Made b three, and
  adapted its callers in the same module.
Round 2: failed, no calls, 2 open (2 closed, 1 new)
Fix 2: claude, resumed session: 1 file changed.

Stalled: the fixer could not close F3, check:.:lint. Fix it yourself, or accept
  a finding with "onceover resolve".`);
});

test.each(LOOP_ENDS)('stays within 40 columns: %s', (end) => {
  const last = tolerating('F7', 'F8');
  const rounds = [ROUND, SECOND, { ...last, run: { ...last.run, gates: [] } }];
  expect(story(end, rounds)).toContain('review:src:code-quality, check:.:lint has nothing left to review');
  for (const line of story(end, rounds, 40).split('\n')) expect(cells(line)).toBeLessThanOrEqual(40);
});

describe('the last line: how the loop ended, and the next step', () => {
  const invalid = { kind: 'unreadable-answer', why: 'broken-json', said: '' } as const;
  const malformed = { ...ROUND, fix: { ...FIX, failure: invalid } };
  const failed = { ...ROUND, fix: { ...FIX, failure: { kind: 'timeout', seconds: 9 } as const } };
  test.each<[LoopEnd, readonly LoopRound[], RegExp]>([
    ['passed', [LAST], /^There was nothing to fix\.$/],
    ['passed', [ROUND, LAST], /^All gates pass after 1 fix\.$/],
    ['stalled', [ROUND, ROUND], /^Stalled: the fixer could not close F1, F2\. .*onceover resolve/],
    ['oscillating', [ROUND, SECOND], /Fix F1, F2, F3, check:\.:lint together/],
    [
      'max-iterations',
      [ROUND],
      /^Stopped after 1 round, the limit of --max-iterations\. Open: F1, F2\. Fix it yourself, or run again/,
    ],
    ['max-iterations', [ROUND, ROUND], /^Stopped after 2 rounds/],
    ['retry-limit', [ROUND], /max_retries.*onceover resolve.*--force/],
    ['budget', [ROUND], /^Stopped: the budget is used up\. Open: F1, F2\..* Raise "budget" in onceover\.yml/],
    ['fixer-failed', [failed], /gave no answer \(.*9.*\)\. The fixer's edits are in the working tree/],
    [
      'fixer-failed',
      [malformed],
      /^Stopped: the fixer gave an unreadable answer: its JSON is invalid\. The fixer's edits/,
    ],
    ['gate-changed', [ROUND], /the fixer changed settings, .*git diff/],
    ['nothing-left', [ROUND], /reverted the change instead of fixing it/],
    ['could-not-judge', [ROUND], /some gates could not run\. Fix the error above and run again\.$/],
    ['interrupted', [{ ...ROUND, fix: null }], /before anything was fixed\. Run again/],
    ['interrupted', [ROUND], /are in the working tree\. Run again/],
  ])('%s', (end, rounds, expected) => {
    expect(story(end, rounds).split('\n\n').at(-1)).toMatch(expected);
  });

  test('findings that the ratchet tolerates', () => {
    expect(story('passed', [ROUND, tolerating('F7')])).toContain(
      'tolerates F7: new in this loop, and not severe enough. A run without --ratchet reports it as open.',
    );
    expect(story('passed', [ROUND, tolerating('F7', 'F8')])).toContain(
      'tolerates F7, F8: new in this loop, and not severe enough. A run without --ratchet reports them as open.',
    );
  });
});

test('keeps a hostile summary on one line, without control characters', () => {
  const hostile = '\u001b[2J\u0007Done.\r\n\nAll gates pass after 9 fixes.\u202e';
  const fix = { ...FIX, summary: hostile, failure: null };
  const [rounds, end] = story('stalled', [{ ...ROUND, fix }]).split('\n\n');
  expect(rounds).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/u);
  expect(rounds?.split('\n')).toHaveLength(2);
  expect(end).toMatch(/^Stalled/);
});

test('cuts long and wide summaries', () => {
  const told = (summary: string) => story('passed', [{ ...ROUND, fix: { ...FIX, summary } }, LAST], 40);
  expect(told('word '.repeat(500))).toContain(`
Fix 1: claude, new session: 2 files
  changed, declined F2. word word word
  word word word word word word word
  word word word word word word word
  word word word word word wor…
Round 2: `);
  for (const line of told('全角文字'.repeat(200)).split('\n')) expect(cells(line)).toBeLessThanOrEqual(40);
});

test('counts open findings beyond ten', () => {
  const open = Array.from({ length: 14 }, (_, n) => `F${n + 1}`);
  expect(story('budget', [{ ...ROUND, run: failedRun(open) }])).toContain('F10 and 4 more');
});
