import type { SnapshotId } from '@onceover/base/kernel/ids';
import { ownFacts } from '@onceover/testing/record-samples.ts';
import {
  checkGate,
  claim,
  content,
  finding,
  held,
  path,
  receipt,
  records,
  reviewGate,
  stateOf,
  waiver,
} from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Resolution } from '../../../src/findings/types.ts';
import type { SlotPlan } from '../../../src/gate-types.ts';
import type { GateState } from '../../../src/run/decide/gate-state.ts';
import { type CheckState, decideRun, type RunOverrides, type RunPlan } from '../../../src/run/decide/plan-run.ts';
import type { SlotRecord } from '../../../src/run/record-types.ts';

const snapshot = (text: string) => text as SnapshotId;
type Settings = Parameters<typeof decideRun>[1];
const USUAL: Settings = { maxRetries: 3, unchangedGates: 'run', afterPass: 'latch', certify: false };
const NO_WISH: RunOverrides = { force: false, fresh: false, iterationStarted: false };

type Given = {
  readonly orphans?: readonly unknown[];
  readonly checks?: readonly CheckState[];
  readonly reviews?: readonly GateState[];
  readonly settings?: Partial<Settings>;
  readonly wishes?: Partial<RunOverrides>;
};

function decide({ checks = [], reviews = [], orphans = [], settings = {}, wishes = {} }: Given): RunPlan {
  return decideRun({ checks, reviews, orphans }, { ...USUAL, ...settings }, { ...NO_WISH, ...wishes });
}

const slot = (plan: SlotPlan) => {
  if (plan.kind === 'accept') return 'accepted';
  return plan.kind === 'run' ? plan.why : `rests since ${plan.passIteration}`;
};

/** Returns one word per check and gate or, if slots run, one word per slot. */
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
/** The gate passed c0, and c1 is new. */
const HELD = stateOf({ records: records('1.1 pass c0', '2.1 pass c0'), held: held(1, 'c0') });
/** Slot 2 reviewed the current content, and slot 1 is skipped. */
const RESTS = stateOf({
  records: records('1.1 pass c0', '2.1 fail c0', '1.2 rest@1', '2.2 pass'),
  receipts: passed(2),
});
/** Slot 1 reviewed the current content, and slot 2 is skipped. */
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
/** All slots passed, and a finding of a removed slot is open. */
const ORPHANED = stateOf({
  records: records('1.1 pass', '2.1 pass'),
  receipts: passed(1, 2),
  findings: [finding({ slot: 3 })],
});

describe('whether there is an iteration', () => {
  test.each<[string, Given, boolean]>([
    ['there are no gates', {}, false],
    ['every gate passes', { checks: [PASSING], reviews: [HOLDS, RULE_HOLDS] }, false],
    ['a gate does not pass', { checks: [PASSING], reviews: [HOLDS, NEW] }, true],
    ['a check does not pass', { checks: [FAILING], reviews: [HOLDS] }, true],
    ['only a gate beyond the retry limit does not pass', { reviews: [OVER, HOLDS] }, false],
    ['only findings of a removed slot are open', { reviews: [ORPHANED] }, false],
    ['an iteration has started', { reviews: [HOLDS], wishes: { iterationStarted: true } }, true],
    ['a slot is skipped', { reviews: [RESTS] }, false],
    ['--force, and all slots have passed', { reviews: [HOLDS], wishes: { force: true } }, false],
    ['--force, and a slot is skipped', { reviews: [RESTS], wishes: { force: true } }, true],
    ['--force, beyond the retry limit', { reviews: [OVER], wishes: { force: true } }, true],
    ['--fresh', { reviews: [HOLDS], wishes: { fresh: true } }, true],
    ['--fresh, with checks alone', { checks: [PASSING], wishes: { fresh: true } }, true],
    ['--fresh, without gates', { wishes: { fresh: true } }, false],
    ['certify, and a slot is skipped', { reviews: [RESTS], settings: { certify: true } }, true],
    ['certify, and all slots reviewed', { checks: [PASSING], reviews: [HOLDS], settings: { certify: true } }, false],
  ])('%s', (_title, given, expected) => {
    const plan = decide(given);
    expect(plan.iterates).toBe(expected);
    const runs = [...plan.checks, ...plan.reviews].some(({ kind }) => kind === 'run');
    expect(runs).toBe(expected);
  });
});

