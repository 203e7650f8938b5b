import { expect, test } from 'vitest';
import { loopEnd, type RoundFacts } from '../../src/fix-loop/decide-end.ts';
import type { LoopEnd } from '../../src/gates/run-types.ts';

const FAILED: RoundFacts = {
  status: 'failed',
  exitCode: 1,
  open: ['x'],
  tree: 't1',
  outOfBudget: false,
  noVerdict: false,
};
const PASSED: RoundFacts = { ...FAILED, status: 'passed', exitCode: 0, open: [] };

/** Rounds in short: the tree, then what is open; "t2 x y". */
function rounds(...texts: readonly string[]): readonly RoundFacts[] {
  return texts.map((text) => {
    const [tree = '', ...open] = text.split(' ');
    return { ...FAILED, tree, open };
  });
}

test.each<[string, readonly RoundFacts[], LoopEnd | null]>([
  ['nothing has been reviewed yet', [], null],
  ['it passes at once', [PASSED], 'passed'],
  ['it passes with warnings', [{ ...PASSED, status: 'passed_with_warnings' }], 'passed'],
  ['there was nothing to review from the beginning', [{ ...PASSED, status: 'no_changes' }], 'passed'],
  ['no gate applies from the beginning', [{ ...PASSED, status: 'no_applicable_gates' }], 'passed'],
  ['it passes after a fix', [FAILED, { ...PASSED, tree: 't2' }], 'passed'],
  ['nothing is left after a fix', [FAILED, { ...PASSED, status: 'no_changes' }], 'nothing-left'],
  ['no gate is left after a fix', [FAILED, { ...PASSED, status: 'no_applicable_gates' }], 'nothing-left'],
  ['a pass counts, even if a reviewer was skipped', [{ ...PASSED, outOfBudget: true }], 'passed'],
  ['the budget is used up', [{ ...FAILED, outOfBudget: true }], 'budget'],
  ['the budget is used up, and nothing could be judged', [{ ...FAILED, exitCode: 3, outOfBudget: true }], 'budget'],
  ['it could not be judged', [{ ...FAILED, status: 'error', exitCode: 3, open: [] }], 'could-not-judge'],
  ['no reviewer gave a verdict, and a finding is still open', [{ ...FAILED, noVerdict: true }], 'could-not-judge'],
  ['it fails, and there is nothing to fix', [{ ...FAILED, open: [] }], 'could-not-judge'],
  ['a gate failed too often', [{ ...FAILED, status: 'retry_limit_exceeded' }], 'retry-limit'],
  ['a first failure', [FAILED], null],
  ['nothing was changed, and the same is open', rounds('t1 x', 't1 x'), 'stalled'],
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
])('%s', (_title, facts, expected) => {
  expect(loopEnd(facts, 9)).toBe(expected);
});

test.each([
  [1, 'max-iterations'],
  [2, null],
])('one failing round of %i', (most, expected) => {
  expect(loopEnd([FAILED], most)).toBe(expected);
});

test.each<[readonly RoundFacts[], LoopEnd]>([
  [[FAILED, PASSED], 'passed'],
  [[FAILED, FAILED], 'stalled'],
  [rounds('t1 x', 't2 y', 't1 x'), 'oscillating'],
  [rounds('t1 x', 't2 y'), 'max-iterations'],
])('reports the reason and not the round limit: %j', (facts, expected) => {
  expect(loopEnd(facts, facts.length)).toBe(expected);
});
