import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SlotRun } from '../../../src/gate-types.ts';
import { describePlan } from '../../../src/result/describe/reasons.ts';
import { planSlots } from '../../../src/run/decide/skip-reviewers.ts';

/** Parses "1.2 pass": slot, iteration, status. "!" means that the record has findings, "@3" is a pass iteration. */
function records(...texts: string[]): SlotRun[] {
  return texts.map((text) => {
    const [, slot, iteration, status = '', mark] = /^(\d+)\.(\d+) (\w+)(!|@\S+)?$/.exec(text) ?? [];
    const full = status === 'skip' ? 'skipped_prior_pass' : status;
    return {
      slot: Number(slot),
      iteration: Number(iteration),
      status: full as SlotRun['status'],
      violations: status === 'fail' || mark === '!' ? 1 : 0,
      passIteration: mark?.startsWith('@') ? Number(mark.slice(1)) : null,
    };
  });
}

const planned = (count: number, ...history: string[]) =>
  planSlots(count, records(...history)).map((plan) =>
    plan.kind === 'run' ? plan.why : `rests since ${plan.passIteration}`,
  );

describe('which slots run', () => {
  test.each([
    [
      'skips a passed slot while a failed one runs [RUN-SLOTS/rule/skips-passed-slots] [RUN-SLOTS/rule/needs-another-slot]',
      2,
      ['1.2 pass', '2.2 fail'],
      ['rests since 2', 'not-passed'],
    ],
    [
      'goes on skipping it [RUN-SLOTS/consecutive-iterations/slot-1-skipped] [RUN-SLOTS/consecutive-iterations/slot-2-runs]',
      2,
      ['1.1 pass', '2.1 fail', '1.2 skip@1', '2.2 fail', '1.3 skip@1', '2.3 fail'],
      ['rests since 1', 'not-passed'],
    ],
    [
      'all slots passed: slot 1 runs [RUN-SLOTS/safety-latch/activates] [RUN-SLOTS/safety-latch/runs-slot-1] [RUN-SLOTS/safety-latch/skips-other-slots]',
      3,
      ['1.1 pass', '2.1 pass', '3.1 pass'],
      ['safety-latch', 'rests since 1', 'rests since 1'],
    ],
    [
      'all slots passed, some of them skipped',
      2,
      ['1.1 pass', '2.1 fail', '1.2 skip@1', '2.2 pass'],
      ['safety-latch', 'rests since 2'],
    ],
    [
      'the only reviewer runs even if it passed [RUN-SLOTS/single-reviewer/runs] [RUN-SLOTS/single-reviewer/invariant] [RUN-SLOTS/rule/not-with-one-review]',
      1,
      ['1.1 pass'],
      ['only-reviewer'],
    ],
    ['the only reviewer, first time', 1, [], ['first-run']],
    [
      'a slot without a result runs [RUN-SLOTS/no-prior-result/slot-2-runs] [RUN-SLOTS/no-prior-result/slot-1-skipped] [RUN-SLOTS/rule/no-prior-result]',
      2,
      ['1.1 pass'],
      ['rests since 1', 'first-run'],
    ],
    ['no records', 2, [], ['first-run', 'first-run']],
    [
      'a pass with findings is not a pass [RUN-SLOTS/rule/pass-has-no-violations]',
      2,
      ['1.1 pass!', '2.1 fail'],
      ['not-passed', 'not-passed'],
    ],
    ['an error is not a pass', 2, ['1.1 pass', '1.2 error', '2.2 fail'], ['not-passed', 'not-passed']],
    [
      'the latest iteration counts, compared as a number [RUN-SLOTS/rule/latest-iteration]',
      2,
      ['1.9 fail', '1.10 pass', '2.10 fail'],
      ['rests since 10', 'not-passed'],
    ],
    ['an older pass does not count', 2, ['1.1 pass', '1.2 fail', '2.2 pass'], ['not-passed', 'rests since 2']],
    ['slots above num_reviews are ignored', 2, ['1.1 pass', '2.1 pass', '3.1 fail'], ['safety-latch', 'rests since 1']],
    [
      'a skip without an iteration counts as the pass before it',
      2,
      ['1.1 pass', '1.2 skip', '2.2 fail'],
      ['rests since 1', 'not-passed'],
    ],
    [
      'a skip with an invalid iteration and no pass before it does not count',
      2,
      ['1.2 skip@7', '2.2 fail'],
      ['not-passed', 'not-passed'],
    ],
    [
      'a skip counts only if the iteration that it names passed',
      2,
      ['1.1 error', '1.2 skip@1', '2.2 fail'],
      ['not-passed', 'not-passed'],
    ],
    [
      'a skip may name another skip',
      2,
      ['1.1 pass', '1.2 skip', '1.3 skip@2', '2.3 fail'],
      ['rests since 1', 'not-passed'],
    ],
    [
      'a skip counts if the iteration that it names has no record',
      2,
      ['1.3 skip@2', '2.3 fail'],
      ['rests since 2', 'not-passed'],
    ],
    [
      'a skip counts if it names iteration 1 without a record',
      2,
      ['1.2 skip@1', '2.2 fail'],
      ['rests since 1', 'not-passed'],
    ],
    ['a skip that names its own iteration does not count', 2, ['1.2 skip@2', '2.2 fail'], ['not-passed', 'not-passed']],
    ['a skip that names a later iteration does not count', 2, ['1.2 skip@3', '2.2 fail'], ['not-passed', 'not-passed']],
    ['a skip after a failure does not count', 2, ['1.1 fail', '1.2 skip', '2.2 fail'], ['not-passed', 'not-passed']],
    [
      'two records of one iteration that disagree are not a pass',
      2,
      ['1.1 pass', '1.1 fail', '2.1 pass'],
      ['not-passed', 'rests since 1'],
    ],
  ])('%s', (_title, count, history, expected) => {
    expect(planned(count, ...history)).toEqual(expected);
  });

  test('at least one slot runs for any history; a single reviewer always runs [RUN-SLOTS/rule/invariant]', () => {
    const run = fc.record<SlotRun>({
      slot: fc.integer({ min: 1, max: 5 }),
      iteration: fc.integer({ min: 1, max: 12 }),
      status: fc.constantFrom('pass', 'fail', 'error', 'skipped_prior_pass'),
      violations: fc.nat(2),
      passIteration: fc.option(fc.integer({ min: -1, max: 13 }), { nil: null }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(run), (count, history) => {
        const plans = planSlots(count, history);
        expect(plans.map((plan) => plan.slot)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
        expect(plans.some((plan) => plan.kind === 'run')).toBe(true);
        for (const plan of plans) {
          if (plan.kind !== 'skip') continue;
          expect(history.some((one) => one.slot === plan.slot && one.iteration >= plan.passIteration)).toBe(true);
          expect(plan.passIteration).toBeGreaterThanOrEqual(1);
        }
      }),
    );
  });
});

test('the exact lines for logs [RUN-SLOTS/skip-log-format/format] [RUN-SLOTS/latch-log-format/index] [RUN-SLOTS/latch-log-format/reason] [RUN-SLOTS/latch-log-format/format]', () => {
  const lines = (count: number, ...history: string[]) => planSlots(count, records(...history)).map(describePlan);
  expect(lines(2, '1.2 pass', '2.2 fail')).toEqual([
    'Skipping @1: previously passed in iteration 2 (num_reviews > 1)',
    'Running @2: it had not passed before',
  ]);
  expect(lines(2, '1.1 pass', '2.1 pass')).toEqual([
    'Running @1: safety latch (all slots previously passed)',
    'Skipping @2: previously passed in iteration 1 (num_reviews > 1)',
  ]);
});