describe('a slot whose findings are all waived', () => {
  const both = [
    receipt({ verdict: 'fail', findings: ['F1'] }),
    receipt({ slot: 2, verdict: 'fail', findings: ['F2'] }),
  ];
  const waivers = [finding({ resolution: waiver() }), finding({ id: 'F2', slot: 2, resolution: waiver() })];
  const failed = records('1.1 waived', '2.1 waived');

  test.each<[string, GateState, readonly string[][]]>([
    [
      'does not run beside one that has not passed',
      stateOf({ records: records('1.1 waived', '2.1 error'), receipts: both.slice(0, 1), findings: waivers }),
      [['not-passed']],
    ],
    [
      'runs if no other slot has to',
      stateOf({
        records: records('1.1 waived', '2.1 pass'),
        receipts: [...both.slice(0, 1), ...passed(2)],
        findings: waivers,
      }),
      [['not-passed', 'rests since 1']],
    ],
    [
      'runs alone beside another one',
      stateOf({ records: failed, receipts: both, findings: waivers }),
      [['not-passed']],
    ],
  ])('%s', (_title, state, expected) => {
    expect(state.slots[0]).toMatchObject({ covers: 'waived', passIteration: null });
    const plan = decide({ reviews: [state], wishes: { iterationStarted: true } });
    expect(told(plan).reviews).toEqual(expected);
  });
});

describe('an unchanged gate that failed', () => {
  const rubric = { source: 'x', text: 'Look again.', digest: 'p2' };
  const at = '2026-03-01T12:00:30.000Z';
  const failed = records('1.1 pass', '2.1 fail');
  const open = (resolution: Resolution | null) => [finding({ slot: 2, resolution })];
  const answered = (resolution: Resolution) =>
    stateOf({ records: failed, receipts: passed(1), findings: open(resolution) });

  const onTree = failed.map((one) => ({ ...one, own: ownFacts({ content: content('c1'), snapshot: snapshot('t1') }) }));
  const other = finding({ slot: 2, file: path('docs/a.md'), entry: null });
  const outside = (tree: string): GateState => ({
    ...stateOf({ records: onTree, receipts: passed(1), findings: [other] }),
    tree: snapshot(tree),
  });

  test.each<[string, GateState, Partial<RunOverrides>, boolean]>([
    ['is not reviewed again', ONE_FAILS, {}, false],
    ['runs with --force', ONE_FAILS, { force: true }, true],
    ['runs with --fresh', ONE_FAILS, { fresh: true }, true],
    [
      'runs if its content changed',
      stateOf({ records: records('1.1 pass c0', '2.1 fail c0'), findings: open(null) }),
      {},
      true,
    ],
    [
      'runs if its prompt changed',
      stateOf({ gate: reviewGate({ rubric }), records: failed, findings: open(null) }),
      {},
      true,
    ],
    ['runs if a file outside the gate that a finding is about may be fixed', outside('t2'), {}, true],
    ['does not run if it failed on the same tree because of a file outside the gate', outside('t1'), {}, false],
    ['runs if a fix was claimed since', answered(claim('', at)), {}, true],
    ['runs if the fixer gave a reason since', answered({ ...claim('', at), how: 'proposed' }), {}, true],
    ['does not run because of an older claim', answered(claim('', '2026-03-01T11:00:00.000Z')), {}, false],
    ['does not run because of a refuted claim', answered({ ...claim('', at), how: 'refuted' }), {}, false],
    [
      'runs if another reviewer has no verdict',
      stateOf({ records: records('1.1 error', '2.1 fail'), findings: open(null) }),
      {},
      true,
    ],
    [
      'runs if another reviewer is new',
      stateOf({ gate: reviewGate({ numReviews: 3 }), records: failed, receipts: passed(1), findings: open(null) }),
      {},
      true,
    ],
  ])('%s (unchanged_gates: rest)', (_title, state, wishes, runs) => {
    const plan = decide({ reviews: [state], settings: { unchangedGates: 'rest' }, wishes });
    expect(plan.iterates).toBe(runs);
    expect(plan.reviews[0]?.kind).toBe(runs ? 'run' : 'not-run');
  });

  test('is not reviewed again beside a gate that runs (unchanged_gates: rest)', () => {
    const plan = decide({ reviews: [ONE_FAILS, NEW], settings: { unchangedGates: 'rest' } });
    expect(told(plan).reviews).toEqual(['not run: open-findings', ['first-run', 'first-run']]);
  });

  test('runs in every iteration (unchanged_gates: run)', () => {
    expect(told(decide({ reviews: [ONE_FAILS] })).reviews).toEqual([['rests since 1', 'not-passed']]);
  });
});

