import type { LedgerEntry } from '@onceover/agents/ledger/entries';
import type { PriceList } from '@onceover/base/kernel/agent';
import { ledgerFix, ledgerLoop, ledgerRun, ledgerSlot, ledgerStep, spared } from '@onceover/testing/ledger-samples.ts';
import { documentLoop } from '@onceover/testing/loop-entries.ts';
import { usage } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { CostDocument } from '../../src/cost/json-schema.ts';
import { type CostSelection, costRows, selectEntries } from '../../src/cost/rows.ts';
import { summariseCost } from '../../src/cost/summarise.ts';

const NO_LIST: PriceList = () => null;
const A_DOLLAR: PriceList = () => 1;
const ALL: CostSelection = { since: null, branch: null };
const OTHER = 'review:docs:prose';
const NONE_AGAIN: CostDocument['looked_again'] = {
  resumed: 0,
  fresh_as_delta_too_large: 0,
  fresh_as_session_lost: 0,
  fresh_as_resume_dearer: 0,
};
const report = (entries: readonly LedgerEntry[], prices = NO_LIST): CostDocument =>
  summariseCost(entries, ALL, 0, prices);

describe('selectEntries', () => {
  const early = ledgerRun({ at: '2026-03-01T12:00:00.000Z', branch: 'refs/heads/work' });
  const late = ledgerRun({ at: '2026-03-02T12:00:00.000Z', branch: 'main' });
  const detached = ledgerRun({ at: '2026-03-03T12:00:00.000Z', branch: null });
  test.each<[string, Partial<CostSelection>, readonly string[]]>([
    ['all', {}, ['2026-03-01', '2026-03-02', '2026-03-03']],
    ['since a moment, which counts', { since: new Date('2026-03-02T12:00:00Z') }, ['2026-03-02', '2026-03-03']],
    ['since later', { since: new Date('2026-04-01T00:00:00Z') }, []],
    ['selects a branch by its short name', { branch: 'work' }, ['2026-03-01']],
    ['selects a branch by its full name', { branch: 'refs/heads/main' }, ['2026-03-02']],
    ['selects nothing for an unknown branch', { branch: 'other' }, []],
  ])('%s', (_, selection, expected) => {
    const found = selectEntries([early, late, detached], { ...ALL, ...selection });
    expect(found.map(({ at }) => at.slice(0, 10))).toEqual(expected);
  });

  test.each<[string, Partial<CostSelection>, number]>([
    ['since it began', { since: new Date('2026-03-01T12:00:00Z') }, 3],
    ['since its last dispatch', { since: new Date('2026-03-01T12:02:00Z') }, 3],
    ['since later', { since: new Date('2026-03-01T12:03:00Z') }, 0],
    ['the branch on which it ended', { branch: 'main' }, 3],
    ['the branch on which it began', { branch: 'work' }, 0],
  ])('selects a run of a phase as a whole: %s', (_, selection, expected) => {
    const [look, fix, again] = documentLoop(2);
    const entries = [look, fix, again && { ...again, branch: 'main' }].flatMap((entry) => entry ?? []);
    expect(selectEntries(entries, { ...ALL, ...selection })).toHaveLength(expected);
  });

  test('selects each run of the same phase on its own', () => {
    const entries = [...documentLoop(1, { run: 'first' }), ...documentLoop(1, { run: 'again' }, { from: 9 })];
    const found = selectEntries(entries, { ...ALL, since: new Date('2026-03-01T12:05:00Z') });
    expect(found).toMatchObject([{ run: 'again' }]);
  });

  test('shortens branch names', () => {
    expect(selectEntries([early, detached], ALL).map(({ branch }) => branch)).toEqual(['work', null]);
  });
});

describe('costRows', () => {
  const told = usage({ costUsd: 0.25 });
  test.each<[string, Parameters<typeof ledgerSlot>[0], PriceList, ReturnType<typeof costRows>[number]['price']]>([
    ['prefers the price that the agent reports', { usage: told, model: 'm' }, A_DOLLAR, { usd: 0.25, from: 'agent' }],
    [
      'prefers a reported price of zero',
      { usage: usage({ costUsd: 0 }), model: 'm' },
      A_DOLLAR,
      { usd: 0, from: 'agent' },
    ],
    ['falls back to the list price', { usage: usage(), model: 'm' }, A_DOLLAR, { usd: 1, from: 'list' }],
    ['has no price without a model', { usage: usage(), model: null }, A_DOLLAR, null],
    ['has no price for a model that is not in the list', { usage: usage(), model: 'm' }, NO_LIST, null],
    ['has no price without tokens', { usage: null, model: 'm' }, A_DOLLAR, null],
  ])('%s', (_, slot, prices, expected) => {
    expect(costRows([ledgerRun({ slots: [ledgerSlot(slot)] })], prices)[0]?.price).toEqual(expected);
  });

  test('looks up the list price at the time of the review', () => {
    const asked: Date[] = [];
    const at = '2025-01-01T00:00:00.000Z';
    costRows([ledgerRun({ at, slots: [ledgerSlot({ model: 'm' })] })], (used) => {
      asked.push(used.at);
      return null;
    });
    expect(asked).toEqual([new Date(at)]);
  });

  test('gives a fix no gate', () => {
    expect(costRows([ledgerFix({ asks: 2 })], NO_LIST)).toMatchObject([{ kind: 'fix', asks: 2, agent: 'claude' }]);
  });
});

