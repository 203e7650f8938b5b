import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SlotRun } from '../../src/domain/slot.ts';
import { planSlots } from '../../src/plan/slots.ts';
import { tellSlot } from '../../src/text/slots.ts';

/** Records from "1.2 pass": slot, iteration, status; "!" after it means that it holds findings, "@3" a pass iteration. */
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
    ['a passed slot rests while a failed one runs', 2, ['1.2 pass', '2.2 fail'], ['rests since 2', 'not-passed']],
    [
      'and goes on resting',
      2,
      ['1.1 pass', '2.1 fail', '1.2 skip@1', '2.2 fail', '1.3 skip@1', '2.3 fail'],
      ['rests since 1', 'not-passed'],
    ],
    [
      'all passed: the first runs',
      3,
      ['1.1 pass', '2.1 pass', '3.1 pass'],
      ['safety-latch', 'rests since 1', 'rests since 1'],
    ],
    [
      'all passed, some of them resting',
      2,
      ['1.1 pass', '2.1 fail', '1.2 skip@1', '2.2 pass'],
      ['safety-latch', 'rests since 2'],
    ],
    ['the only reviewer runs, passed or not', 1, ['1.1 pass'], ['only-reviewer']],
    ['the only reviewer, first time', 1, [], ['first-run']],
    ['a slot without a result runs', 2, ['1.1 pass'], ['rests since 1', 'first-run']],
    ['nothing yet', 2, [], ['first-run', 'first-run']],
    ['a pass with findings is none', 2, ['1.1 pass!', '2.1 fail'], ['not-passed', 'not-passed']],
    ['an error is no pass', 2, ['1.1 pass', '1.2 error', '2.2 fail'], ['not-passed', 'not-passed']],
    [
      'the latest counts, by number and not by text',
      2,
      ['1.9 fail', '1.10 pass', '2.10 fail'],
      ['rests since 10', 'not-passed'],
    ],
    ['an older pass does not help', 2, ['1.1 pass', '1.2 fail', '2.2 pass'], ['not-passed', 'rests since 2']],
    ['slots above the number are ignored', 2, ['1.1 pass', '2.1 pass', '3.1 fail'], ['safety-latch', 'rests since 1']],
    [
      'a rest without its iteration: the pass before it',
      2,
      ['1.1 pass', '1.2 skip', '2.2 fail'],
      ['rests since 1', 'not-passed'],
    ],
    [
      'a rest with a nonsense iteration and no pass before it',
      2,
      ['1.2 skip@7', '2.2 fail'],
      ['not-passed', 'not-passed'],
    ],
    ['a rest is as good as what it rests on', 2, ['1.1 error', '1.2 skip@1', '2.2 fail'], ['not-passed', 'not-passed']],
    [
      'or on what that rests on',
      2,
      ['1.1 pass', '1.2 skip', '1.3 skip@2', '2.3 fail'],
      ['rests since 1', 'not-passed'],
    ],
    ['where that is not known, its word counts', 2, ['1.3 skip@2', '2.3 fail'], ['rests since 2', 'not-passed']],
    ['also where that is the first', 2, ['1.2 skip@1', '2.2 fail'], ['rests since 1', 'not-passed']],
    ['a rest that rests on itself is none', 2, ['1.2 skip@2', '2.2 fail'], ['not-passed', 'not-passed']],
    ['nor is one that rests on what is to come', 2, ['1.2 skip@3', '2.2 fail'], ['not-passed', 'not-passed']],
    ['a rest after a failure is none', 2, ['1.1 fail', '1.2 skip', '2.2 fail'], ['not-passed', 'not-passed']],
    [
      'two records of one iteration that disagree',
      2,
      ['1.1 pass', '1.1 fail', '2.1 pass'],
      ['not-passed', 'rests since 1'],
    ],
  ])('%s', (_title, count, history, expected) => {
    expect(planned(count, ...history)).toEqual(expected);
  });

  test('at least one runs, whatever the history; with one reviewer, that one', () => {
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

test('the lines for logs', () => {
  const lines = (count: number, ...history: string[]) => planSlots(count, records(...history)).map(tellSlot);
  expect(lines(2, '1.2 pass', '2.2 fail')).toEqual([
    'Skipping @1: previously passed in iteration 2 (num_reviews > 1)',
    null,
  ]);
  expect(lines(2, '1.1 pass', '2.1 pass')).toEqual([
    'Running @1: safety latch (all slots previously passed)',
    'Skipping @2: previously passed in iteration 1 (num_reviews > 1)',
  ]);
});
