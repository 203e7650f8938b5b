import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SlotRecord } from '../../src/domain/record.ts';
import type { SlotPlan } from '../../src/domain/slot.ts';
import { type CheckState, decideRun, type RunPlan, type RunWishes } from '../../src/plan/decide-run.ts';
import type { GateState } from '../../src/plan/gate-state.ts';
import {
  checkGate,
  content,
  finding,
  held,
  receipt,
  records,
  reviewGate,
  stateOf,
  waiver,
} from '../support/run-samples.ts';

type Settings = Parameters<typeof decideRun>[1];
const USUAL: Settings = { maxRetries: 3, unchangedGates: 'run', afterPass: 'latch', certify: false };
const NO_WISH: RunWishes = { force: false, fresh: false, isOn: false };

type Given = {
  readonly orphans?: readonly unknown[];
  readonly checks?: readonly CheckState[];
  readonly reviews?: readonly GateState[];
  readonly settings?: Partial<Settings>;
  readonly wishes?: Partial<RunWishes>;
};

function decide({ checks = [], reviews = [], orphans = [], settings = {}, wishes = {} }: Given): RunPlan {
  return decideRun({ checks, reviews, orphans }, { ...USUAL, ...settings }, { ...NO_WISH, ...wishes });
}

const slot = (plan: SlotPlan) => (plan.kind === 'run' ? plan.why : `rests since ${plan.passIteration}`);

/** What is done with each check and gate, in a word or, where slots run, a word a slot. */
function told(plan: RunPlan): { iterates: boolean; checks: string[]; reviews: (string | string[])[] } {
  return {
    iterates: plan.iterates,
    checks: plan.checks.map(({ kind }) => kind),
    reviews: plan.reviews.map((one) =>
      one.kind === 'run' ? one.slots.map(slot) : one.kind === 'rest' ? 'rest' : `not run: ${one.why}`,
    ),
  };
}

const passed = (...slots: readonly number[]) => slots.map((one) => receipt({ slot: one }));
const rule = { kind: 'rule', id: 'rule:.:style' } as const;

const PASSING: CheckState = { gate: checkGate(), holds: true };
const FAILING: CheckState = { gate: checkGate({ id: 'check:.:test' }), holds: false };

const NEW = stateOf();
const HOLDS = stateOf({ records: records('1.1 pass', '2.1 pass'), receipts: passed(1, 2) });
const RULE_HOLDS = stateOf({
  gate: reviewGate(rule),
  records: records('1.1 pass', '2.1 pass'),
  receipts: passed(1, 2),
});
const ONE_FAILS = stateOf({ records: records('1.1 pass', '2.1 fail'), findings: [finding({ slot: 2 })] });
/** It held at c0, and c1 is new. */
const HELD = stateOf({ records: records('1.1 pass c0', '2.1 pass c0'), held: held(1, 'c0') });
/** Slot 2 has run on the present content, and slot 1 rests. */
const RESTS = stateOf({
  records: records('1.1 pass c0', '2.1 fail c0', '1.2 rest@1', '2.2 pass'),
  receipts: passed(2),
});
/** Slot 1 has run on the present content, and slot 2 rests. */
const LATCHED = stateOf({
  records: records('1.1 pass c0', '2.1 pass c0', '1.2 pass', '2.2 rest@1'),
  receipts: passed(1),
});
const OVER = stateOf({
  records: records(
    '1.1 fail',
    '2.1 pass',
    '1.2 fail',
    '2.2 rest@1',
    '1.3 fail',
    '2.3 rest@1',
    '1.4 fail',
    '2.4 rest@1',
  ),
  findings: [finding()],
});
const AT_LIMIT = stateOf({
  records: records('1.1 fail', '2.1 pass', '1.2 fail', '2.2 rest@1', '1.3 fail', '2.3 rest@1'),
  findings: [finding()],
});
/** All is passed, and a slot that is no more left a finding open. */
const ORPHANED = stateOf({
  records: records('1.1 pass', '2.1 pass'),
  receipts: passed(1, 2),
  findings: [finding({ slot: 3 })],
});