describe('summariseCost', () => {
  test('sums up an empty ledger', () => {
    expect(report([])).toMatchObject({ runs: 0, fixes: 0, gates: [], agents: [], days: [], last_runs: [] });
    expect(report([]).paid.looks).toBe(0);
  });

  test('adds up tokens, calls and money', () => {
    const used = usage({ inputTokens: 1, cachedInputTokens: 2, cacheWriteTokens: 4, outputTokens: 8, costUsd: 0.5 });
    const slots = [
      ledgerSlot({ usage: used, asks: 2 }),
      ledgerSlot({ usage: used, dispatch: 'resumed' }),
      ledgerSlot({ usage: null }),
      ledgerSlot({ model: 'm' }),
    ];
    expect(report([ledgerRun({ slots })], A_DOLLAR).paid).toEqual({
      looks: 4,
      resumed: 1,
      dispatches: 5,
      input_tokens: 102,
      cached_input_tokens: 4,
      cache_write_tokens: 8,
      output_tokens: 36,
      looks_without_usage: 1,
      told_usd: 1,
      list_price_usd: 1,
      looks_without_price: 1,
      duration_ms: 6000,
    });
  });

  test('counts runs with nothing to do, and their savings', () => {
    const idle = ledgerRun({ iteration: null, spared: [spared(), spared({ gate: OTHER, tokens: 5, looks: 2 })] });
    const busy = ledgerRun({ spared: [spared({ lever: 'session', tokens: 7 })] });
    expect(report([idle, busy, ledgerFix()])).toMatchObject({
      runs: 2,
      idle_runs: 1,
      fixes: 1,
      not_paid: {
        pass: { looks: 3, tokens: 105 },
        slot: { looks: 0, tokens: 0 },
        session: { looks: 1, tokens: 7 },
        prefix: { looks: 0, tokens: 0 },
      },
    });
  });

  test.each<[string, Parameters<typeof ledgerSlot>[0], Partial<CostDocument['looked_again']>]>([
    ['resumed', { dispatch: 'resumed', why: 'delta' }, { resumed: 1 }],
    ['too much had changed', { why: 'delta-too-large' }, { fresh_as_delta_too_large: 1 }],
    ['its session was lost', { why: 'session-lost' }, { fresh_as_session_lost: 1 }],
    ['a fresh look was cheaper', { why: 'resume-dearer' }, { fresh_as_resume_dearer: 1 }],
    ['a first look', { why: 'first-run' }, {}],
  ])('counts what happened to a session of a reviewer: %s', (_, slot, expected) => {
    expect(report([ledgerRun({ slots: [ledgerSlot(slot)] }), ledgerFix({ dispatch: 'resumed' })]).looked_again).toEqual(
      {
        ...NONE_AGAIN,
        ...expected,
      },
    );
  });

  test.each<[string, Parameters<typeof ledgerLoop>[0], Partial<CostDocument['looked_again']>]>([
    ['resumed', { dispatch: 'resumed', why: 'delta' }, { resumed: 1 }],
    ['too much had changed', { why: 'delta-too-large', guarded: true }, { fresh_as_delta_too_large: 1 }],
    ['its session was lost', { why: 'session-lost', fellBack: true }, { fresh_as_session_lost: 1 }],
    ['the resume failed', { why: 'resume-failed', fellBack: true }, { fresh_as_session_lost: 1 }],
    [
      'the resume failed, and another agent took over',
      { why: 'other-agent', fellBack: true },
      { fresh_as_session_lost: 1 },
    ],
    ['another agent took over a first look', { why: 'other-agent' }, {}],
  ])('counts what happened to a session of a loop: %s', (_, loop, expected) => {
    expect(report([ledgerLoop(loop)]).looked_again).toEqual({ ...NONE_AGAIN, ...expected });
  });

  test('counts loops by agent and day, but not by gate', () => {
    const told = report([ledgerRun({ slots: [ledgerSlot()] }), ...documentLoop(2, { agent: 'codex' })]);
    expect(told).toMatchObject({
      runs: 1,
      fixes: 0,
      paid: { looks: 4, resumed: 1, told_usd: 0.2525 },
      gates: [{ paid: { looks: 1 } }],
      agents: [
        { agent: 'codex', paid: { looks: 3 } },
        { agent: 'claude', paid: { looks: 1 } },
      ],
      days: [{ runs: 1, paid: { looks: 4 }, not_paid: { looks: 1, tokens: 9400 } }],
      not_paid: { session: { looks: 1, tokens: 9400 }, slot: { looks: 0 } },
    });
    expect(told.last_runs).toHaveLength(1);
  });

  test('counts reviews of steps by agent and day, but not by gate or loop', () => {
    const told = report([
      ledgerRun({ slots: [ledgerSlot()] }),
      ledgerStep({ step: 'draft' }),
      ledgerStep({ step: 'check', asks: 2 }),
      ledgerStep({ step: 'check' }),
    ]);
    expect(told).toMatchObject({
      runs: 1,
      paid: { looks: 4, dispatches: 5, resumed: 0 },
      gates: [{ paid: { looks: 1 } }],
      loops: { paid: { looks: 0 } },
      workflows: [
        { job: 'report', step: 'check', paid: { looks: 2, dispatches: 3 } },
        { job: 'report', step: 'draft', paid: { looks: 1 } },
      ],
      agents: [{ paid: { looks: 4 } }],
      days: [{ paid: { looks: 4 } }],
    });
  });

  test('sorts features by cost', () => {
    const entries = [...documentLoop(1, { feature: 'a' }), ...documentLoop(3, { feature: 'b' }, { from: 10 })];
    expect(report(entries)).toMatchObject({
      loops: {
        paid: { looks: 6 },
        compared: { dispatches: 6, resumed: 3 },
        rates: { features: 2 },
        features: [
          { feature: 'b', paid: { looks: 5 }, not_paid: { looks: 3 }, compared: { characters: { sent: 23_000 } } },
          { feature: 'a', paid: { looks: 1 }, not_paid: { looks: 0 }, compared: { characters: { sent: 10_000 } } },
        ],
      },
    });
  });

  test('sorts gates by cost, with skipped gates and fixes', () => {
    const large = usage({ inputTokens: 10_000 });
    const run = ledgerRun({
      slots: [ledgerSlot(), ledgerSlot({ slot: 2 }), ledgerSlot({ gate: OTHER, usage: large })],
      spared: [spared({ gate: 'review:.:rested', tokens: 9 }), spared({ gate: OTHER, tokens: 3 })],
    });
    expect(report([run, ledgerFix({ usage: usage({ inputTokens: 5000 }) })]).gates).toMatchObject([
      { gate: OTHER, paid: { looks: 1 }, not_paid: { tokens: 3 } },
      { gate: null, paid: { looks: 1 }, not_paid: { tokens: 0 } },
      { gate: 'review:src:code-quality', paid: { looks: 2 }, not_paid: { tokens: 0 } },
      { gate: 'review:.:rested', paid: { looks: 0 }, not_paid: { tokens: 9 } },
    ]);
  });

  test('groups by agent and model', () => {
    const slots = [ledgerSlot(), ledgerSlot({ model: 'm' }), ledgerSlot({ agent: 'codex' }), ledgerSlot()];
    expect(report([ledgerRun({ slots })]).agents).toMatchObject([
      { agent: 'claude', model: null, paid: { looks: 2 } },
      { agent: 'claude', model: 'm', paid: { looks: 1 } },
      { agent: 'codex', model: null, paid: { looks: 1 } },
    ]);
  });

  test('groups by day and by check', () => {
    const check = { gate: 'check:.:lint', status: 'pass', durationMs: 10 } as const;
    const slow = { gate: 'check:.:test', status: 'fail', durationMs: 50 } as const;
    const first = ledgerRun({ at: '2026-03-01T23:00:00.000Z', slots: [ledgerSlot()], checks: [check] });
    const second = ledgerRun({ at: '2026-03-02T01:00:00.000Z', checks: [check, slow], spared: [spared()] });
    const { days, checks } = report([first, second, ledgerFix({ at: '2026-03-02T02:00:00.000Z' })]);
    expect(days).toMatchObject([
      { day: '2026-03-01', runs: 1, paid: { looks: 1 }, not_paid: { looks: 0 } },
      { day: '2026-03-02', runs: 1, paid: { looks: 1 }, not_paid: { looks: 1 } },
    ]);
    expect(checks).toEqual([
      { gate: 'check:.:test', runs: 1, duration_ms: 50 },
      { gate: 'check:.:lint', runs: 2, duration_ms: 20 },
    ]);
  });

  test('returns the last ten runs, newest first', () => {
    const runs = Array.from({ length: 12 }, (_, n) => ledgerRun({ iteration: n + 1, slots: [ledgerSlot()] }));
    const { last_runs: lastRuns } = report(runs);
    expect(lastRuns.map(({ iteration }) => iteration)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    expect(lastRuns[0]?.paid.looks).toBe(1);
  });
});
