import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import { describe, expect, test } from 'vitest';
import { describeExplanation, explanationSummary } from '../../src/rules/describe.ts';
import type { MarkReceipt, ReviewExplanation, Rule, RuleReviewTask } from '../../src/rules/types.ts';

const ID = 'lint--a.py--0123' as ReviewId;
const RULE: Rule = {
  name: 'lint',
  description: 'Checks style.',
  source: { file: 'src/.deepreview' as RepoPath, line: 4 },
  folder: 'src',
  include: ['**'],
  exclude: [],
  strategy: 'matches_together',
  instructions: 'Look.',
  personas: {},
  context: { allChangedFilenames: false, unchangedMatchingFiles: false },
  references: [],
  numReviews: 1,
  agents: null,
};
const PATHS = ['a.py', 'b c.py'].map((path) => path as RepoPath);
const [A, B] = PATHS as [RepoPath, RepoPath];
const TASK: RuleReviewTask = {
  id: ID,
  parts: [{ rule: RULE, files: PATHS, unchangedMatching: [] }],
  files: PATHS,
  digests: [
    { path: A, sha256: '00', link: null },
    { path: B, sha256: null, link: null },
  ],
};

const receipt = (by: MarkReceipt['by']): MarkReceipt => ({
  id: ID,
  parts: [],
  files: [],
  promptVersion: 1,
  by,
  at: '2026-01-02T03:04:05.000Z',
});

const TO_DO: ReviewExplanation = {
  kind: 'to-do',
  id: TASK.id,
  task: TASK,
  why: 'not-passed',
  passed: false,
  receipt: null,
};
const DIFFERS: ReviewExplanation = {
  kind: 'to-do',
  task: TASK,
  id: TASK.id,
  why: 'pass-does-not-match',
  passed: true,
  receipt: receipt('cli'),
};
const SKIPPED: ReviewExplanation = { kind: 'skipped', id: TASK.id, task: TASK, passed: true, receipt: null };
const CHANGED: ReviewExplanation = {
  kind: 'changed',
  id: 'lint--a.py--old',
  task: TASK,
  passed: true,
  receipt: receipt('mcp'),
};
const UNASKED: ReviewExplanation = {
  kind: 'not-asked-for',
  id: 'gone--b.py--77',
  task: null,
  passed: false,
  receipt: receipt('library'),
};

describe('the summary of a review that', () => {
  test.each<[title: string, explanation: ReviewExplanation, said: RegExp]>([
    ['is to do', TO_DO, /^It has to be done: no reviewer has passed the current content of its files\.$/],
    [
      'passed with a different rule text',
      DIFFERS,
      /^It has to be done: it passed, but with a different rule text.*cache: strict/,
    ],
    ['is skipped', SKIPPED, /^It is skipped: it already passed, and its files are unchanged\.$/],
    [
      'has changed since it passed',
      CHANGED,
      /^Its files have changed since it passed; the review is now lint--a\.py--0123\.$/,
    ],
    ['is not needed', UNASKED, /^It is not needed: no rule asks for this review on the current change\.$/],
  ])('%s', (_, explanation, said) => {
    expect(explanationSummary(explanation)).toMatch(said);
  });

  test('does not claim that a review passed if it never did', () => {
    expect(explanationSummary({ ...CHANGED, passed: false, receipt: null })).not.toContain('since it passed');
  });
});

describe('the whole explanation', () => {
  test('describes a review to do', () => {
    expect(describeExplanation(TO_DO)).toBe(`lint--a.py--0123

It has to be done: no reviewer has passed the current content of its files.

  rule   lint (src/.deepreview:4), matches_together
  file   a.py
  file   "b c.py" (cannot be read)

No pass is recorded.

It runs until it is marked as passed. Then it is skipped until its files change.`);
  });

  test.each<[title: string, explanation: ReviewExplanation, said: string]>([
    ['who passed it', DIFFERS, 'Passed at 2026-01-02T03:04:05.000Z by "onceover pass".'],
    ['that a marker has no receipt', SKIPPED, 'It has a marker without a receipt, so it is unknown who passed it.'],
    ['when a skipped review runs again', SKIPPED, 'It runs again when the content of these files changes'],
    ['the old id first', CHANGED, 'lint--a.py--old\n\n'],
    ['the files of the new review', CHANGED, '  file   a.py'],
    ['how to explain the new review', CHANGED, 'run "onceover explain lint--a.py--0123".'],
    ['who passed the old review', CHANGED, 'by the MCP tool mark_review_as_passed.'],
    [
      'that the marker of a pass was deleted',
      UNASKED,
      'Passed earlier (its marker was deleted) at 2026-01-02T03:04:05.000Z by a program.',
    ],
    ['when the review is needed again', UNASKED, 'It runs again when its rule matches the files in a change'],
    ['why the review is not needed', UNASKED, 'Either its files are not part of the change, or no rule'],
  ])('says %s', (_, explanation, said) => {
    expect(describeExplanation(explanation)).toContain(said);
  });

  test('names every rule of a shared review', () => {
    const shared: Rule = { ...RULE, name: 'security', source: { file: '.deepreview' as RepoPath, line: 9 } };
    const task: RuleReviewTask = {
      ...TASK,
      parts: [...TASK.parts, { rule: shared, files: PATHS, unchangedMatching: [] }],
    };
    const told = describeExplanation({ ...TO_DO, task });
    expect(told).toContain('  rule   lint (src/.deepreview:4), matches_together\n  rule   security (.deepreview:9)');
  });

  test('keeps hostile ids and file names on one line', () => {
    const evil = 'x\nIt is skipped\x1b[31m';
    expect(describeExplanation({ ...UNASKED, id: evil })).not.toMatch(/^It is skipped|\x1b/m);
    const digests = [{ path: evil as RepoPath, sha256: '00', link: null }];
    expect(describeExplanation({ ...TO_DO, task: { ...TASK, digests } })).not.toMatch(/^It is skipped\x1b/m);
  });
});
