import { content, finding, held, receipt, records, reviewGate, stateOf } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkReruns, RERUNS, reviewReruns } from '../../src/explain/describe-reruns.ts';
import { decideRun } from '../../src/run/decide/plan-run.ts';

type Rules = Parameters<typeof reviewReruns>[1];
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

const files = (slots: readonly number[], latch = false) => RERUNS.files({ slots, latch });
const rest = (slots: readonly number[], latch = false) => RERUNS.notFiles({ slots, latch });
const PROMPT = RERUNS.prompt.review;
const FRESH = RERUNS.fresh;

describe('the rerun triggers of a gate', () => {
  test.each<[string, Facts, Partial<Rules>, readonly string[]]>([
    ['no reviewer has run', {}, {}, [RERUNS.everyRun([1, 2])]],
    ['one reviewer has failed', FAILS, { unchangedGates: 'run' }, [RERUNS.everyRun([2])]],
    ['one reviewer has failed, and unchanged gates rest', FAILS, {}, [RERUNS.unchangedFailure]],
    ['all passed older code', CHANGED, {}, [RERUNS.everyRun([1])]],
    ['it failed too often', FAILS, { maxRetries: 0 }, [RERUNS.retryLimit(1)]],
    [
      'the open findings belong to a removed reviewer',
      { ...ONE, findings: [finding({ slot: 2 })] },
      {},
      [RERUNS.removedReviewer],
    ],
    ['its only reviewer passed', ONE, {}, [files([1]), PROMPT, FRESH]],
    ['all passed, so the safety latch applies', BOTH, {}, [files([1], true), PROMPT, FRESH]],
    ['all passed, and after_pass runs all of them', BOTH, { afterPass: 'all' }, [files([1, 2]), PROMPT, FRESH]],
    ['all passed in another working tree', ELSEWHERE, {}, [files([1, 2]), PROMPT, FRESH]],
    [
      'unchanged gates run with others',
      BOTH,
      { unchangedGates: 'run' },
      [files([1], true), PROMPT, RERUNS.anyRun, FRESH],
    ],
    ['one was skipped', RESTS, {}, [files([1], true), PROMPT, RERUNS.force([1]), FRESH]],
    [
      'one was skipped, and has to certify',
      RESTS,
      { certify: true },
      [files([1], true), PROMPT, RERUNS.certify([1]), FRESH],
    ],
    [
      'a rule never runs only because others do',
      { ...ONE, gate: reviewGate({ kind: 'rule', numReviews: 1 }) },
      { unchangedGates: 'run' },
      [files([1]), RERUNS.prompt.rule, FRESH],
    ],
  ])('%s', (_, facts, rules, expected) => {
    expect(reviewReruns(stateOf(facts), { ...USUAL, ...rules }, null)).toEqual(expected);
  });
});

describe('the rerun triggers of a reviewer', () => {
  test.each<[string, Facts, number, Partial<Rules>, readonly string[]]>([
    ['it has not run', {}, 2, {}, [RERUNS.everyRun([2])]],
    ['it has failed', FAILS, 2, { unchangedGates: 'run' }, [RERUNS.everyRun([2])]],
    ['it has failed, and unchanged gates rest', FAILS, 2, {}, [RERUNS.unchangedFailure]],
    ['it has failed too often', FAILS, 2, { maxRetries: 0 }, [RERUNS.retryLimit(1)]],
    ['another has failed', FAILS, 1, {}, [rest([2]), PROMPT, FRESH]],
    ['it is the latch', BOTH, 1, {}, [files([1], true), PROMPT, FRESH]],
    ['another is the latch', BOTH, 2, {}, [rest([1], true), PROMPT, FRESH]],
    ['another is the latch, but after_pass runs all', BOTH, 2, { afterPass: 'all' }, [files([2]), PROMPT, FRESH]],
    ['unchanged gates run with others', BOTH, 2, { unchangedGates: 'run' }, [rest([1], true), PROMPT, FRESH]],
    ['it was skipped', RESTS, 1, {}, [files([1], true), PROMPT, RERUNS.force([1]), FRESH]],
    ['it passed older code, and is skipped next', CHANGED, 2, {}, [rest([1], true), PROMPT, RERUNS.force([2]), FRESH]],
    ['it passed older code, and is the latch', CHANGED, 1, {}, [RERUNS.everyRun([1])]],
  ])('%s', (_, facts, slot, rules, expected) => {
    expect(reviewReruns(stateOf(facts), { ...USUAL, ...rules }, slot)).toEqual(expected);
  });
});

describe('the rerun triggers of a check', () => {
  test.each<[string, boolean, Rules['unchangedGates'], readonly string[]]>([
    ['it has not passed', false, 'rest', [RERUNS.checkEveryRun]],
    ['it passed', true, 'rest', [RERUNS.tree, RERUNS.command, FRESH]],
    [
      'it passed, and unchanged gates run with others',
      true,
      'run',
      [RERUNS.tree, RERUNS.command, RERUNS.anyRun, FRESH],
    ],
  ])('%s', (_, holds, unchangedGates, expected) => {
    expect(checkReruns({ holds }, { unchangedGates })).toEqual(expected);
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
        const [onChange] = reviewReruns(before, settings, null);
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
        expect([files(ran), files(ran, true)]).toContain(onChange);
        for (const slot of slots) {
          const [first] = reviewReruns(before, settings, slot);
          expect(ran.includes(slot) ? [files([slot]), files([slot], true)] : [rest(ran), rest(ran, true)]).toContain(
            first,
          );
        }
      },
    ),
  );
});

describe('an event that makes something run again', () => {
  test.each<[string, RegExp]>([
    [RERUNS.everyRun([1, 2]), /^every run calls reviewers 1, 2 until they pass$/],
    [RERUNS.retryLimit(4), /failed 4 times without progress.*change the code.*resolve.*--force.*clean/],
    [RERUNS.removedReviewer, /reviewer that was removed/],
    [files([1], true), /^you edit, add or remove a file.*then reviewer 1 runs, and the others are skipped$/],
    [files([1, 2]), /then reviewers 1, 2 run$/],
    [rest([1], true), /^not when its files change: then reviewer 1 runs, and the others are skipped.*after_pass: all/],
    [rest([2]), /then reviewer 2 runs, and this reviewer is skipped$/],
    [PROMPT, /^you edit its prompt file, or change a setting that its verdict depends on$/],
    [
      RERUNS.prompt.rule,
      /^you edit the instructions or a reference file of its rule, or change a setting that its verdict depends on$/,
    ],
    [RERUNS.anyRun, /^another gate has to run \(unchanged_gates: run\)$/],
    [RERUNS.force([2]), /^you use --force: reviewer 2 has not reviewed the current code$/],
    [RERUNS.certify([1, 2]), /certify: true\): reviewers 1, 2 have not reviewed/],
    [FRESH, /^you use --fresh$/],
    [RERUNS.checkEveryRun, /until the check passes on the current tree/],
    [RERUNS.tree, /anywhere in the repository/],
    [RERUNS.command, /^you edit its command$/],
    [RERUNS.anyChange, /staged, unstaged or untracked/],
  ])('%s', (sentence, expected) => {
    expect(sentence).toMatch(expected);
  });
});