describe('whether there is an iteration', () => {
  test.each<[string, Given, boolean]>([
    ['there is nothing to look at', {}, false],
    ['everything holds', { checks: [PASSING], reviews: [HOLDS, RULE_HOLDS] }, false],
    ['a gate does not hold', { checks: [PASSING], reviews: [HOLDS, NEW] }, true],
    ['a check does not hold', { checks: [FAILING], reviews: [HOLDS] }, true],
    ['only a gate beyond the retry limit is open', { reviews: [OVER, HOLDS] }, false],
    ['only what a slot that is no more left is open', { reviews: [ORPHANED] }, false],
    ['one is under way', { reviews: [HOLDS], wishes: { isOn: true } }, true],
    ['a slot rests', { reviews: [RESTS] }, false],
    ['--force, and all slots have passed', { reviews: [HOLDS], wishes: { force: true } }, false],
    ['--force, and a slot rests', { reviews: [RESTS], wishes: { force: true } }, true],
    ['--force, beyond the retry limit', { reviews: [OVER], wishes: { force: true } }, true],
    ['--fresh', { reviews: [HOLDS], wishes: { fresh: true } }, true],
    ['--fresh, checks alone', { checks: [PASSING], wishes: { fresh: true } }, true],
    ['--fresh, nothing to look at', { wishes: { fresh: true } }, false],
    ['certify, and a slot rests', { reviews: [RESTS], settings: { certify: true } }, true],
    ['certify, and all have looked', { checks: [PASSING], reviews: [HOLDS], settings: { certify: true } }, false],
  ])('%s', (_title, given, expected) => {
    const plan = decide(given);
    expect(plan.iterates).toBe(expected);
    const runs = [...plan.checks, ...plan.reviews].some(({ kind }) => kind === 'run');
    expect(runs).toBe(expected);
  });
});

describe('what runs in an iteration', () => {
  const REST: Given['settings'] = { unchangedGates: 'rest' };
  test.each<[string, Given, ReturnType<typeof told>]>([
    [
      'a gate that holds runs its latch, a rule that holds rests',
      { checks: [PASSING], reviews: [HOLDS, RULE_HOLDS, NEW] },
      {
        iterates: true,
        checks: ['run'],
        reviews: [['safety-latch', 'rests since 1'], 'rest', ['first-run', 'first-run']],
      },
    ],
    [
      'unchanged_gates: rest leaves out what holds',
      { checks: [PASSING, FAILING], reviews: [HOLDS, RULE_HOLDS, NEW], settings: REST },
      { iterates: true, checks: ['rest', 'run'], reviews: ['rest', 'rest', ['first-run', 'first-run']] },
    ],
    [
      'a rule that does not hold runs',
      { reviews: [stateOf({ gate: reviewGate(rule) })] },
      { iterates: true, checks: [], reviews: [['first-run', 'first-run']] },
    ],
    [
      'a check alone: gates run at least one reviewer',
      { checks: [FAILING], reviews: [HOLDS] },
      { iterates: true, checks: ['run'], reviews: [['safety-latch', 'rests since 1']] },
    ],
    [
      'a check alone, unchanged_gates: rest',
      { checks: [FAILING], reviews: [HOLDS], settings: REST },
      { iterates: true, checks: ['run'], reviews: ['rest'] },
    ],
    [
      'under way: as in any iteration',
      { reviews: [HOLDS], wishes: { isOn: true } },
      { iterates: true, checks: [], reviews: [['safety-latch', 'rests since 1']] },
    ],
    [
      'the only reviewer runs although it passed',
      {
        checks: [FAILING],
        reviews: [stateOf({ gate: reviewGate({ numReviews: 1 }), records: records('1.1 pass'), receipts: passed(1) })],
      },
      { iterates: true, checks: ['run'], reviews: [['only-reviewer']] },
    ],
    [
      'what failed is asked again, also where nothing changed',
      { reviews: [ONE_FAILS] },
      { iterates: true, checks: [], reviews: [['rests since 1', 'not-passed']] },
    ],
    [
      'gates are decided one by one',
      { reviews: [ONE_FAILS, HELD, NEW] },
      {
        iterates: true,
        checks: [],
        reviews: [
          ['rests since 1', 'not-passed'],
          ['safety-latch', 'rests since 1'],
          ['first-run', 'first-run'],
        ],
      },
    ],
    [
      'everything holds',
      { checks: [PASSING], reviews: [HOLDS, RULE_HOLDS, RESTS] },
      { iterates: false, checks: ['rest'], reviews: ['rest', 'rest', 'rest'] },
    ],
  ])('%s', (_title, given, expected) => {
    expect(told(decide(given))).toEqual(expected);
  });

  test('a rule that only an orphaned finding keeps from holding runs nobody', () => {
    const orphaned = stateOf({
      gate: reviewGate(rule),
      records: records('1.1 pass', '2.1 pass'),
      receipts: passed(1, 2),
      findings: [finding({ slot: 3 })],
    });
    expect(told(decide({ reviews: [orphaned, NEW] })).reviews[0]).toBe('not run: open-findings');
  });

  test('a gate that only an orphaned finding keeps from holding runs its latch', () => {
    expect(told(decide({ reviews: [ORPHANED, NEW] })).reviews[0]).toEqual(['safety-latch', 'rests since 1']);
  });
});

