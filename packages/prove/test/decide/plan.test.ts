import type { LedgerEntry } from '@onceover/agents/ledger/entries';
import type { Usage } from '@onceover/base/kernel/agent';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { ledgerFix, ledgerRun, ledgerSlot } from '@onceover/testing/ledger-samples.ts';
import { describe, expect, test } from 'vitest';
import { roundOf } from '../../src/decide/cases.ts';
import {
  addSpending,
  type CallEstimate,
  chooseCases,
  estimateCall,
  isSpent,
  mostCallsOf,
  type ProofBudget,
  type ProofChoice,
  parseBudget,
  pathsOf,
  tasksOf,
} from '../../src/decide/plan.ts';
import type { CaseSource, ProofCase, ProofTask } from '../../src/types.ts';

const path = (text: string) => text as RepoPath;

function proofCase(differs: Partial<ProofCase> = {}): ProofCase {
  return {
    id: 'c1',
    source: 'own',
    title: 'a case',
    base: null,
    baseFiles: [],
    rounds: [roundOf('Add a', [{ path: path('a.ts'), text: 'a' }])],
    planted: null,
    unedited: null,
    ...differs,
  };
}

const casesOf = (source: CaseSource, count: number): readonly ProofCase[] =>
  Array.from({ length: count }, (_, i) => proofCase({ id: `${source}-${i + 1}`, source }));

describe('chosen cases', () => {
  test.each<[title: string, given: Partial<Record<CaseSource, number>>, most: number, expected: object]>([
    ['none of no cases', {}, 10, {}],
    ['none if none may be chosen', { own: 3 }, 0, {}],
    ['all if there are fewer than allowed', { own: 2, clean: 3 }, 10, { own: 2, clean: 3 }],
    [
      'from every source in proportion to its weight',
      { history: 99, mutant: 99, scenario: 99, trap: 99, clean: 99 },
      20,
      { history: 5, mutant: 6, scenario: 2, trap: 2, clean: 5 },
    ],
    ['from the other sources if one has too few', { history: 1, clean: 99 }, 6, { history: 1, clean: 5 }],
    ['mostly the cases of the project itself', { own: 99, clean: 99 }, 10, { own: 8, clean: 2 }],
  ])('%s', (_title, sourceCounts, maxCases, chosenCounts) => {
    const candidates = Object.entries(sourceCounts).flatMap(([source, count]) => casesOf(source as CaseSource, count));
    const counts: Record<string, number> = {};
    for (const { source } of chooseCases(candidates, maxCases)) counts[source] = (counts[source] ?? 0) + 1;
    expect(counts).toEqual(chosenCounts);
  });

  test('the cases of a source keep their order', () => {
    const selection = chooseCases([...casesOf('mutant', 5), ...casesOf('clean', 5)], 6);
    const idsOf = (source: CaseSource) =>
      selection.filter((candidate) => candidate.source === source).map(({ id }) => id);
    expect(idsOf('mutant')).toEqual(['mutant-1', 'mutant-2', 'mutant-3']);
    expect(idsOf('clean')).toEqual(['clean-1', 'clean-2', 'clean-3']);
  });
});

describe('the tasks of a case', () => {
  const oneRound = proofCase();
  const two = proofCase({ rounds: [roundOf('Add a', []), roundOf('Fix a', [])] });
  test.each<[title: string, given: ProofCase, choice: ProofChoice, expected: readonly string[]]>([
    [
      'the number of reviewers of the settings, once',
      oneRound,
      { reviewers: [], sessions: ['new'], readings: [], repeat: 1 },
      ['null new #1'],
    ],
    [
      'each number of reviewers, as often as asked',
      oneRound,
      { reviewers: [1, 3], sessions: ['new'], readings: [], repeat: 2 },
      ['1 new #1', '1 new #2', '3 new #1', '3 new #2'],
    ],
    [
      'only the first session mode if there is one round',
      oneRound,
      { reviewers: [], sessions: ['resumed', 'new'], readings: [], repeat: 1 },
      ['null resumed #1'],
    ],
    [
      'every session mode if there are two rounds',
      two,
      { reviewers: [2], sessions: ['new', 'resumed', 'skipped'], readings: [], repeat: 1 },
      ['2 new #1', '2 resumed #1', '2 skipped #1'],
    ],
    ['no task for no repeat', two, { reviewers: [], sessions: ['new'], readings: [], repeat: 0 }, []],
  ])('%s', (_title, candidate, choice, taskNames) => {
    const tasks = tasksOf(candidate, choice);
    expect(tasks.map(({ variant, repeat }) => `${variant.reviewers} ${variant.sessions} #${repeat}`)).toEqual(
      taskNames,
    );
    expect(tasks.every((task) => task.case === candidate)).toBe(true);
  });
});

