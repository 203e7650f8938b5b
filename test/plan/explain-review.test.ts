import { expect, test } from 'vitest';
import type { ReviewId } from '../../src/domain/brand.ts';
import type { Mark } from '../../src/domain/pass.ts';
import { type Candidate, decideInstructions } from '../../src/plan/decide-instructions.ts';
import { explainReview } from '../../src/plan/explain-review.ts';
import { taskFacts } from '../../src/plan/task-facts.ts';
import { reviewTask, rule, ruleTask } from '../support/rules.ts';

const ID = 'style--a.py--0123456789ab';

function explained(asked: string, mark: Mark | null, passed: boolean) {
  const task = reviewTask(ID, ruleTask(rule(), 'a.py'));
  const facts = taskFacts(task, { allChanged: [], references: new Map() });
  const candidates: Candidate[] = [{ task, facts, mark }];
  const now = { candidates, plan: decideInstructions(candidates, 'content') };
  return explainReview(asked as ReviewId, now, { passed, receipt: null });
}

test.each([
  ['not passed', ID, null, false, 'to-do'],
  ['passed', ID, { tracked: false, receipt: null }, true, 'skipped'],
  ['passed with other contents', 'style--a.py--ffffffffffff', null, true, 'changed'],
  ['never seen, but the same rule and files', 'style--a.py--ffffffffffff', null, false, 'changed'],
  ['passed, and no longer asked for', 'style--b.py--ffffffffffff', null, true, 'not-asked-for'],
  ['unknown', 'style--b.py--ffffffffffff', null, false, undefined],
] as const)('%s', (_title, asked, mark, passed, expected) => {
  expect(explained(asked, mark, passed)?.kind).toBe(expected);
});