describe('the retry limit', () => {
  test.each<[string, Given, (string | string[])[]]>([
    ['as many failures as retries', { reviews: [AT_LIMIT] }, [['not-passed', 'rests since 1']]],
    [
      'one more: it is not asked, the others go on',
      { reviews: [OVER, NEW] },
      ['not run: retry-limit', ['first-run', 'first-run']],
    ],
    ['no retries', { reviews: [ONE_FAILS], settings: { maxRetries: 0 } }, ['not run: retry-limit']],
    ['a higher limit', { reviews: [OVER], settings: { maxRetries: 4 } }, [['not-passed', 'rests since 1']]],
    ['--force asks again', { reviews: [OVER], wishes: { force: true } }, [['not-passed', 'forced']]],
    [
      '--force with --fresh: all',
      { reviews: [OVER], wishes: { force: true, fresh: true } },
      [['asked-for', 'asked-for']],
    ],
    ['an orphaned finding is another reason', { reviews: [ORPHANED] }, ['not run: open-findings']],
    [
      'it holds: the limit does not matter',
      { reviews: [HOLDS], wishes: { isOn: true }, settings: { maxRetries: -1 } },
      [['safety-latch', 'rests since 1']],
    ],
    [
      'resolved: it is asked again',
      {
        reviews: [
          stateOf({
            records: records('1.1 fail', '1.2 fail', '1.3 fail', '1.4 fail'),
            findings: [finding({ resolution: waiver() })],
          }),
        ],
      },
      [['not-passed', 'first-run']],
    ],
  ])('%s', (_title, given, expected) => {
    expect(told(decide(given)).reviews).toEqual(expected);
  });

  test('--fresh does not lift it', () => {
    expect(told(decide({ reviews: [OVER], wishes: { fresh: true } })).reviews).toEqual(['not run: retry-limit']);
  });
});

describe('--fresh', () => {
  test('runs all slots of all gates, rules and checks too, whatever the settings', () => {
    const given: Given = { checks: [PASSING], reviews: [HOLDS, RULE_HOLDS, RESTS], wishes: { fresh: true } };
    const all = {
      iterates: true,
      checks: ['run'],
      reviews: [
        ['asked-for', 'asked-for'],
        ['asked-for', 'asked-for'],
        ['asked-for', 'asked-for'],
      ],
    };
    expect(told(decide(given))).toEqual(all);
    expect(told(decide({ ...given, settings: { unchangedGates: 'rest', certify: true } }))).toEqual(all);
  });
});

