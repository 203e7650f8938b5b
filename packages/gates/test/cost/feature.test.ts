import type { LedgerEntry, LedgerLoop } from '@onceover/agents/ledger/entries';
import { savedByResuming } from '@onceover/agents/ledger/savings';
import { ledgerFix, ledgerLoop, ledgerRun } from '@onceover/testing/ledger-samples.ts';
import { documentLoop, minuteOf } from '@onceover/testing/loop-entries.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dispatchesIn, featuresIn, isLoop, loopsCost, summariseFeature } from '../../src/cost/loops.ts';
import type { CostSelection } from '../../src/cost/rows.ts';
import { costRows } from '../../src/cost/rows.ts';
import { summariseCost } from '../../src/cost/summarise.ts';

const ALL: CostSelection = { since: null, branch: null };
const rowsOf = (entries: readonly LedgerEntry[]) => costRows(entries, () => null).filter(isLoop);
const of = (entries: readonly LedgerEntry[], feature = 'specs/login', selection = ALL) =>
  summariseFeature(feature, { entries, unreadable: 0 }, selection, () => null)?.report ?? null;

describe('dispatchesIn', () => {
  test('returns answered calls with their prompts and usage', () => {
    const entry = ledgerLoop({
      template: 'I3',
      why: 'resume-failed',
      fellBack: true,
      asks: 2,
      promptChars: 9,
      freshChars: 8,
    });
    expect(dispatchesIn([entry])).toEqual({ answered: [entry], unanswered: [] });
  });

  test.each<[string, Partial<LedgerLoop>, answered: number, unanswered: number]>([
    ['a pass', { status: 'pass' }, 1, 0],
    ['a turn of the implementer', { status: 'done', template: 'I7-fresh', role: 'implementer' }, 1, 0],
    ['no answer', { status: 'error' }, 0, 1],
    ['a step before the reviews', { status: 'done', template: null, role: 'test-deepener' }, 0, 0],
    ['a failed step before the reviews', { status: 'error', template: null, role: 'test-deepener' }, 0, 0],
  ])('%s', (_, differs, answered, unanswered) => {
    const found = dispatchesIn([ledgerLoop(differs)]);
    expect([found.answered.length, found.unanswered.length]).toEqual([answered, unanswered]);
    // The call was paid for in any case.
    expect(loopsCost(rowsOf([ledgerLoop(differs)])).paid.looks).toBe(1);
  });

  test('sorts calls by sending, even calls of the same time', () => {
    const at = minuteOf(1);
    const code = { at, phase: 'implement', stage: 'implement' } as const;
    const sent: readonly LedgerLoop[] = [
      ledgerLoop({ at: minuteOf(0), iteration: 5 }),
      ledgerLoop({ at, iteration: 1 }),
      ledgerLoop({ at, iteration: 1, role: 'implementer' }),
      ledgerLoop({ at, iteration: 2 }),
      ledgerLoop({ at, iteration: 1, stage: 'phase', role: 'phase-reviewer' }),
      ledgerLoop({ ...code, role: 'implementation-reviewer' }),
      ledgerLoop({ ...code, role: 'security-reviewer' }),
      ledgerLoop({ ...code, role: 'implementer' }),
      ledgerLoop({ ...code, role: 'security-reviewer', isFinalValidation: true }),
    ];
    const places = (entries: readonly LedgerLoop[]) =>
      dispatchesIn(entries).answered.map((one) => [one.stage, one.iteration, one.role, one.isFinalValidation]);
    fc.assert(
      fc.property(fc.shuffledSubarray([...sent], { minLength: sent.length }), (mixed) => {
        expect(places(mixed)).toEqual(sent.map((one) => [one.stage, one.iteration, one.role, one.isFinalValidation]));
      }),
    );
  });

  test('counts a failed resume without an answer, and no other error', () => {
    const resumed = documentLoop(3).filter(({ role }) => role !== 'implementer');
    const errors = [
      ledgerLoop({
        at: minuteOf(20),
        status: 'error',
        fellBack: true,
        warned: true,
        guarded: true,
        promptChars: 99_000,
      }),
      ledgerLoop({ at: minuteOf(21), status: 'error', dispatch: 'resumed', template: 'I2', why: 'delta' }),
    ];
    const [without, withErrors] = [loopsCost(rowsOf(resumed)), loopsCost(rowsOf([...resumed, ...errors]))];
    expect(withErrors).toEqual({
      ...without,
      paid: withErrors.paid,
      rates: { ...without.rates, resume_fallback: expect.objectContaining({ count: 1, of: 3, rate: 0.3333 }) },
    });
    expect(withErrors.paid.looks).toBe(without.paid.looks + 2);
  });
});

