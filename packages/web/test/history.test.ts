import type { LedgerRun } from '@onceover/agents/ledger/entries';
import { ledgerFix, ledgerLoop } from '@onceover/testing/ledger-samples.ts';
import { describe, expect, test } from 'vitest';
import { flipsIn, historyDocument, runsUntilPass, withTranscripts } from '../src/describe-history.ts';
import { historySchema } from '../src/json-schema.ts';

type End = 'pass' | 'fail' | 'error';

const ends = (letters: string): End[] =>
  [...letters].map((letter) => (letter === 'p' ? 'pass' : letter === 'f' ? 'fail' : 'error'));

test.each([
  ['', 0, []],
  ['p', 0, [1]],
  ['ppp', 0, [1]],
  ['ffp', 1, [3]],
  ['fpfp', 3, [2, 2]],
  ['fep', 1, [3]],
  ['pep', 0, [1, 2]],
  ['ff', 0, []],
])('results %j have %d flips and pass after %j runs', (letters, flips, runs) => {
  expect(flipsIn(ends(letters))).toBe(flips);
  expect(runsUntilPass(ends(letters))).toEqual(runs);
});

const USAGE = { inputTokens: 10, cachedInputTokens: 20, cacheWriteTokens: 0, outputTokens: 5, costUsd: 0.5 };

function run(at: string, status: End, fields: Partial<LedgerRun> = {}): LedgerRun {
  const slot = { gate: 'review:src:a', slot: 1, why: 'first-look', durationMs: 5, agent: 'one', model: null, asks: 1 };
  return {
    ...{ kind: 'run', at, durationMs: 10, startedBy: 'person', branch: 'refs/heads/work', scope: 'full' },
    ...{ iteration: 1, status: status === 'pass' ? 'passed' : 'failed', exitCode: status === 'pass' ? 0 : 1 },
    slots: [{ ...slot, status, dispatch: 'fresh', usage: USAGE }],
    checks: [],
    spared: [{ gate: 'review:src:a', lever: 'session', looks: 1, tokens: 7 }],
    ...fields,
  };
}

describe('the history of a clone', () => {
  const entries = [
    run('2026-03-01T10:00:00.000Z', 'fail'),
    run('2026-03-02T10:00:00.000Z', 'pass'),
    run('2026-03-02T11:00:00.000Z', 'pass', { branch: null, slots: [] }),
  ];

  test('counts runs, calls and prices by day and by week', () => {
    const history = historySchema.parse(historyDocument(entries, 2, () => null));
    const day = { calls: 1, priced_calls: 1, cost_usd: 0.5, tokens: 35 };
    expect(history.days).toEqual([
      { from: '2026-03-01', runs: 1, ...day, saved_tokens: 7 },
      { from: '2026-03-02', runs: 2, ...day, saved_tokens: 14 },
    ]);
    // 2026-03-01 is a Sunday.
    expect(history.weeks.map(({ from, runs }) => [from, runs])).toEqual([
      ['2026-02-23', 1],
      ['2026-03-02', 2],
    ]);
    expect(history.calls).toHaveLength(2);
    expect(history.calls[0]).toMatchObject({ name: 'review:src:a@1', branch: 'work', cost_usd: 0.5 });
    expect(history.runs[2]).toMatchObject({ branch: null, calls: 0, cost_usd: null });
    expect(history.unreadable_entries).toBe(2);
  });

  test('counts flips and runs until a pass by gate and branch', () => {
    const [gate] = historyDocument(entries, 0, () => null).gates;
    expect(gate).toEqual({
      ...{ gate: 'review:src:a', reviews: 2, passed: 1, failed: 1, errors: 0, flips: 1, runs_until_pass: [2] },
    });
  });
});

test('calls have the ids of their transcripts; of calls with the same number, only the newest', () => {
  const entries = [
    run('2026-03-01T10:00:00.000Z', 'fail'),
    run('2026-03-02T10:00:00.000Z', 'pass'),
    run('2026-03-03T10:00:00.000Z', 'pass', { branch: 'refs/heads/other' }),
    ledgerLoop({ at: '2026-03-04T10:00:00.000Z', branch: null }),
    ledgerFix({ at: '2026-03-05T10:00:00.000Z', branch: 'refs/heads/work' }),
  ];
  const log = { slot: null, iteration: 1, agent: null, status: 'done' };
  const logs = [
    { ...log, id: 'fix.1', kind: 'fix' as const, gate: 'fix', at: '2026-03-05T10:00:01.000Z' },
    { ...log, id: 'p', kind: 'phase' as const, gate: 'specify: spec-reviewer', at: '2026-03-04T10:00:00.000Z' },
    { ...log, id: 'review:src:a@1.1', kind: 'review' as const, gate: 'review:src:a', at: '2026-03-02T09:00:00.000Z' },
  ];
  const { calls } = historyDocument(entries, 0, () => null);
  const archivedLog = { ...log, kind: 'review' as const, gate: 'review:src:a', slot: 1 };
  const earlier = [
    { ...archivedLog, id: 'previous.a', at: '2026-03-01T09:59:59.000Z' },
    { ...archivedLog, id: 'previous.b', at: '2026-03-02T10:00:01.000Z' },
    { ...archivedLog, id: 'previous.c', at: '2026-03-06T10:00:00.000Z' },
  ];
  // An archived transcript belongs to the first run that ended after it, on any branch.
  expect(withTranscripts(calls, earlier, null).map(({ transcript }) => transcript)).toEqual([
    ...['previous.a', null, 'previous.b', null, null],
  ]);
  expect(withTranscripts(calls, logs, 'work').map(({ transcript }) => transcript)).toEqual([
    ...[null, 'review:src:a@1.1', null, 'p', 'fix.1'],
  ]);
});
