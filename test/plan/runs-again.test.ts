import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunsAgain } from '../../src/domain/explanation.ts';
import { decideRun } from '../../src/plan/decide-run.ts';
import { checkRunsAgain, gateRunsAgain, slotRunsAgain } from '../../src/plan/runs-again.ts';
import { content, finding, held, receipt, records, reviewGate, stateOf } from '../support/run-samples.ts';

type Rules = Parameters<typeof gateRunsAgain>[1];
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

const files = (slots: readonly number[], latch = false): RunsAgain => ({ kind: 'files', slots, latch });
const rest = (slots: readonly number[], latch = false): RunsAgain => ({ kind: 'files-rest', slots, latch });
const PROMPT: RunsAgain = { kind: 'prompt', of: 'review' };
const FRESH: RunsAgain = { kind: 'fresh' };

describe('what makes a gate run again', () => {
  test.each<[string, Facts, Partial<Rules>, readonly RunsAgain[]]>([
    ['nobody has looked', {}, {}, [{ kind: 'every-run', slots: [1, 2] }]],
    ['one has failed', FAILS, {}, [{ kind: 'every-run', slots: [2] }]],
    ['all passed something older', CHANGED, {}, [{ kind: 'every-run', slots: [1] }]],
    ['it failed too often', FAILS, { maxRetries: 0 }, [{ kind: 'retry-limit', failing: 1 }]],
    [
      'what is open belongs to a slot that is no more',
      { ...ONE, findings: [finding({ slot: 2 })] },
      {},
      [{ kind: 'no-such-slot' }],
    ],
    ['its only reviewer passed', ONE, {}, [files([1]), PROMPT, FRESH]],
    ['all passed: the latch', BOTH, {}, [files([1], true), PROMPT, FRESH]],
    ['all passed, and all are asked after a pass', BOTH, { afterPass: 'all' }, [files([1, 2]), PROMPT, FRESH]],
    ['all passed in another working tree', ELSEWHERE, {}, [files([1, 2]), PROMPT, FRESH]],
    [
      'other gates take it along',
      BOTH,
      { unchangedGates: 'run' },
      [files([1], true), PROMPT, { kind: 'any-iteration', slots: [1] }, FRESH],
    ],
    ['one rested', RESTS, {}, [files([1], true), PROMPT, { kind: 'force', slots: [1] }, FRESH]],
    [
      'one rested, and must look yet',
      RESTS,
      { certify: true },
      [files([1], true), PROMPT, { kind: 'certify', slots: [1] }, FRESH],
    ],
    [
      'a rule, which other gates never take along',
      { ...ONE, gate: reviewGate({ kind: 'rule', numReviews: 1 }) },
      { unchangedGates: 'run' },
      [files([1]), { kind: 'prompt', of: 'rule' }, FRESH],
    ],
  ])('%s', (_, facts, rules, expected) => {
    expect(gateRunsAgain(stateOf(facts), { ...USUAL, ...rules })).toEqual(expected);
  });
});

describe('what makes a slot run again', () => {
  test.each<[string, Facts, number, Partial<Rules>, readonly RunsAgain[]]>([
    ['it has not looked', {}, 2, {}, [{ kind: 'every-run', slots: [2] }]],
    ['it has failed', FAILS, 2, {}, [{ kind: 'every-run', slots: [2] }]],
    ['it has failed too often', FAILS, 2, { maxRetries: 0 }, [{ kind: 'retry-limit', failing: 1 }]],
    ['another has failed', FAILS, 1, {}, [rest([2]), PROMPT, FRESH]],
    ['it is the latch', BOTH, 1, {}, [files([1], true), PROMPT, FRESH]],
    ['another is the latch', BOTH, 2, {}, [rest([1], true), PROMPT, FRESH]],
    ['another is the latch, but all are asked', BOTH, 2, { afterPass: 'all' }, [files([2]), PROMPT, FRESH]],
    ['other gates take the latch along', BOTH, 2, { unchangedGates: 'run' }, [rest([1], true), PROMPT, FRESH]],
    ['it rests', RESTS, 1, {}, [files([1], true), PROMPT, { kind: 'force', slots: [1] }, FRESH]],
    [
      'it passed something older, and rests next',
      CHANGED,
      2,
      {},
      [rest([1], true), PROMPT, { kind: 'force', slots: [2] }, FRESH],
    ],
    ['it passed something older, and is the latch', CHANGED, 1, {}, [{ kind: 'every-run', slots: [1] }]],
    ['there is no such slot', BOTH, 9, {}, []],
  ])('%s', (_, facts, slot, rules, expected) => {
    expect(slotRunsAgain(stateOf(facts), slot, { ...USUAL, ...rules })).toEqual(expected);
  });
});

describe('what makes a check run again', () => {
  test.each<[string, boolean, Rules['unchangedGates'], readonly RunsAgain['kind'][]]>([
    ['it has not passed', false, 'rest', ['check-every-run']],
    ['it passed', true, 'rest', ['tree', 'command', 'fresh']],
    ['it passed, and is taken along', true, 'run', ['tree', 'command', 'any-iteration', 'fresh']],
  ])('%s', (_, holds, unchangedGates, expected) => {
    expect(checkRunsAgain({ holds }, { unchangedGates }).map(({ kind }) => kind)).toEqual(expected);
  });
});

test('whoever is said to look when the files change does look then', () => {
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
        const told = gateRunsAgain(before, settings).find(({ kind }) => kind === 'files');
        const after = stateOf({
          gate: reviewGate({ numReviews, content: content('c2') }),
          records: all,
          held: held(9),
        });
        const plan = decideRun({ checks: [], reviews: [after] }, settings, { force: false, fresh: false, isOn: false });
        const [only] = plan.reviews;
        const ran = only?.kind === 'run' ? only.slots.filter(({ kind }) => kind === 'run').map(({ slot }) => slot) : [];
        expect(told).toMatchObject({ slots: ran });
        for (const slot of slots) {
          const [first] = slotRunsAgain(before, slot, settings);
          expect(first?.kind).toBe(ran.includes(slot) ? 'files' : 'files-rest');
        }
      },
    ),
  );
});
