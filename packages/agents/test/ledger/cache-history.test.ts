import type { CacheNote } from '@onceover/base/kernel/agent';
import { ledgerFix, ledgerLoop, ledgerRun, ledgerSlot } from '@onceover/testing/ledger-samples.ts';
import { describe, expect, test } from 'vitest';
import type { NextCall } from '../../src/economy/cache-life.ts';
import { cacheHistory } from '../../src/ledger/cache-history.ts';
import type { LedgerEntry } from '../../src/ledger/entries.ts';

const at = (minute: number) => new Date(Date.parse('2026-03-01T12:00:00.000Z') + minute * 60_000).toISOString();
const slots = (...numbers: number[]) => numbers.map((slot) => ledgerSlot({ slot }));
const run = (minute: number, differs: Parameters<typeof ledgerRun>[0] = {}) =>
  ledgerRun({ at: at(minute), durationMs: 0, slots: slots(1), ...differs });
const loop = (minute: number, differs: Parameters<typeof ledgerLoop>[0] = {}) =>
  ledgerLoop({ at: at(minute), durationMs: 0, role: 'spec-reviewer', ...differs });

describe('the pauses of reviewers, newest first', () => {
  test.each<[string, readonly LedgerEntry[], number, readonly NextCall[]]>([
    ['nothing', [], 0, []],
    ['one run, an hour ago', [run(0)], 61, ['later']],
    ['one run that may still be followed', [run(0)], 10, []],
    ['runs ten minutes apart', [run(0), run(10), run(20)], 200, ['later', 'within-hour', 'within-hour']],
    ['runs two minutes apart', [run(0), run(2)], 200, ['later', 'soon']],
    ['runs two hours apart', [run(0), run(120)], 300, ['later', 'later']],
    [
      'from the end of one run to the start of the next',
      [run(0), run(9, { durationMs: 5 * 60_000 })],
      200,
      ['later', 'soon'],
    ],
    ['two reviewers', [run(0, { slots: slots(1, 2) }), run(9)], 200, ['later', 'later', 'within-hour']],
    ['another branch', [run(0), run(9, { branch: 'other' })], 200, ['later', 'later']],
    ['a reviewer without a verdict', [run(0, { slots: [ledgerSlot({ status: 'error' })] })], 200, []],
    ['a fix between runs', [run(0), ledgerFix({ at: at(5) }), run(9)], 200, ['later', 'within-hour']],
    ['calls of a loop', [loop(0), loop(9)], 200, ['later', 'within-hour']],
    ['another execution of the phase', [loop(0, { run: 'a' }), loop(9, { run: 'b' })], 200, ['later', 'later']],
    ['the implementer waits at other times', [loop(0), loop(9, { role: 'implementer' })], 200, ['later']],
  ])('%s', (_title, entries, now, expected) => {
    expect(cacheHistory(entries, new Date(at(now))).next.reviewer).toEqual(expected);
  });
});

test('the pauses of the implementer are counted apart', () => {
  const entries = [0, 9].map((minute) => loop(minute, { role: 'implementer' }));
  expect(cacheHistory(entries, new Date(at(200))).next).toEqual({ reviewer: [], fixer: ['later', 'within-hour'] });
});

test('hits and misses of resumed sessions, oldest first', () => {
  const note: CacheNote = {
    ...{ model: 'm', ttl: '5m', idleMs: 600_000, lifeMinutes: 5, lifeFrom: 'table', hit: true, estimate: null },
  };
  const entries = [
    run(0, { slots: [ledgerSlot({ cache: note }), ledgerSlot({ slot: 2, cache: { ...note, hit: null } })] }),
    loop(5, { agent: 'codex', cache: { ...note, hit: false } }),
  ];
  expect(cacheHistory(entries, new Date(at(9))).seen).toEqual([
    { agent: 'claude', model: 'm', ttl: '5m', idleMs: 600_000, hit: true, at: at(0) },
    { agent: 'codex', model: 'm', ttl: '5m', idleMs: 600_000, hit: false, at: at(5) },
  ]);
});

test('the files that reviewers in new sessions opened, of the last two weeks', () => {
  const reads = (minute: number, slot: Parameters<typeof ledgerSlot>[0]) => run(minute, { slots: [ledgerSlot(slot)] });
  const entries = [
    reads(-15 * 24 * 60, { reads: { opened: 9 } }),
    reads(0, { reads: { opened: 2 } }),
    reads(1, { status: 'error', reads: { opened: 7 } }),
    reads(2, {}),
    // Entries of earlier versions do not say which files the reading had opened too.
    reads(3, { reads: { opened: 1, reading: 4 } }),
    reads(4, { reads: { opened: 3, reading: 4, again: 2 } }),
  ];
  const { agent } = ledgerSlot({});
  expect(cacheHistory(entries, new Date(at(9))).reads).toEqual([
    { agent, opened: 2, reading: null, again: 0 },
    { agent, opened: 1, reading: 4, again: 1 },
    { agent, opened: 3, reading: 4, again: 2 },
  ]);
});