test.each<[title: string, given: Partial<ProofCase>, expected: readonly string[]]>([
  [
    'the files of all rounds',
    {
      rounds: [
        roundOf('Add', [
          { path: path('a.ts'), text: 'a' },
          { path: path('b.ts'), text: null },
        ]),
        roundOf('Fix', [{ path: path('c.ts'), text: 'c' }]),
      ],
    },
    ['a.ts', 'b.ts', 'c.ts'],
  ],
  [
    'the files of a patch, without those that the patch removes',
    {
      rounds: [
        {
          ...roundOf('Apply', []),
          patch:
            '--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n--- a/y.ts\n+++ /dev/null\n--- a/z z.ts\t\n+++ b/z z.ts\t\n',
        },
      ],
    },
    ['x.ts', 'z z.ts'],
  ],
  [
    'only the files with the bug',
    { planted: { class: 'guard', places: [{ file: path('bug.ts'), from: 1, to: 2 }] } },
    ['bug.ts'],
  ],
])('the paths of a case are %s', (_title, caseFields, paths) => {
  expect(pathsOf(proofCase(caseFields))).toEqual(paths);
});

describe('the most calls of a task', () => {
  const gatesFor = (paths: readonly RepoPath[]) =>
    paths.includes(path('a.ts')) ? [{ numReviews: 2 }, { numReviews: 1 }] : [];
  const task = (differs: Partial<ProofCase>, reviewers: number | null): ProofTask => ({
    case: proofCase(differs),
    variant: { reviewers, sessions: 'new', reading: null },
    repeat: 1,
  });
  const round = roundOf('Add a', [{ path: path('a.ts'), text: 'a' }]);

  test.each<[title: string, task: ProofTask, expected: number]>([
    ['the reviewers of both gates', task({}, null), 3],
    ['the reviewers of the variant at both gates', task({}, 4), 8],
    ['twice as many in two rounds', task({ rounds: [round, round] }, null), 6],
    ['none if no gate covers the files', task({ rounds: [roundOf('Add', [])] }, 4), 0],
  ])('%s', (_title, proofTask, callCount) => {
    expect(mostCallsOf(proofTask, gatesFor)).toBe(callCount);
  });
});

const usageOf = (tokens: number, costUsd: number | null): Usage => ({
  inputTokens: tokens,
  cachedInputTokens: tokens,
  cacheWriteTokens: tokens,
  outputTokens: tokens,
  costUsd,
});

