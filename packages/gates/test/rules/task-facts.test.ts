import type { RepoPath } from '@onceover/base/kernel/ids';
import { paths, reviewTask, rule, ruleTask } from '@onceover/testing/rules.ts';
import { expect, test } from 'vitest';
import { taskFacts } from '../../src/rules/review-id.ts';
import type { TaskContext } from '../../src/rules/types.ts';

const NOTHING: TaskContext = { allChanged: [], references: new Map() };

function digests(given: Parameters<typeof rule>[0], context: Partial<TaskContext> = {}, unchanged: string[] = []) {
  const part = { ...ruleTask(rule(given), 'a.py'), unchangedMatching: paths(...unchanged) };
  const [first] = taskFacts(reviewTask('id', part), { ...NOTHING, ...context }).parts;
  return [first?.textDigest, first?.contextDigest];
}

test('has one digest of the rule text and one of its context', () => {
  const [text, context] = digests({});
  expect(digests({ instructions: 'Look again.' })).toEqual([expect.not.stringMatching(text ?? ''), context]);
  expect(digests({}, {}, ['b.py'])).toEqual([text, expect.not.stringMatching(context ?? '')]);
});

test('includes the changed file names only if the rule shows them', () => {
  const allChanged = paths('x', 'y');
  expect(digests({}, { allChanged })).toEqual(digests({}));
  const shown = { context: { allChangedFilenames: true, unchangedMatchingFiles: false } };
  expect(digests(shown, { allChanged })).not.toEqual(digests(shown));
});

test('includes the text of reference files', () => {
  const part = ruleTask(rule(), 'a.py');
  const withText = (text: string) => {
    const reference = { path: 'guide.md' as RepoPath, description: null, text, leftOut: null };
    return taskFacts(reviewTask('id', part), { ...NOTHING, references: new Map([[part, [reference]]]) }).parts;
  };
  expect(withText('one')).not.toEqual(withText('two'));
});
