import type { RepoPath } from '@onceover/base/kernel/ids';
import { rule, ruleTask } from '@onceover/testing/rules.ts';
import { expect, test } from 'vitest';
import { identify } from '../../src/rules/tasks.ts';

const content = (hash: string, ...files: string[]) => ({
  hash: hash.repeat(64),
  files: files.map((path) => ({ path: path as RepoPath, sha256: `${hash} ${path}`, link: null })),
});

test('keeps tasks with different ids apart', () => {
  const reviews = identify([
    { task: ruleTask(rule({ name: 'one' }), 'a.py'), content: content('a', 'a.py') },
    { task: ruleTask(rule({ name: 'two' }), 'a.py'), content: content('a', 'a.py') },
  ]);
  expect(reviews.map((review) => review.id)).toEqual(['one--a.py--aaaaaaaaaaaa', 'two--a.py--aaaaaaaaaaaa']);
  expect(reviews.map((review) => review.parts.length)).toEqual([1, 1]);
});

test('merges tasks with the same id into one review with the parts and files of both', () => {
  const first = ruleTask(rule({ name: 'style' }), 'a/b-c.py');
  const second = ruleTask(rule({ name: 'style', folder: 'a-b' }), 'a-b/c.py');
  const reviews = identify([
    { task: first, content: content('a', 'a/b-c.py') },
    { task: second, content: content('a', 'a-b/c.py') },
  ]);
  expect(reviews).toHaveLength(1);
  expect(reviews[0]?.parts).toEqual([first, second]);
  expect(reviews[0]?.files).toEqual(['a-b/c.py', 'a/b-c.py']);
  expect(reviews[0]?.digests.map((file) => file.path)).toEqual(['a-b/c.py', 'a/b-c.py']);
});
