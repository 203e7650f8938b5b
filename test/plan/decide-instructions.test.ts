import { describe, expect, test } from 'vitest';
import type { RepoPath, ReviewId } from '../../src/domain/brand.ts';
import type { Mark, MarkReceipt, TaskFacts } from '../../src/domain/pass.ts';
import { decideInstructions, isTrusted } from '../../src/plan/decide-instructions.ts';
import { reviewTask, rule, ruleTask } from '../support/rules.ts';

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
  const { decisions, notices } = decideInstructions([{ task, facts, mark: given }], cache);
  const [decision] = decisions;
  return [decision?.kind, decision?.why, notices.map((notice) => notice.kind)];
}

describe('with cache: content', () => {
  test.each([
    ['no pass', null, ['write', 'not-passed', []]],
    ['a pass [REVIEW-REQ-009.0.1] [REVIEW-REQ-009.3.1]', mark(receipt), ['skip', 'unchanged-since-pass', []]],
    ['a marker that nobody vouches for', mark(null), ['skip', 'unchanged-since-pass', []]],
    ['a marker that git tracks', mark(null, true), ['skip', 'unchanged-since-pass', ['tracked-pass']]],
    ['an older text of the rule', mark(otherText), ['skip', 'unchanged-since-pass', ['older-rule-text']]],
    ['the rule of another file', mark(otherSource), ['skip', 'unchanged-since-pass', ['older-rule-text']]],
    ['another context', mark(otherContext), ['skip', 'unchanged-since-pass', []]],
    ['another symlink', mark(otherLink), ['skip', 'unchanged-since-pass', ['link-changed']]],
    ['another path with the same id', mark(otherPath), ['skip', 'unchanged-since-pass', []]],
  ] as const)('%s', (_title, given, expected) => {
    expect(decided(given, 'content')).toEqual(expected);
  });
});

describe('with cache: strict', () => {
  test.each([
    ['no pass', null, ['write', 'not-passed', []]],
    ['the same in everything', mark(receipt), ['skip', 'unchanged-since-pass', []]],
    ['the same, but the marker is tracked', mark(receipt, true), ['skip', 'unchanged-since-pass', ['tracked-pass']]],
    ['nobody vouches for it', mark(null), ['write', 'pass-does-not-match', []]],
    ['an older text of the rule', mark(otherText), ['write', 'pass-does-not-match', []]],
    ['the rule of another file', mark(otherSource), ['write', 'pass-does-not-match', []]],
    ['another context', mark(otherContext), ['write', 'pass-does-not-match', []]],
    ['another path', mark(otherPath), ['write', 'pass-does-not-match', []]],
    ['another content', mark(otherContent), ['write', 'pass-does-not-match', []]],
    ['another symlink', mark(otherLink), ['write', 'pass-does-not-match', []]],
    ['more files', mark(moreFiles), ['write', 'pass-does-not-match', []]],
    ['more rules', mark(moreParts), ['write', 'pass-does-not-match', []]],
    ['another prompt', mark(otherPrompt), ['write', 'pass-does-not-match', []]],
  ] as const)('%s', (_title, given, expected) => {
    expect(decided(given, 'strict')).toEqual(expected);
  });
});

describe('a run that trusts marks', () => {
  test.each<[string, MarkReceipt | null, content: boolean, strict: boolean]>([
    ['the same in everything', receipt, true, true],
    ['nobody vouches for it: a mark by hand', null, true, false],
    ['an older text of the rule', otherText, false, false],
    ['the rule of another file', otherSource, false, false],
    ['another path with the same id', otherPath, false, false],
    ['another content', otherContent, false, false],
    ['another symlink', otherLink, false, false],
    ['more files than today', moreFiles, false, false],
    ['another context', otherContext, true, false],
    ['one rule more than today', moreParts, true, false],
    ['another text around the instructions', otherPrompt, true, false],
  ])('%s', (_title, given, content, strict) => {
    expect([isTrusted(given, facts, 'content'), isTrusted(given, facts, 'strict')]).toEqual([content, strict]);
  });
});

test('a review whose id cannot be marked is said to run each time', () => {
  const id = 'style--a..b.py--0123456789ab' as ReviewId;
  const dotted = { task: { ...task, id }, facts: { ...facts, id }, mark: null };
  expect(decideInstructions([dotted], 'content').notices).toEqual([{ kind: 'not-cacheable', id }]);
});