describe('what runs in an iteration', () => {
  const REST: Given['settings'] = { unchangedGates: 'rest' };
  test.each<[string, Given, ReturnType<typeof told>]>([
    [
      'a gate that passes runs its latch, a rule that passes is skipped',
      { checks: [PASSING], reviews: [HOLDS, RULE_HOLDS, NEW] },
      {
        iterates: true,
        checks: ['run'],
        reviews: [['safety-latch', 'rests since 1'], 'rest', ['first-run', 'first-run']],
      },
    ],
    [
      'unchanged_gates: rest skips gates that pass',
      { checks: [PASSING, FAILING], reviews: [HOLDS, RULE_HOLDS, NEW], settings: REST },
      { iterates: true, checks: ['rest', 'run'], reviews: ['rest', 'rest', ['first-run', 'first-run']] },
    ],
    [
      'a rule that does not pass runs',
      { reviews: [stateOf({ gate: reviewGate(rule) })] },
      { iterates: true, checks: [], reviews: [['first-run', 'first-run']] },
    ],
    [
      'only a check fails: gates run at least one reviewer',
      { checks: [FAILING], reviews: [HOLDS] },
      { iterates: true, checks: ['run'], reviews: [['safety-latch', 'rests since 1']] },
    ],
    [
      'only a check fails, with unchanged_gates: rest',
      { checks: [FAILING], reviews: [HOLDS], settings: REST },
      { iterates: true, checks: ['run'], reviews: ['rest'] },
    ],
    [
      'an iteration that has started runs the same slots',
      { reviews: [HOLDS], wishes: { iterationStarted: true } },
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
      'a failed slot runs again, even if nothing changed',
      { reviews: [ONE_FAILS] },
      { iterates: true, checks: [], reviews: [['rests since 1', 'not-passed']] },
    ],
    [
      'each gate is planned by its own state',
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
      'every gate passes',
      { checks: [PASSING], reviews: [HOLDS, RULE_HOLDS, RESTS] },
      { iterates: false, checks: ['rest'], reviews: ['rest', 'rest', 'rest'] },
    ],
  ])('%s', (_title, given, expected) => {
    expect(told(decide(given))).toEqual(expected);
  });

  test('a rule whose only open finding is of a removed slot does not run', () => {
    const orphaned = stateOf({
      gate: reviewGate(rule),
      records: records('1.1 pass', '2.1 pass'),
      receipts: passed(1, 2),
      findings: [finding({ slot: 3 })],
    });
    expect(told(decide({ reviews: [orphaned, NEW] })).reviews[0]).toBe('not run: open-findings');
  });

  test('a gate whose only open finding is of a removed slot runs its latch', () => {
    expect(told(decide({ reviews: [ORPHANED, NEW] })).reviews[0]).toEqual(['safety-latch', 'rests since 1']);
  });
});