describe('--force', () => {
  const force = { force: true } as const;
  test.each<[string, Given, (string | string[])[]]>([
    ['all have passed what is there: nothing', { reviews: [HOLDS], wishes: force }, ['rest']],
    ['the first rests: it runs as the latch', { reviews: [RESTS], wishes: force }, [['safety-latch', 'rests since 2']]],
    ['it held, and the change is new: all', { reviews: [HELD], wishes: force }, [['safety-latch', 'forced']]],
    [
      'one passed something older, one failed: both',
      {
        reviews: [stateOf({ records: records('1.1 pass c0', '2.1 fail'), findings: [finding({ slot: 2 })] })],
        wishes: force,
      },
      [['forced', 'not-passed']],
    ],
    [
      'one passed what is there: it rests',
      {
        reviews: [
          stateOf({ records: records('1.1 pass', '2.1 fail'), receipts: passed(1), findings: [finding({ slot: 2 })] }),
        ],
        wishes: force,
      },
      [['rests since 1', 'not-passed']],
    ],
    [
      'one is waived on what is there: it rests',
      {
        reviews: [
          stateOf({
            records: records('1.1 waived', '2.1 fail'),
            receipts: [receipt({ verdict: 'fail', findings: ['F1'] })],
            findings: [finding({ resolution: waiver() }), finding({ id: 'F2', slot: 2 })],
          }),
        ],
        wishes: force,
      },
      [['rests since 1', 'not-passed']],
    ],
  ])('%s', (_title, given, expected) => {
    expect(told(decide(given)).reviews).toEqual(expected);
  });

  test('one that passed what is there rests while a forced one runs', () => {
    expect(told(decide({ reviews: [LATCHED], wishes: force })).reviews).toEqual([['rests since 2', 'forced']]);
  });
});

describe('after_pass', () => {
  const all = { afterPass: 'all' } as const;
  test.each<[string, Given, (string | string[])[]]>([
    ['latch: the new change is seen by the first', { reviews: [HELD] }, [['safety-latch', 'rests since 1']]],
    ['all: by all', { reviews: [HELD], settings: all }, [['safety-latch', 'after-pass']]],
    [
      'all, and forced: by all, also by one that has seen it',
      { reviews: [{ ...LATCHED, holds: false, heldBefore: true }], settings: all, wishes: { force: true } },
      [['safety-latch', 'after-pass']],
    ],
    [
      'all, and nothing is new: the latch alone',
      { checks: [FAILING], reviews: [HOLDS], settings: all },
      [['safety-latch', 'rests since 1']],
    ],
    [
      'all, but the gate has not held: passed ones rest',
      { reviews: [ONE_FAILS], settings: all },
      [['rests since 1', 'not-passed']],
    ],
  ])('%s', (_title, given, expected) => {
    expect(told(decide(given)).reviews).toEqual(expected);
  });

  test('all: by all also where the gate held with a warning', () => {
    const warned = stateOf({ records: records('1.1 pass c0', '2.1 warned c0'), held: held(1, 'c0') });
    expect(told(decide({ reviews: [warned], settings: all })).reviews).toEqual([['after-pass', 'not-passed']]);
  });
});

describe('after_pass, after an iteration that did not reach all', () => {
  test.each([
    ['interrupted', records('1.1 pass c0', '2.1 pass c0', '1.2 pass'), held(1, 'c0'), passed(1)],
    [
      'certified',
      records('1.1 pass b0', '2.1 fail b0', '1.2 rest@1 c0', '2.2 warned c0', '1.3 pass c0'),
      held(3, 'c0'),
      [],
    ],
  ])('%s', (_how, past, since, receipts) => {
    const state = stateOf({ records: past, receipts, held: since });
    expect(told(decide({ reviews: [state], settings: { afterPass: 'all' } })).reviews.flat()).toContain('after-pass');
  });
});

