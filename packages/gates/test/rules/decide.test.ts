import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import { reviewTask, rule, ruleTask } from '@onceover/testing/rules.ts';
import { describe, expect, test } from 'vitest';
import { decideReview, isTrusted } from '../../src/rules/decide.ts';
import type { Mark, MarkReceipt, TaskFacts } from '../../src/rules/types.ts';

const ID = 'style--a.py--0123456789ab' as ReviewId;
const task = reviewTask(ID, ruleTask(rule(), 'a.py'));
const facts: TaskFacts = {
  id: ID,
  parts: [{ source: '.deepreview' as RepoPath, rule: 'style', textDigest: 'text', contextDigest: 'context' }],
  files: [{ path: 'a.py' as RepoPath, sha256: 'content', link: null }],
  promptVersion: 1,
};
const receipt: MarkReceipt = { ...facts, by: 'mcp', at: '2026-01-01T00:00:00.000Z' };
const part = facts.parts[0] ?? { source: '' as RepoPath, rule: '', textDigest: '', contextDigest: '' };
const otherText = { ...receipt, parts: [{ ...part, textDigest: 'older' }] };
const otherContext = { ...receipt, parts: [{ ...part, contextDigest: 'older' }] };
const otherSource = { ...receipt, parts: [{ ...part, source: 'src/.deepreview' as RepoPath }] };
const otherPath = { ...receipt, files: [{ path: 'b.py' as RepoPath, sha256: 'content', link: null }] };
const otherContent = { ...receipt, files: [{ path: 'a.py' as RepoPath, sha256: null, link: null }] };
const otherLink = { ...receipt, files: [{ path: 'a.py' as RepoPath, sha256: 'content', link: '/elsewhere' }] };
const moreFiles = { ...receipt, files: [...receipt.files, ...otherPath.files] };
const moreParts = { ...receipt, parts: [...receipt.parts, ...otherSource.parts] };
const otherPrompt = { ...receipt, promptVersion: 0 };

const mark = (given: MarkReceipt | null, tracked = false): Mark => ({ tracked, receipt: given });

function decided(given: Mark | null, cache: 'content' | 'strict') {
  const { why, notices } = decideReview({ task, facts, mark: given, passed: null }, cache);
  return [why === null ? 'skip' : 'write', why ?? 'unchanged-since-pass', notices.map((notice) => notice.kind)];
}

describe('with cache: content, decides about a review with', () => {
  test.each([
    ['no pass', null, ['write', 'not-passed', []]],
    [
      'a pass with a receipt [REVIEW-REQ-009.0.1] [REVIEW-REQ-009.3.1]',
      mark(receipt),
      ['skip', 'unchanged-since-pass', []],
    ],
    ['a marker without a receipt', mark(null), ['skip', 'unchanged-since-pass', []]],
    ['a marker that git tracks', mark(null, true), ['skip', 'unchanged-since-pass', ['tracked-pass']]],
    ['an older text of the rule', mark(otherText), ['skip', 'unchanged-since-pass', ['older-rule-text']]],
    ['a rule from a different file', mark(otherSource), ['skip', 'unchanged-since-pass', ['older-rule-text']]],
    ['a different context', mark(otherContext), ['skip', 'unchanged-since-pass', []]],
    ['a different symlink', mark(otherLink), ['skip', 'unchanged-since-pass', ['link-changed']]],
    ['a different path with the same id', mark(otherPath), ['skip', 'unchanged-since-pass', []]],
  ] as const)('%s', (_title, given, expected) => {
    expect(decided(given, 'content')).toEqual(expected);
  });
});

describe.each(['content', 'strict'] as const)(
  'with cache: %s, a review without a mark that a run counts as passed',
  (cache) => {
    test.each([
      ['is skipped if everything is equal', facts, 'skip'],
      ['is to do under another text of the rule', otherText, 'write'],
      ['is to do with another context', otherContext, 'write'],
      ['is to do with other files', moreFiles, 'write'],
      ['is to do under a rule of another file', otherSource, 'write'],
    ] as const)('%s', (_title, passed, expected) => {
      expect(decideReview({ task, facts, mark: null, passed }, cache).why === null ? 'skip' : 'write').toBe(expected);
    });
  },
);

describe('with cache: strict, decides about a review with', () => {
  test.each([
    ['no pass', null, ['write', 'not-passed', []]],
    ['a receipt that matches in everything', mark(receipt), ['skip', 'unchanged-since-pass', []]],
    [
      'a matching receipt and a tracked marker',
      mark(receipt, true),
      ['skip', 'unchanged-since-pass', ['tracked-pass']],
    ],
    ['a marker without a receipt', mark(null), ['write', 'pass-does-not-match', []]],
    ['an older text of the rule', mark(otherText), ['write', 'pass-does-not-match', []]],
    ['a rule from a different file', mark(otherSource), ['write', 'pass-does-not-match', []]],
    ['a different context', mark(otherContext), ['write', 'pass-does-not-match', []]],
    ['a different path', mark(otherPath), ['write', 'pass-does-not-match', []]],
    ['different content', mark(otherContent), ['write', 'pass-does-not-match', []]],
    ['a different symlink', mark(otherLink), ['write', 'pass-does-not-match', []]],
    ['more files in the receipt', mark(moreFiles), ['write', 'pass-does-not-match', []]],
    ['more rules in the receipt', mark(moreParts), ['write', 'pass-does-not-match', []]],
    ['a different prompt version', mark(otherPrompt), ['write', 'pass-does-not-match', []]],
  ] as const)('%s', (_title, given, expected) => {
    expect(decided(given, 'strict')).toEqual(expected);
  });
});

describe('a run that trusts marks, given a receipt with', () => {
  test.each<[string, MarkReceipt | null, content: boolean, strict: boolean]>([
    ['a receipt that matches in everything', receipt, true, true],
    ['no receipt, because the marker was created by hand', null, true, false],
    ['an older text of the rule', otherText, false, false],
    ['a rule from a different file', otherSource, false, false],
    ['a different path with the same id', otherPath, false, false],
    ['different content', otherContent, false, false],
    ['a different symlink', otherLink, false, false],
    ['more files than now', moreFiles, false, false],
    ['a different context', otherContext, true, false],
    ['one more rule than now', moreParts, true, false],
    ['a different text around the instructions', otherPrompt, true, false],
  ])('%s', (_title, given, content, strict) => {
    expect([isTrusted(given, facts, 'content'), isTrusted(given, facts, 'strict')]).toEqual([content, strict]);
  });
});