describe('the retry limit', () => {
  test.each<[string, Given, (string | string[])[]]>([
    ['as many failures as retries', { reviews: [AT_LIMIT] }, [['not-passed', 'rests since 1']]],
    [
      'one failure more: the gate does not run, the others do',
      { reviews: [OVER, NEW] },
      ['not run: retry-limit', ['first-run', 'first-run']],
    ],
    ['no retries', { reviews: [ONE_FAILS], settings: { maxRetries: 0 } }, ['not run: retry-limit']],
    ['a higher limit', { reviews: [OVER], settings: { maxRetries: 4 } }, [['not-passed', 'rests since 1']]],
    ['--force runs it again', { reviews: [OVER], wishes: { force: true } }, [['not-passed', 'forced']]],
    [
      '--force with --fresh runs all slots',
      { reviews: [OVER], wishes: { force: true, fresh: true } },
      [['asked-for', 'asked-for']],
    ],
    ['a finding of a removed slot gives another reason', { reviews: [ORPHANED] }, ['not run: open-findings']],
    [
      'the gate passes: the limit does not matter',
      { reviews: [HOLDS], wishes: { iterationStarted: true }, settings: { maxRetries: -1 } },
      [['safety-latch', 'rests since 1']],
    ],
    [
      'a resolved finding: the gate runs again',
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

  test('--fresh does not lift the limit', () => {
    expect(told(decide({ reviews: [OVER], wishes: { fresh: true } })).reviews).toEqual(['not run: retry-limit']);
  });
});

describe('--fresh', () => {
  test('runs all slots of all gates, rules and checks, under any settings', () => {
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
    ['all slots passed the current content: nothing runs', { reviews: [HOLDS], wishes: force }, ['rest']],
    [
      'slot 1 is skipped: it runs as the latch',
      { reviews: [RESTS], wishes: force },
      [['safety-latch', 'rests since 2']],
    ],
    ['the gate passed other content: all slots run', { reviews: [HELD], wishes: force }, [['safety-latch', 'forced']]],
    [
      'one slot passed older content, one failed: both run',
      {
        reviews: [stateOf({ records: records('1.1 pass c0', '2.1 fail'), findings: [finding({ slot: 2 })] })],
        wishes: force,
      },
      [['forced', 'not-passed']],
    ],
    [
      'one slot passed the current content: it is skipped',
      {
        reviews: [
          stateOf({ records: records('1.1 pass', '2.1 fail'), receipts: passed(1), findings: [finding({ slot: 2 })] }),
        ],
        wishes: force,
      },
      [['rests since 1', 'not-passed']],
    ],
    [
      'one slot is waived on the current content: it neither runs nor counts as passed',
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
      [['not-passed']],
    ],
  ])('%s', (_title, given, expected) => {
    expect(told(decide(given)).reviews).toEqual(expected);
  });

  test('skips a slot that passed the current content while a forced slot runs', () => {
    expect(told(decide({ reviews: [LATCHED], wishes: force })).reviews).toEqual([['rests since 2', 'forced']]);
  });
});

describe('after_pass', () => {
  const all = { afterPass: 'all' } as const;
  test.each<[string, Given, (string | string[])[]]>([
    ['latch: slot 1 reviews the new change', { reviews: [HELD] }, [['safety-latch', 'rests since 1']]],
    ['all: all slots review the new change', { reviews: [HELD], settings: all }, [['safety-latch', 'after-pass']]],
    [
      'all, and forced: all slots run, also one that has seen the change',
      { reviews: [{ ...LATCHED, holds: false, heldBefore: true }], settings: all, wishes: { force: true } },
      [['safety-latch', 'after-pass']],
    ],
    [
      'all, and nothing is new: only the latch runs',
      { checks: [FAILING], reviews: [HOLDS], settings: all },
      [['safety-latch', 'rests since 1']],
    ],
    [
      'all, but the gate has not passed: slots that passed are skipped',
      { reviews: [ONE_FAILS], settings: all },
      [['rests since 1', 'not-passed']],
    ],
  ])('%s', (_title, given, expected) => {
    expect(told(decide(given)).reviews).toEqual(expected);
  });

  test('all: all slots run, even if the gate passed with a warning', () => {
    const warned = stateOf({ records: records('1.1 pass c0', '2.1 warned c0'), held: held(1, 'c0') });
    expect(told(decide({ reviews: [warned], settings: all })).reviews).toEqual([['after-pass', 'not-passed']]);
  });
});

describe('after_pass, after an iteration that did not run all slots', () => {
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
      'before the run passes, only slots run that have not seen the current content',
      { checks: [PASSING], reviews: [RESTS, HOLDS], settings: certify },
      { iterates: true, checks: ['rest'], reviews: [['certify', 'rests since 2'], 'rest'] },
    ],
    [
      'does not certify while another gate has to run',
      { reviews: [RESTS, NEW], settings: { ...certify, unchangedGates: 'rest' } },
      { iterates: true, checks: [], reviews: ['rest', ['first-run', 'first-run']] },
    ],
    [
      'does not certify in an iteration that has started',
      { reviews: [RESTS], settings: { ...certify, unchangedGates: 'rest' }, wishes: { iterationStarted: true } },
      { iterates: true, checks: [], reviews: ['rest'] },
    ],
    [
      'certifies a rule too',
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

  test('does not certify if the run cannot pass', () => {
    const given: Given = { reviews: [RESTS, OVER], settings: certify };
    expect(told(decide(given))).toEqual({ iterates: false, checks: [], reviews: ['rest', 'not run: retry-limit'] });
  });

  test('does not certify if a finding of a removed gate is open', () => {
    expect(decide({ reviews: [RESTS], orphans: [finding()], settings: certify }).iterates).toBe(false);
  });

  test('a slot with warnings is not skipped after a certifying iteration', () => {
    const before = records('1.1 pass c0', '2.1 fail c0', '1.2 rest@1', '2.2 warned');
    const plan = decide({ reviews: [stateOf({ records: before, receipts: passed(2) })], settings: certify });
    const certified = [...before, ...recorded(plan, 3)];
    const next = stateOf({ gate: reviewGate({ content: content('c2') }), records: certified });
    expect(told(decide({ reviews: [next] })).reviews[0]?.[1]).toBe('not-passed');
  });
});

describe('properties of plans', () => {
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

  test('an iteration runs something, and nothing runs without one', () => {
    fc.assert(
      fc.property(given, (one) => {
        const plan = decide(one);
        expect([...plan.checks, ...plan.reviews].some(({ kind }) => kind === 'run')).toBe(plan.iterates);
      }),
      { numRuns: 1000 },
    );
  });

  test('a gate that runs has at least one reviewer, and every slot without a pass runs [RUN-SLOTS/rule/invariant]', () => {
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

  test('a gate that does not pass runs, unless it is beyond the limit or no reviewer could close its findings', () => {
    fc.assert(
      fc.property(given, (one) => {
        for (const review of decide(one).reviews) {
          if (review.kind === 'rest') expect(review.state.holds).toBe(true);
          if (review.kind !== 'not-run') continue;
          expect(review.state.holds).toBe(false);
          const isOver = review.state.failing > one.settings.maxRetries;
          const rests = one.settings.unchangedGates === 'rest' && [ONE_FAILS, AT_LIMIT].includes(review.state);
          expect(isOver || rests || review.state === ORPHANED).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

/** Returns the records of an iteration in which every slot that ran passed. */
function recorded(plan: RunPlan, iteration: number): SlotRecord[] {
  const [review] = plan.reviews;
  if (review?.kind !== 'run') throw new Error('it did not run');
  return records(
    ...review.slots.map((one) =>
      one.kind === 'skip' ? `${one.slot}.${iteration} rest@${one.passIteration}` : `${one.slot}.${iteration} pass`,
    ),
  );
}
