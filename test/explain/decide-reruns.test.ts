import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRerunTriggers, gateRerunTriggers, slotRerunTriggers } from '../../src/explain/decide-reruns.ts';
import type { RerunTrigger } from '../../src/explain/types.ts';
import { decideRun } from '../../src/gates/decide/plan-run.ts';
import { content, finding, held, receipt, records, reviewGate, stateOf } from '../support/run-samples.ts';

type Rules = Parameters<typeof gateRerunTriggers>[1];
const USUAL: Rules = { maxRetries: 3, unchangedGates: 'rest', afterPass: 'latch', certify: false };
const passed = (...slots: readonly number[]) => slots.map((slot) => receipt({ slot }));

type Facts = Parameters<typeof stateOf>[0];
const ONE: Facts = { gate: reviewGate({ numReviews: 1 }), records: records('1.1 pass'), receipts: passed(1) };
const BOTH: Facts = { records: records('1.1 pass', '2.1 pass'), receipts: passed(1, 2) };
const RESTS: Facts = {
  records: records('1.1 pass c0', '2.1 fail c0', '1.2 rest@1', '2.2 pass'),
  receipts: passed(2),
};
const FAILS: Facts = {
  records: records('1.1 pass', '2.1 fail'),
  receipts: [receipt(), receipt({ slot: 2, verdict: 'fail', findings: ['F1'] })],
  findings: [finding({ slot: 2 })],
};
const CHANGED: Facts = { records: records('1.1 pass c0', '2.1 pass c0') };
const ELSEWHERE: Facts = { receipts: passed(1, 2) };

const files = (slots: readonly number[], latch = false): RerunTrigger => ({ kind: 'files', slots, latch });
const rest = (slots: readonly number[], latch = false): RerunTrigger => ({ kind: 'files-rest', slots, latch });
const PROMPT: RerunTrigger = { kind: 'prompt', of: 'review' };
const FRESH: RerunTrigger = { kind: 'fresh' };

describe('the rerun triggers of a gate', () => {
  test.each<[string, Facts, Partial<Rules>, readonly RerunTrigger[]]>([
    ['no reviewer has run', {}, {}, [{ kind: 'every-run', slots: [1, 2] }]],
    ['one reviewer has failed', FAILS, {}, [{ kind: 'every-run', slots: [2] }]],
    ['all passed older code', CHANGED, {}, [{ kind: 'every-run', slots: [1] }]],
    ['it failed too often', FAILS, { maxRetries: 0 }, [{ kind: 'retry-limit', failing: 1 }]],
    [
      'the open findings belong to a removed reviewer',
      { ...ONE, findings: [finding({ slot: 2 })] },
      {},
      [{ kind: 'no-such-slot' }],
    ],
    ['its only reviewer passed', ONE, {}, [files([1]), PROMPT, FRESH]],
    ['all passed, so the safety latch applies', BOTH, {}, [files([1], true), PROMPT, FRESH]],
    ['all passed, and after_pass runs all of them', BOTH, { afterPass: 'all' }, [files([1, 2]), PROMPT, FRESH]],
    ['all passed in another working tree', ELSEWHERE, {}, [files([1, 2]), PROMPT, FRESH]],
    [
      'unchanged gates run with others',
      BOTH,
      { unchangedGates: 'run' },
      [files([1], true), PROMPT, { kind: 'any-iteration', slots: [1] }, FRESH],
    ],
    ['one was skipped', RESTS, {}, [files([1], true), PROMPT, { kind: 'force', slots: [1] }, FRESH]],
    [
      'one was skipped, and has to certify',
      RESTS,
      { certify: true },
      [files([1], true), PROMPT, { kind: 'certify', slots: [1] }, FRESH],
    ],
    [
      'a rule never runs only because others do',
      { ...ONE, gate: reviewGate({ kind: 'rule', numReviews: 1 }) },
      { unchangedGates: 'run' },
      [files([1]), { kind: 'prompt', of: 'rule' }, FRESH],
    ],
  ])('%s', (_, facts, rules, expected) => {
    expect(gateRerunTriggers(stateOf(facts), { ...USUAL, ...rules })).toEqual(expected);
  });
});

