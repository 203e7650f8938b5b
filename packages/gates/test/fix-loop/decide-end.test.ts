import { failedRun, loopRound } from '@onceover/testing/loop-rounds.ts';
import { claim, gateOutcome, reported, runOutcome, slotOutcome } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { type LoopRound, loopEnd } from '../../src/fix-loop/decide-end.ts';
import type { LoopEnd, RunOutcome } from '../../src/result/types.ts';

const FAILED = loopRound({ run: failedRun(['x']) });
const PASSED = loopRound();

/** Rounds in short: the tree, then what is open; "t2 x y". */
function rounds(...texts: readonly string[]): readonly LoopRound[] {
  return texts.map((text) => {
    const [tree = '', ...open] = text.split(' ');
    return loopRound({ tree, run: failedRun(open) });
  });
}

const failed = (differs: Partial<RunOutcome>) => loopRound({ run: failedRun(['x'], differs) });
const passed = (differs: Partial<RunOutcome>) => loopRound({ run: runOutcome(differs) });

const error = slotOutcome({ status: 'error', trouble: { kind: 'stale' } });
const spent = slotOutcome({ status: 'error', dispatch: 'none', trouble: { kind: 'budget', what: 'usd' } });
const rests = slotOutcome({ status: 'skipped_prior_pass', dispatch: 'none' });
const gatesOf = (...slots: readonly (typeof error)[]) => ({ gates: [gateOutcome({ status: 'fail', slots })] });

test.each<[string, readonly LoopRound[], LoopEnd | null]>([
  ['nothing has been reviewed yet', [], null],
  ['it passes at once', [PASSED], 'passed'],
  ['it passes with warnings', [passed({ status: 'passed_with_warnings' })], 'passed'],
  ['there was nothing to review from the beginning', [passed({ status: 'no_changes' })], 'passed'],
  ['no gate applies from the beginning', [passed({ status: 'no_applicable_gates' })], 'passed'],
  ['it passes after a fix', [FAILED, { ...PASSED, tree: 't2' }], 'passed'],
  ['nothing is left after a fix', [FAILED, passed({ status: 'no_changes' })], 'nothing-left'],
  ['no gate is left after a fix', [FAILED, passed({ status: 'no_applicable_gates' })], 'nothing-left'],
  ['a pass counts, even if a reviewer was skipped', [passed(gatesOf(spent))], 'passed'],
  ['the budget is used up', [failed(gatesOf(spent, slotOutcome({ status: 'fail' })))], 'budget'],
  ['the budget is used up, and nothing could be judged', [failed({ ...gatesOf(spent), exitCode: 3 })], 'budget'],
  ['it could not be judged', [failed({ status: 'error', exitCode: 3, findings: [] })], 'could-not-judge'],
  ['no reviewer gave a verdict, and a finding is still open', [failed(gatesOf(error, rests))], 'could-not-judge'],
  ['one of two reviewers gave a verdict', [failed(gatesOf(error, slotOutcome({ status: 'fail' })))], null],
  ['no reviewer was called, and a finding is still open', [failed(gatesOf(rests))], null],
  [
    'no reviewer gave a verdict, but a check fails',
    [
      loopRound({
        run: { ...failedRun(['x']), gates: [...failedRun(['check:.:lint']).gates.slice(1), ...gatesOf(error).gates] },
      }),
    ],
    null,
  ],
  ['it fails, and there is nothing to fix', [failed({ findings: [] })], 'could-not-judge'],
  [
    'only a finding that the fixer says it fixed is open',
    [failed({ findings: [reported({ resolution: claim() }, 'fixed_claimed')] })],
    null,
  ],
  [
    'only findings that are not open are left',
    [failed({ findings: [reported({}, 'warning'), reported({}, 'waived'), reported({}, 'closed')] })],
    'could-not-judge',
  ],
  ['only a check fails', rounds('t1 check:.:lint'), null],
  ['a gate failed too often', [failed({ status: 'retry_limit_exceeded' })], 'retry-limit'],
  ['a first failure', [FAILED], null],
  ['nothing was changed, and the same is open', rounds('t1 x', 't1 x'), 'stalled'],
  ['nothing was changed, and the same check fails', rounds('t1 check:.:lint', 't1 check:.:lint'), 'stalled'],
  ['the order makes no difference', rounds('t1 x y', 't1 y x'), 'stalled'],
  ['nothing was changed, and something else is open', rounds('t1 x', 't1 y'), null],
  ['something was changed, and the same is open', rounds('t1 x', 't2 x'), null],
  ['the same is open for the third time', rounds('t1 x', 't2 x', 't3 x'), 'stalled'],
  ['one of two was fixed on the way', rounds('t1 x y', 't2 x', 't3 x'), null],
  ['one of two was fixed, and then nothing twice', rounds('t1 x y', 't2 x', 't3 x', 't4 x'), 'stalled'],
  ['an earlier tree is back', rounds('t1 x', 't2 y', 't1 x'), 'oscillating'],
  ['an earlier tree is back, and something else is open', rounds('t1 x', 't2 y', 't1 z'), 'oscillating'],
  ['one that is older is back', rounds('t1 x', 't2 y', 't3 z', 't1 x'), 'oscillating'],
  ['two findings trade places', rounds('t1 x', 't2 y', 't3 x', 't4 y'), 'oscillating'],
  ['two have traded places once', rounds('t1 x', 't2 y', 't3 x'), null],
  ['three take turns', rounds('t1 x', 't2 y', 't3 z', 't4 x'), null],
  ['it gets less', rounds('t1 x y z', 't2 x y', 't3 x'), null],
])('%s', (_title, past, expected) => {
  expect(loopEnd(past, 9)).toBe(expected);
});

test('a finding with a new id is the same problem', () => {
  const renamed = reported({ id: 'F9', anchor: { text: 'x', occurrence: 1 } });
  expect(loopEnd([FAILED, failed({ findings: [renamed] })], 9)).toBe('stalled');
});

test.each([
  [1, 'max-iterations'],
  [2, null],
])('one failing round of %i', (most, expected) => {
  expect(loopEnd([FAILED], most)).toBe(expected);
});

test.each<[LoopEnd, readonly LoopRound[]]>([
  ['passed', [FAILED, PASSED]],
  ['stalled', [FAILED, FAILED]],
  ['oscillating', rounds('t1 x', 't2 y', 't1 x')],
  ['max-iterations', rounds('t1 x', 't2 y')],
])('reports the reason and not the round limit: %s', (expected, past) => {
  expect(loopEnd(past, past.length)).toBe(expected);
});