describe('the estimate of a call', () => {
  const slot = (tokens: number, costUsd: number | null, asks = 1, gate = 'review:a') =>
    ledgerSlot({ gate, asks, usage: usageOf(tokens, costUsd) });
  const run = (...slots: readonly ReturnType<typeof ledgerSlot>[]) => ledgerRun({ slots: [...slots] });

  const proof = (tokens: number, costUsd: number | null, asks = 1): LedgerEntry => ({
    ...{ kind: 'proof', at: '2026-03-01T10:00:00.000Z', startedBy: 'person', branch: null, durationMs: 1 },
    ...{ agent: 'one', model: null, dispatch: 'fresh', asks, usage: usageOf(tokens, costUsd) },
  });

  test.each<[title: string, entries: readonly LedgerEntry[], expected: CallEstimate]>([
    ['none without entries', [], null],
    ['none from fixes', [ledgerFix()], null],
    ['none from another gate', [run(slot(10, 1, 1, 'review:b'))], null],
    [
      'none from reviewers without usage or without a call',
      [run(ledgerSlot({ gate: 'review:a', usage: null }), slot(10, 1, 0))],
      null,
    ],
    ['one call', [run(slot(10, 0.5))], { tokens: 40, usd: 0.5, calls: 1 }],
    [
      'several calls of one reviewer count as one of them',
      [run(slot(10, 0.5, 2))],
      { tokens: 20, usd: 0.25, calls: 1 },
    ],
    ['the middle one of three', [run(slot(30, 3), slot(10, 1)), run(slot(100, 2))], { tokens: 120, usd: 2, calls: 3 }],
    [
      'the mean of the middle two of four',
      [run(slot(1, 1), slot(2, 2), slot(4, 4), slot(99, 99))],
      { tokens: 12, usd: 3, calls: 4 },
    ],
    ['no price if no call has one', [run(slot(10, null, 2))], { tokens: 20, usd: null, calls: 1 }],
    ['the price of the calls that have one', [run(slot(10, null), slot(20, 2))], { tokens: 60, usd: 2, calls: 2 }],
    ['calls of proofs if no run has one', [proof(10, 0.5, 2)], { tokens: 20, usd: 0.25, calls: 1 }],
    ['runs before proofs', [proof(99, 9), run(slot(10, 0.5))], { tokens: 40, usd: 0.5, calls: 1 }],
    ['tokens are rounded', [run(slot(10, 1, 3))], { tokens: 13, usd: 1 / 3, calls: 1 }],
  ])('%s', (_title, entries, estimate) => {
    expect(estimateCall(entries, ['review:a'])).toEqual(estimate);
  });
});

test.each<[text: string, expected: ProofBudget | null]>([
  ['5', { usd: 5, calls: null }],
  ['$5', { usd: 5, calls: null }],
  [' 2.50 ', { usd: 2.5, calls: null }],
  ['0', { usd: 0, calls: null }],
  ['40 calls', { usd: null, calls: 40 }],
  ['40calls', { usd: null, calls: 40 }],
  ['1 Call', { usd: null, calls: 1 }],
  ['', null],
  ['$', null],
  ['-5', null],
  ['5 dollars', null],
  ['1.5 calls', null],
  ['$40 calls', null],
  ['1234567', null],
])('the budget %j', (text, budget) => {
  expect(parseBudget(text)).toEqual(budget);
});

test('spending adds calls and usage, and unknown usage adds nothing', () => {
  const spending = { calls: 2, usage: usageOf(10, 1) };
  expect(addSpending(spending, { calls: 3, usage: usageOf(5, 0.5) })).toEqual({ calls: 5, usage: usageOf(15, 1.5) });
  expect(addSpending(spending, { calls: 1, usage: null })).toEqual({ calls: 3, usage: usageOf(10, 1) });
});

test.each<[title: string, spent: [calls: number, usd: number | null], budget: ProofBudget, isOver: boolean]>([
  ['no limit', [1000, 1000], { usd: null, calls: null }, false],
  ['one call left', [9, null], { usd: null, calls: 10 }, false],
  ['no call left', [10, null], { usd: null, calls: 10 }, true],
  ['money left', [6, 4.99], { usd: 5, calls: null }, false],
  ['no money left', [6, 5], { usd: 5, calls: null }, true],
  ['an unknown price, which counts as nothing', [6, null], { usd: 5, calls: null }, false],
  ['calls left but no money', [1, 9], { usd: 5, calls: 10 }, true],
  ['no call at all', [0, null], { usd: null, calls: 0 }, true],
])('a budget with %s', (_title, [calls, usd], budget, isOver) => {
  expect(isSpent({ calls, usage: usd === null ? null : usageOf(1, usd) }, budget)).toBe(isOver);
});
