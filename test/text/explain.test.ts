import { describe, expect, test } from 'vitest';
import type { RepoPath, ReviewId } from '../../src/domain/brand.ts';
import type { ReviewExplanation } from '../../src/domain/explanation.ts';
import type { MarkReceipt } from '../../src/domain/pass.ts';
import type { Rule } from '../../src/domain/rule.ts';
import type { ReviewTask } from '../../src/domain/task.ts';
import { explanationSummary, tellExplanation } from '../../src/text/explain.ts';

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
const TASK: ReviewTask = {
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

const TO_DO: ReviewExplanation = { kind: 'to-do', task: TASK, why: 'not-passed', mark: null };
const DIFFERS: ReviewExplanation = {
  kind: 'to-do',
  task: TASK,
  why: 'pass-does-not-match',
  mark: { tracked: false, receipt: receipt('cli') },
};
const SKIPPED: ReviewExplanation = { kind: 'skipped', task: TASK, mark: { tracked: true, receipt: null } };
const CHANGED: ReviewExplanation = {
  kind: 'changed',
  id: 'lint--a.py--old',
  now: TASK,
  passed: true,
  receipt: receipt('mcp'),
};
const UNASKED: ReviewExplanation = {
  kind: 'not-asked-for',
  id: 'gone--b.py--77',
  passed: false,
  receipt: receipt('library'),
};

describe('the answer in one sentence', () => {
  test.each<[title: string, explanation: ReviewExplanation, said: RegExp]>([
    ['to do', TO_DO, /^It has to be done: nobody has passed it for the files as they are now\.$/],
    [
      'pass of another text',
      DIFFERS,
      /^It has to be done: a pass is on record, but for another rule text.*cache: strict/,
    ],
    ['skipped', SKIPPED, /^It is skipped: it passed, and its files are unchanged since\.$/],
    [
      'changed since it passed',
      CHANGED,
      /^Its files have changed since it passed; the review is now lint--a\.py--0123\.$/,
    ],
    ['not asked for', UNASKED, /^It is not asked for now: no rule asks for it on the present change\.$/],
  ])('%s', (_, explanation, said) => {
    expect(explanationSummary(explanation)).toMatch(said);
  });

  test('where it never passed, it does not say that it did', () => {
    expect(explanationSummary({ ...CHANGED, passed: false, receipt: null })).not.toContain('since it passed');
  });
});

describe('the whole explanation', () => {
  test('of a review to do', () => {
    expect(tellExplanation(TO_DO)).toBe(`lint--a.py--0123

It has to be done: nobody has passed it for the files as they are now.

  rule   lint (src/.deepreview:4), matches_together
  file   a.py
  file   "b c.py" (cannot be read)

No pass is on record.

It runs until it is marked as passed; then it is skipped for as long as its files stay as they are.`);
  });

  test.each<[title: string, explanation: ReviewExplanation, said: string]>([
    ['who passed it', DIFFERS, 'Passed at 2026-01-02T03:04:05.000Z by "onceover pass".'],
    ['a marker of unknown origin', SKIPPED, 'A marker says that it passed; who set it is not on record.'],
    ['when a skipped one runs again', SKIPPED, 'It runs again when one byte of these files changes'],
    ['the old id first', CHANGED, 'lint--a.py--old\n\n'],
    ['the files of the new one', CHANGED, '  file   a.py'],
    ['where the new one stands', CHANGED, 'How it stands now: "onceover explain lint--a.py--0123".'],
    ['the pass of the old one', CHANGED, 'by the MCP tool mark_review_as_passed.'],
    [
      'a pass whose marker is gone',
      UNASKED,
      'Passed once (its marker is gone) at 2026-01-02T03:04:05.000Z by a program.',
    ],
    ['what would have it asked for', UNASKED, 'It runs again when its rule matches them in a change'],
    ['why nobody asks for it', UNASKED, 'Either its files are no longer part of the change, or its rule'],
  ])('says %s', (_, explanation, said) => {
    expect(tellExplanation(explanation)).toContain(said);
  });

  test('names every rule that shares the review', () => {
    const shared: Rule = { ...RULE, name: 'security', source: { file: '.deepreview' as RepoPath, line: 9 } };
    const task: ReviewTask = { ...TASK, parts: [...TASK.parts, { rule: shared, files: PATHS, unchangedMatching: [] }] };
    const told = tellExplanation({ ...TO_DO, task });
    expect(told).toContain('  rule   lint (src/.deepreview:4), matches_together\n  rule   security (.deepreview:9)');
  });

  test('no id and no file name breaks its line', () => {
    const evil = 'x\nIt is skipped\x1b[31m';
    expect(tellExplanation({ ...UNASKED, id: evil })).not.toMatch(/^It is skipped|\x1b/m);
    const digests = [{ path: evil as RepoPath, sha256: '00', link: null }];
    expect(tellExplanation({ ...TO_DO, task: { ...TASK, digests } })).not.toMatch(/^It is skipped\x1b/m);
  });
});
