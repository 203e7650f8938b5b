import { describe, expect, test } from 'vitest';
import { type Fix, LOOP_ENDS, type LoopEnd, type LoopOutcome, type LoopRound } from '../../src/domain/loop.ts';
import { tellLoop } from '../../src/text/loop.ts';
import { PLAIN } from '../../src/text/paint.ts';
import { cells } from '../../src/text/width.ts';
import { runOutcome } from '../support/run-samples.ts';

const FIX: Fix = {
  agent: 'claude',
  dispatch: 'fresh',
  summary: 'Made b three, and adapted whoever reads it in the same module.',
  fixed: ['F1'],
  declined: ['F2'],
  filesChanged: 2,
  usage: null,
  durationMs: 4000,
  failure: null,
};
const ROUND: LoopRound = {
  iteration: 1,
  status: 'failed',
  open: ['F1', 'F2'],
  closed: 0,
  added: 2,
  failing: ['review:src:code-quality'],
  left: [],
  failingChecks: [],
  letBe: [],
  dispatches: 2,
  usage: null,
  saved: { pass: 0, slot: 0, session: 0, prefix: 0 },
  fix: FIX,
};
const LAST: LoopRound = { ...ROUND, iteration: 2, status: 'passed', open: [], closed: 2, added: 0, fix: null };

function story(end: LoopEnd, rounds: readonly LoopRound[], width: number | null = null): string {
  const outcome: LoopOutcome = { end, rounds, run: runOutcome() };
  return tellLoop(outcome, { width, paint: PLAIN });
}

const SECOND: LoopRound = {
  ...ROUND,
  iteration: 2,
  open: ['F3'],
  closed: 2,
  added: 1,
  dispatches: 0,
  failingChecks: ['check:.:lint'],
  fix: { ...FIX, dispatch: 'resumed', declined: [], filesChanged: 1, summary: '' },
};

test('as it is told where there is room', () => {
  expect(story('passed', [ROUND, SECOND, LAST])).toBe(`Round  Review                Open                 Fix
1      failed, 2 asked       2                    claude, fresh: 2 files changed, declines F2
2      failed, nobody asked  2 (2 closed, 1 new)  claude, resumed: 1 file changed
3      passed, 2 asked       0 (2 closed)

Fix 1: Made b three, and adapted whoever reads it in the same module.

It holds after 2 fixes.`);
});

test('on 80 columns', () => {
  expect(story('stalled', [ROUND, SECOND], 80)).toBe(`Round  Review                Open                 Fix
1      failed, 2 asked       2                    claude, fresh: 2 files
       changed, declines F2
2      failed, nobody asked  2 (2 closed, 1 new)  claude, resumed: 1 file
       changed

Fix 1: Made b three, and adapted whoever reads it in the same module.

Stalled: F3, check:.:lint stayed open although the fixer had its turns. Mend it
yourself, or "onceover resolve" what may stay.`);
});

test.each(LOOP_ENDS)('on 40 columns, nothing is wider: %s', (end) => {
  const rounds = [ROUND, SECOND, { ...LAST, left: ['review:src:code-quality'], letBe: ['F7', 'F8'] }];
  for (const line of story(end, rounds, 40).split('\n')) expect(cells(line)).toBeLessThanOrEqual(40);
});

describe('how it ended, and what to do', () => {
  const failed = { ...ROUND, fix: { ...FIX, failure: { kind: 'timeout', seconds: 9 } as const } };
  test.each<[LoopEnd, readonly LoopRound[], RegExp]>([
    ['passed', [LAST], /^There was nothing to fix\.$/],
    ['passed', [ROUND, LAST], /^It holds after 1 fix\.$/],
    ['stalled', [ROUND, ROUND], /^Stalled: F1, F2 stayed open .*onceover resolve/],
    ['oscillating', [ROUND, SECOND], /Look at F1, F2, F3, check:\.:lint together/],
    [
      'max-iterations',
      [ROUND],
      /^Stopped after 1 round, .*\(--max-iterations\)\. Open: F1, F2\. Mend it yourself, or run again/,
    ],
    ['max-iterations', [ROUND, ROUND], /^Stopped after 2 rounds/],
    ['retry-limit', [ROUND], /max_retries.*onceover resolve.*--force/],
    ['budget', [ROUND], /^Stopped: the budget is used up\. Open: F1, F2\..* Raise "budget" in onceover\.yml/],
    ['fixer-failed', [failed], /gave no answer \(.*9.*\)\. What the fixer changed is in the working tree/],
    ['gate-changed', [ROUND], /changed what it is judged by .*git diff/],
    ['nothing-left', [ROUND], /taken back rather than mended/],
    ['could-not-judge', [ROUND], /See why above, put it right, and run again\.$/],
    ['interrupted', [{ ...ROUND, fix: null }], /before anything was fixed\. Run again/],
    ['interrupted', [ROUND], /is in the working tree\. Run again/],
  ])('%s', (end, rounds, expected) => {
    expect(story(end, rounds).split('\n\n').at(-1)).toMatch(expected);
  });

  test('what the ratchet lets be', () => {
    expect(story('passed', [ROUND, { ...LAST, letBe: ['F7'] }])).toContain('lets F7 be, which is new');
    expect(story('passed', [ROUND, { ...LAST, letBe: ['F7', 'F8'] }])).toContain('They are open for the next run');
  });
});

test('what others wrote stays on its line, and does nothing to the terminal', () => {
  const hostile = '\u001b[2J\u0007Done.\r\n\nIt holds after 9 fixes.\u202e';
  const fix = { ...FIX, summary: hostile, failure: null };
  const [table, summaries, end] = story('stalled', [{ ...ROUND, fix }]).split('\n\n');
  expect(table?.split('\n')).toHaveLength(2);
  expect(summaries).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/u);
  expect(summaries?.split('\n')).toHaveLength(1);
  expect(end).toMatch(/^Stalled/);
});

test('a long summary is cut, and a wide one too', () => {
  const told = (summary: string) => story('passed', [{ ...ROUND, fix: { ...FIX, summary } }, LAST], 40);
  expect(told('word '.repeat(500)).split('\n\n')[1]?.split('\n').length).toBeLessThanOrEqual(4);
  for (const line of told('全角文字'.repeat(200)).split('\n')) expect(cells(line)).toBeLessThanOrEqual(40);
});

test('many that are open are counted', () => {
  const open = Array.from({ length: 14 }, (_, n) => `F${n + 1}`);
  expect(story('budget', [{ ...ROUND, open }])).toContain('F10 and 4 more');
});
