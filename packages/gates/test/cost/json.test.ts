import type { LedgerEntry } from '@onceover/agents/ledger/entries';
import { ledgerFix, ledgerLoop, ledgerRun, ledgerSlot, ledgerStep, spared } from '@onceover/testing/ledger-samples.ts';
import { documentLoop } from '@onceover/testing/loop-entries.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import { costSchema, featureCostSchema } from '../../src/cost/json-schema.ts';
import { summariseFeature } from '../../src/cost/loops.ts';
import { summariseCost } from '../../src/cost/summarise.ts';

test('matches the schema, empty or not', () => {
  const entries: readonly LedgerEntry[] = [
    ledgerRun({
      slots: [ledgerSlot({ usage: usage({ costUsd: 0.1 }) }), ledgerSlot({ usage: usage({ costUsd: 0.2 }) })],
      checks: [{ gate: 'check:.:lint', status: 'pass', durationMs: 3 }],
      spared: [spared()],
    }),
    ledgerFix(),
    ledgerStep(),
  ];
  const strict = costSchema.strict();
  const of = (some: typeof entries) => summariseCost(some, { since: null, branch: null }, 2, () => null);
  for (const document of [of([]), of(entries)]) expect(strict.parse(document)).toEqual(document);
  expect(of(entries)).toMatchObject({
    runs: 1,
    fixes: 1,
    paid: { looks: 4, told_usd: 0.3, looks_without_price: 2 },
    workflows: [{ job: 'report', step: 'draft', paid: { looks: 1 } }],
    not_paid: { pass: { looks: 1, tokens: 100 }, baseline: expect.stringContaining('last measured usage') },
    gates: [{ gate: 'review:src:code-quality' }, { gate: null }],
    unreadable_entries: 2,
  });
});

const FEATURES = ['a', 'b', 'c'].flatMap((feature, n) => [
  ...documentLoop(5, { feature }, { from: 20 * n, sent: feature === 'c' ? 10_000 : 1000 }),
  ledgerLoop({ feature, run: 'again', warned: true }),
  ledgerLoop({ feature, run: 'again', warned: true, usage: null, template: null, iteration: 0 }),
]);

test('contains the cost of the loops of all features', () => {
  const document = summariseCost(FEATURES, { since: null, branch: null }, 0, () => null);
  expect(costSchema.strict().parse(document)).toEqual(document);
  expect(document).toMatchObject({
    runs: 0,
    paid: { looks: 33 },
    loops: {
      paid: { looks: 33, resumed: 21 },
      not_paid: { looks: 21 },
      compared: {
        dispatches: 30,
        resumed: 21,
        dispatches_without_usage: 0,
        characters: { sent: 168_000, fresh: 294_000, ratio: 0.5714 },
      },
      resumed_prompts_shorter: { state: 'does_not_hold', of: 21 },
      five_iterations_under_half: {
        state: 'does_not_hold',
        of: 3,
        not_so: [
          { feature: 'c', phase: 'specify', stage: 'domain', characters: { sent: 50_000, fresh: 50_000, ratio: 1 } },
        ],
      },
      rates: {
        features: 3,
        judged: true,
        resume_fallback: { count: 0, of: 21, rate: 0, threshold: 0.2, exceeded: false, action: null },
        delta_guard: { count: 0, of: 12, exceeded: false, action: null },
        lazy_load_warning: {
          count: 3,
          of: 9,
          rate: 0.3333,
          exceeded: true,
          action: expect.stringContaining('.onceover/roles/'),
        },
      },
      features: [
        { feature: 'a', paid: { looks: 11 } },
        { feature: 'b' },
        { feature: 'c', compared: { dispatches: 10 } },
      ],
    },
  });
  expect(document.loops.resumed_prompts_shorter.not_so[0]).toEqual({
    ...{ feature: 'c', phase: 'specify', stage: 'domain', run: 'specify-40', role: 'spec-reviewer' },
    ...{ iteration: 2, final_validation: false, prompt_chars: 10_000 },
  });
});

test('contains the cost of one feature and of each call', () => {
  const found = summariseFeature('b', { entries: FEATURES, unreadable: 1 }, { since: null, branch: null }, () => 0.5);
  if (found === null) throw new Error('no loop of b');
  const document = found.report;
  expect(featureCostSchema.strict().parse(document)).toEqual(document);
  expect(document).toMatchObject({
    feature: 'b',
    paid: { looks: 11 },
    resumed_prompts_shorter: { state: 'holds', of: 7, not_so: [] },
    five_iterations_under_half: { state: 'holds', of: 1, not_so: [] },
    rates: { features: 1, judged: false, lazy_load_warning: { count: 1, of: 3, exceeded: null, action: null } },
    rates_of_all_features: { features: 3, judged: true, lazy_load_warning: { exceeded: true } },
    phases: [
      { phase: 'specify', run: 'specify-20', paid: { looks: 9 }, compared: { characters: { sent: 27_000 } } },
      {
        phase: 'specify',
        run: 'again',
        paid: { looks: 2 },
        dispatches: [{ iteration: 0, template: null }, { iteration: 1 }],
      },
    ],
    unreadable_entries: 1,
  });
  expect(document.phases[0]?.dispatches[2]).toEqual({
    ...{ at: '2026-03-01T12:22:00.000Z', branch: 'work', started_by: 'person' },
    ...{ stage: 'domain', role: 'spec-reviewer', iteration: 2, final_validation: false },
    ...{
      dispatch: 'resumed',
      template: 'I2',
      why: 'delta',
      fell_back: false,
      guarded: false,
      reads_unconfirmed: false,
    },
    ...{ status: 'fail', agent: 'claude', model: null, dispatches: 1, prompt_chars: 1000, fresh_chars: 10_000 },
    usage: {
      input_tokens: 400,
      cached_input_tokens: 9000,
      cache_write_tokens: 0,
      output_tokens: 300,
      cost_usd: 0.0125,
    },
    ...{ cost_usd: 0.0125, cost_source: 'agent', duration_ms: 3000 },
  });
});