describe('certify', () => {
  const certify = { certify: true } as const;
  test.each<[string, Given, ReturnType<typeof told>]>([
    [
      'before the run passes, those look that have not seen what is there; nothing else runs',
      { checks: [PASSING], reviews: [RESTS, HOLDS], settings: certify },
      { iterates: true, checks: ['rest'], reviews: [['certify', 'rests since 2'], 'rest'] },
    ],
    [
      'not while something else is to be done',
      { reviews: [RESTS, NEW], settings: { ...certify, unchangedGates: 'rest' } },
      { iterates: true, checks: [], reviews: ['rest', ['first-run', 'first-run']] },
    ],
    [
      'not in an iteration that is under way',
      { reviews: [RESTS], settings: { ...certify, unchangedGates: 'rest' }, wishes: { isOn: true } },
      { iterates: true, checks: [], reviews: ['rest'] },
    ],
    [
      'a rule too',
      {
        reviews: [
          stateOf({
            gate: reviewGate(rule),
            records: records('1.1 pass c0', '1.2 rest@1', '2.2 pass'),
            receipts: passed(2),
          }),
        ],
        settings: certify,
      },
      { iterates: true, checks: [], reviews: [['certify', 'rests since 2']] },
    ],
  ])('%s', (_title, given, expected) => {
    expect(told(decide(given))).toEqual(expected);
  });

  test('not where the run cannot pass', () => {
    const given: Given = { reviews: [RESTS, OVER], settings: certify };
    expect(told(decide(given))).toEqual({ iterates: false, checks: [], reviews: ['rest', 'not run: retry-limit'] });
  });

  test('not where a finding of a gate that is no more is open', () => {
    expect(decide({ reviews: [RESTS], orphans: [finding()], settings: certify }).iterates).toBe(false);
  });

  test('a slot with warnings does not rest after a certifying iteration', () => {
    const before = records('1.1 pass c0', '2.1 fail c0', '1.2 rest@1', '2.2 warned');
    const plan = decide({ reviews: [stateOf({ records: before, receipts: passed(2) })], settings: certify });
    const certified = [...before, ...recorded(plan, 3)];
    const next = stateOf({ gate: reviewGate({ content: content('c2') }), records: certified });
    expect(told(decide({ reviews: [next] })).reviews[0]?.[1]).toBe('not-passed');
  });
});

describe('whatever the state', () => {
  const states = [NEW, HOLDS, RULE_HOLDS, ONE_FAILS, HELD, RESTS, LATCHED, OVER, AT_LIMIT, ORPHANED];
  const given = fc.record({
    checks: fc.subarray([PASSING, FAILING]),
    reviews: fc.array(fc.constantFrom(...states), { maxLength: 4 }),
    settings: fc.record({
      maxRetries: fc.constantFrom(0, 3),
      unchangedGates: fc.constantFrom<Settings['unchangedGates']>('run', 'rest'),
      afterPass: fc.constantFrom<Settings['afterPass']>('latch', 'all'),
      certify: fc.boolean(),
    }),
    wishes: fc.record({ force: fc.boolean(), fresh: fc.boolean(), isOn: fc.constant(false) }),
  });

  test('an iteration runs something, and without one nothing runs', () => {
    fc.assert(
      fc.property(given, (one) => {
        const plan = decide(one);
        expect([...plan.checks, ...plan.reviews].some(({ kind }) => kind === 'run')).toBe(plan.iterates);
      }),
      { numRuns: 1000 },
    );
  });

  test('a gate that runs has at least one reviewer look, and every slot without a pass [RUN-SLOTS/rule/invariant]', () => {
    fc.assert(
      fc.property(given, (one) => {
        for (const review of decide(one).reviews) {
          if (review.kind !== 'run') continue;
          expect(review.slots.some(({ kind }) => kind === 'run')).toBe(true);
          const resting = review.slots.filter(({ kind }) => kind === 'skip').map((plan) => plan.slot);
          for (const { passIteration, slot: number } of review.state.slots) {
            if (passIteration === null) expect(resting).not.toContain(number);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('a gate that does not hold runs, unless it is beyond the limit or nobody could close what is open', () => {
    fc.assert(
      fc.property(given, (one) => {
        for (const review of decide(one).reviews) {
          if (review.kind === 'rest') expect(review.state.holds).toBe(true);
          if (review.kind !== 'not-run') continue;
          expect(review.state.holds).toBe(false);
          const isOver = review.state.failing > one.settings.maxRetries;
          expect(isOver || review.state === ORPHANED).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

/** The records of an iteration in which whoever looked passed. */
function recorded(plan: RunPlan, iteration: number): SlotRecord[] {
  const [review] = plan.reviews;
  if (review?.kind !== 'run') throw new Error('it did not run');
  return records(
    ...review.slots.map((one) =>
      one.kind === 'run' ? `${one.slot}.${iteration} pass` : `${one.slot}.${iteration} rest@${one.passIteration}`,
    ),
  );
}
