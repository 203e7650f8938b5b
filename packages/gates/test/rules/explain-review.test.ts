import type { ReviewId } from '@onceover/base/kernel/ids';
import { reviewTask, rule, ruleTask } from '@onceover/testing/rules.ts';
import { expect, test } from 'vitest';
import { decideReview } from '../../src/rules/decide.ts';
import { explainReview } from '../../src/rules/decide-explanation.ts';
import { taskFacts } from '../../src/rules/review-id.ts';
import type { Mark } from '../../src/rules/types.ts';

const ID = 'style--a.py--0123456789ab';

function explained(asked: string, mark: Mark | null, passed: boolean) {
  const task = reviewTask(ID, ruleTask(rule(), 'a.py'));
  const facts = taskFacts(task, { allChanged: [], references: new Map() });
  const now = [decideReview({ task, facts, mark, passed: null }, 'content')];
  return explainReview(asked as ReviewId, now, { passed, receipt: null });
}

test.each([
  ['not passed', ID, null, false, 'to-do'],
  ['skipped because it passed', ID, { tracked: false, receipt: null }, true, 'skipped'],
  ['passed with different contents', 'style--a.py--ffffffffffff', null, true, 'changed'],
  ['never seen, but with the same rule and files', 'style--a.py--ffffffffffff', null, false, 'changed'],
  ['passed, but no longer needed', 'style--b.py--ffffffffffff', null, true, 'not-asked-for'],
  ['unknown', 'style--b.py--ffffffffffff', null, false, undefined],
] as const)('explains a review that is %s', (_title, asked, mark, passed, expected) => {
  expect(explained(asked, mark, passed)?.kind).toBe(expected);
});