describe('savedByResuming', () => {
  const opening = ledgerLoop({
    usage: usage({ inputTokens: 100, cacheWriteTokens: 900, cachedInputTokens: 7, outputTokens: 50 }),
  });
  const later = (differs: Partial<LedgerLoop>) =>
    ledgerLoop({
      at: minuteOf(9),
      iteration: 2,
      dispatch: 'resumed',
      template: 'I2',
      why: 'delta',
      promptChars: 100,
      ...differs,
    });

  test.each<[string, Partial<LedgerLoop>, number]>([
    [
      'subtracts the tokens of the call from the uncached tokens of the first call',
      { usage: usage({ inputTokens: 30, cachedInputTokens: 900, outputTokens: 20 }) },
      1000,
    ],
    ['adds the growth of the prompt', { usage: usage({ inputTokens: 50, outputTokens: 0 }), freshChars: 8400 }, 1100],
    ['is zero if the call used more than the first call', { usage: usage({ inputTokens: 5000 }) }, 0],
    ['is zero without a token count', { usage: null }, 0],
  ])('%s', (_, differs, tokens) => {
    const { answered } = dispatchesIn([opening, later(differs)]);
    expect(savedByResuming(answered)).toMatchObject([{ tokens }]);
  });

  test('is zero if the first call is unknown or of another run of the phase', () => {
    const { answered } = dispatchesIn([{ ...opening, run: 'other' }, later({})]);
    expect(savedByResuming(answered)).toMatchObject([{ tokens: 0 }]);
  });
});

describe('summariseFeature', () => {
  const entries: readonly LedgerEntry[] = [
    ledgerRun(),
    ledgerFix(),
    ...documentLoop(2, {}, { from: 30 }),
    ...documentLoop(3, { phase: 'design' }, { from: 10 }),
    ...documentLoop(1, { feature: 'specs/other', agent: 'codex' }, { from: 50 }),
    ledgerLoop({ feature: 'a', status: 'error', at: minuteOf(60) }),
  ];

  test('sorts features by name', () => {
    expect(featuresIn(entries)).toEqual(['a', 'specs/login', 'specs/other']);
    expect(featuresIn([ledgerRun()])).toEqual([]);
  });

  test('returns the runs of phases by time with their calls, and the rates of all features', () => {
    const report = of([...entries].sort((a, b) => (a.at < b.at ? -1 : 1)));
    expect(report).toMatchObject({
      feature: 'specs/login',
      paid: { looks: 8, resumed: 4 },
      phases: [
        {
          phase: 'design',
          at: minuteOf(10),
          paid: { looks: 5 },
          compared: { characters: { sent: 23_000, fresh: 50_000 } },
        },
        { phase: 'specify', at: minuteOf(30), paid: { looks: 3 } },
      ],
      compared: { dispatches: 8 },
      rates: { features: 1 },
      rates_of_all_features: { features: 2, lazy_load_warning: { of: 5 } },
    });
    expect(report?.phases[1]?.dispatches.map(({ role, iteration }) => [role, iteration])).toEqual([
      ['spec-reviewer', 1],
      ['implementer', 1],
      ['spec-reviewer', 2],
    ]);
  });

  test('returns null for an unknown feature, and no runs for an empty selection', () => {
    expect(of(entries, 'specs')).toBeNull();
    expect(of(entries, 'specs/login', { ...ALL, branch: 'elsewhere' })).toMatchObject({
      phases: [],
      paid: { looks: 0 },
    });
  });
});

const anyLoop: fc.Arbitrary<LedgerLoop> = fc
  .record({
    feature: fc.constantFrom('a', 'b', 'c'),
    role: fc.constantFrom('spec-reviewer', 'implementer'),
    iteration: fc.integer({ min: 1, max: 6 }),
    template: fc.constantFrom('I1-R4', 'I2', 'I3', null),
    status: fc.constantFrom('pass', 'fail', 'error'),
    fellBack: fc.boolean(),
    at: fc.integer({ min: 0, max: 50 }).map(minuteOf),
    run: fc.constantFrom('r1', 'r2'),
    promptChars: fc.nat(9000),
    freshChars: fc.nat(9000),
    usage: fc.option(fc.record({ inputTokens: fc.nat(99), outputTokens: fc.nat(99) }).map(usage)),
  } as const)
  .map(ledgerLoop);

test('adds up features to the total, in any order of entries', () => {
  fc.assert(
    fc.property(fc.array(anyLoop, { maxLength: 30 }), (entries) => {
      const rows = rowsOf(entries);
      const all = loopsCost(rows);
      const { features } = summariseCost(entries, ALL, 0, () => null).loops;
      const sum = (pick: (one: (typeof features)[number]) => number) =>
        features.reduce((total, one) => total + pick(one), 0);
      expect(sum(({ paid }) => paid.looks)).toBe(entries.length);
      expect(sum(({ paid }) => paid.input_tokens)).toBe(all.paid.input_tokens);
      expect(sum(({ not_paid }) => not_paid.tokens)).toBe(all.not_paid.tokens);
      expect(sum(({ compared }) => compared.characters.sent)).toBe(all.compared.characters.sent);
      expect(sum(({ compared }) => compared.characters.fresh)).toBe(all.compared.characters.fresh);
      expect(sum(({ feature }) => of(entries, feature)?.rates.resume_fallback.of ?? 0)).toBe(
        all.rates.resume_fallback.of,
      );
      expect(all.compared.dispatches).toBe(
        entries.filter(({ status, template }) => status !== 'error' && template !== null).length,
      );
      for (const { feature, compared, paid } of features) {
        const report = of(
          [...entries].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
          feature,
        );
        expect(report).toMatchObject({
          paid,
          compared: { dispatches: compared.dispatches, characters: compared.characters },
        });
        expect(report?.phases.flatMap(({ dispatches }) => dispatches)).toHaveLength(paid.looks);
      }
    }),
  );
});