describe('the rerun triggers of a reviewer', () => {
  test.each<[string, Facts, number, Partial<Rules>, readonly RerunTrigger[]]>([
    ['it has not run', {}, 2, {}, [{ kind: 'every-run', slots: [2] }]],
    ['it has failed', FAILS, 2, {}, [{ kind: 'every-run', slots: [2] }]],
    ['it has failed too often', FAILS, 2, { maxRetries: 0 }, [{ kind: 'retry-limit', failing: 1 }]],
    ['another has failed', FAILS, 1, {}, [rest([2]), PROMPT, FRESH]],
    ['it is the latch', BOTH, 1, {}, [files([1], true), PROMPT, FRESH]],
    ['another is the latch', BOTH, 2, {}, [rest([1], true), PROMPT, FRESH]],
    ['another is the latch, but after_pass runs all', BOTH, 2, { afterPass: 'all' }, [files([2]), PROMPT, FRESH]],
    ['unchanged gates run with others', BOTH, 2, { unchangedGates: 'run' }, [rest([1], true), PROMPT, FRESH]],
    ['it was skipped', RESTS, 1, {}, [files([1], true), PROMPT, { kind: 'force', slots: [1] }, FRESH]],
    [
      'it passed older code, and is skipped next',
      CHANGED,
      2,
      {},
      [rest([1], true), PROMPT, { kind: 'force', slots: [2] }, FRESH],
    ],
    ['it passed older code, and is the latch', CHANGED, 1, {}, [{ kind: 'every-run', slots: [1] }]],
    ['the reviewer does not exist', BOTH, 9, {}, []],
  ])('%s', (_, facts, slot, rules, expected) => {
    expect(slotRerunTriggers(stateOf(facts), slot, { ...USUAL, ...rules })).toEqual(expected);
  });
});

describe('the rerun triggers of a check', () => {
  test.each<[string, boolean, Rules['unchangedGates'], readonly RerunTrigger['kind'][]]>([
    ['it has not passed', false, 'rest', ['check-every-run']],
    ['it passed', true, 'rest', ['tree', 'command', 'fresh']],
    ['it passed, and unchanged gates run with others', true, 'run', ['tree', 'command', 'any-iteration', 'fresh']],
  ])('%s', (_, holds, unchangedGates, expected) => {
    expect(checkRerunTriggers({ holds }, { unchangedGates }).map(({ kind }) => kind)).toEqual(expected);
  });
});

test('the reviewers named for a change of files are those that the plan runs', () => {
  const look = fc.record({
    slot: fc.integer({ min: 1, max: 3 }),
    word: fc.constantFrom('pass', 'fail', 'error', 'rest@1'),
  });
  const rules = fc.record<Rules>({
    maxRetries: fc.constant(9),
    unchangedGates: fc.constantFrom('run', 'rest'),
    afterPass: fc.constantFrom('latch', 'all'),
    certify: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.array(look, { maxLength: 6 }),
      rules,
      (numReviews, looks, settings) => {
        const all = records(...looks.map(({ slot, word }, n) => `${slot}.${n + 1} ${word}`));
        const slots = Array.from({ length: numReviews }, (_, i) => i + 1);
        const before = stateOf({
          gate: reviewGate({ numReviews }),
          records: all,
          receipts: passed(...slots),
          held: held(9),
        });
        const trigger = gateRerunTriggers(before, settings).find(({ kind }) => kind === 'files');
        const after = stateOf({
          gate: reviewGate({ numReviews, content: content('c2') }),
          records: all,
          held: held(9),
        });
        const plan = decideRun({ checks: [], reviews: [after] }, settings, {
          force: false,
          fresh: false,
          iterationStarted: false,
        });
        const [only] = plan.reviews;
        const ran = only?.kind === 'run' ? only.slots.filter(({ kind }) => kind === 'run').map(({ slot }) => slot) : [];
        expect(trigger).toMatchObject({ slots: ran });
        for (const slot of slots) {
          const [first] = slotRerunTriggers(before, slot, settings);
          expect(first?.kind).toBe(ran.includes(slot) ? 'files' : 'files-rest');
        }
      },
    ),
  );
});
