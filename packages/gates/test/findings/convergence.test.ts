import type { CommitId } from '@onceover/base/kernel/ids';
import type { Priority, Settings } from '@onceover/repo/config/settings';
import { content, finding, reported } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { matchFindings, type SlotReview } from '../../src/findings/match-findings.ts';
import { onlyWarns } from '../../src/findings/priority.ts';
import { addedLines, isOnUnchangedLines } from '../../src/findings/unchanged-lines.ts';

type Convergence = Settings['convergence'];
const OFF: Convergence = { unchangedCode: 'block' };
const MUST_FIX: Convergence = { unchangedCode: 'must_fix_only' };

test.each<[string, Priority, number, Convergence, boolean]>([
  ['the first review', 'low', 0, MUST_FIX, false],
  ['off', 'low', 5, OFF, false],
  ['a medium one in the second review', 'medium', 1, MUST_FIX, true],
  ['a high one in the second review', 'high', 1, MUST_FIX, false],
  ['a high one in the third review', 'high', 2, MUST_FIX, false],
  ['a high one in any later review', 'high', 9, MUST_FIX, false],
])('whether a new finding on unchanged lines only warns: %s', (_title, priority, seenBefore, convergence, expected) => {
  const levels = { failOn: 'low', rerunNewIssueThreshold: 'low', convergence } as const;
  expect(onlyWarns(priority, seenBefore === 0 ? {} : { seenBefore }, levels)).toBe(expected);
});

describe('unchanged lines', () => {
  const added = addedLines('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n one\n+two\n three\n-four\n+five\n');

  test('are those that the diff does not add', () => {
    expect([...added]).toEqual([2, 4]);
  });

  test.each([
    ['an unchanged line', { line: 3 }, true],
    ['an added line', { line: 2 }, false],
    ['two lines of which one is added', { line: 3, anchor: { text: 'three\nfive', occurrence: 1 } }, false],
    ['an unknown place', { line: null }, false],
    ['code that is not in the file', { line: 3, mark: 'code-not-found' as const }, false],
    ['no code', { line: 3, anchor: null }, false],
  ])('%s', (_title, differs, expected) => {
    expect(isOnUnchangedLines(finding(differs), added)).toBe(expected);
  });
});

describe('a review with convergence', () => {
  const problem = { ...finding({ anchor: { text: 'b = 2', occurrence: 1 }, line: 2, priority: 'medium' }) };
  const review = (differs: Partial<SlotReview>): SlotReview => ({
    ...{ gate: 'review:src:code-quality', scope: 'full', slot: 1, agent: 'claude', iteration: 2 },
    at: '2026-03-02T12:00:00.000Z',
    content: content('c2'),
    where: { branch: 'work', mergeBase: 'b1' as CommitId },
    ...{ isRerun: true, failOn: 'low', rerunNewIssueThreshold: 'low', convergence: MUST_FIX },
    ...{ status: 'fail', reported: [problem], previous: [], message: null, earlier: [] },
    ...{ seenBefore: () => 1, seenNow: () => 'blob h2', entryNow: () => null },
    ...differs,
  });

  test('stores a new finding on unchanged lines as a warning, with the reason', () => {
    expect(matchFindings(review({})).added).toMatchObject([{ kept: 'warning', seenBefore: 1 }]);
  });

  test('counts it in full if the reviewer dropped another finding without a word', () => {
    const dropped = matchFindings(review({ earlier: [reported()] }));
    expect(dropped.updated).toMatchObject([{ kept: 'closed', closed: { how: 'silent' } }]);
    expect(dropped.added).toMatchObject([{ kept: 'open' }]);
    expect(dropped.added[0]).not.toHaveProperty('seenBefore');
  });

  test('stores it as a warning if the reviewer only dropped a warning', () => {
    const dropped = matchFindings(review({ earlier: [reported({ kept: 'warning' }, 'warning')] }));
    expect(dropped.updated).toMatchObject([{ kept: 'closed', closed: { how: 'silent' } }]);
    expect(dropped.added).toMatchObject([{ kept: 'warning', seenBefore: 1 }]);
  });

  test('keeps an open finding open that is reported again', () => {
    const known = reported({ anchor: problem.anchor, priority: 'low' });
    expect(matchFindings(review({ earlier: [known] })).updated).toMatchObject([{ kept: 'open' }]);
  });

  const closed = { how: 'silent', why: '', iteration: 2 } as const;
  test.each<[string, Parameters<typeof reported>[0], number, 'warning' | 'open']>([
    ['a warning that a review left out stays a warning', { seenBefore: 1 }, 2, 'warning'],
    ['its lines have changed since', { seenBefore: 1 }, 0, 'open'],
    ['it was critical', { seenBefore: 1, priority: 'critical' }, 2, 'open'],
    ['it was no warning', {}, 2, 'open'],
  ])('reports a closed finding again: %s', (_title, differs, seen, kept) => {
    const known = reported({ anchor: problem.anchor, priority: 'low', kept: 'closed', closed, ...differs }, 'closed');
    expect(matchFindings(review({ earlier: [known], seenBefore: () => seen })).updated).toMatchObject([{ kept }]);
  });
});
