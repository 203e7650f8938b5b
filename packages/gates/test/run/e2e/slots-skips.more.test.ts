import { failing } from '@onceover/testing/gates.ts';
import { asked, edit, given, slotRepo, slotsIn } from '@onceover/testing/slots.ts';
import { expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');

test('slot 2 is skipped if slot 1 failed [RUN-SLOTS/rule/skips-passed-slots]', async () => {
  const repo = slotRepo(['codex', 'claude', 'gemini']);
  repo.answers('codex', B_IS_ODD);
  repo.answers('gemini', B_IS_ODD);
  await repo.run();
  repo.forget();
  edit(repo, 3);
  const second = await repo.document();
  expect(asked(repo)).toEqual(['codex', 'gemini']);
  expect([second.code, slotsIn(second)]).toEqual([0, ['@1 pass', '@2 skipped_prior_pass 1', '@3 pass']]);
});

test('a slot without a verdict has not passed [RUN-SLOTS/rule/skips-passed-slots]', async () => {
  const repo = slotRepo(['codex', 'claude', 'gemini'], { numReviews: 2 });
  // The agent that takes over from the second has no answer either.
  for (const name of ['claude', 'gemini']) repo.answers(name, { $exit: 1 });
  const first = await repo.document();
  expect([first.code, slotsIn(first)]).toEqual([3, ['@1 pass', '@2 error']]);
  repo.forget();
  const second = await repo.document();
  expect([second.code, slotsIn(second), asked(repo)]).toEqual([0, ['@1 skipped_prior_pass 1', '@2 pass'], ['claude']]);
});

test('a dry run shows the plan without a call', async () => {
  const repo = slotRepo(['codex', 'claude']);
  given(repo, {
    'review_src_code-quality_codex@1.2.json': 'pass',
    'review_src_code-quality_claude@2.2.json': 'fail',
  });
  const before = repo.records();
  const { stdout } = await repo.run(['--dry-run']);
  expect(stdout).toContain('         skip reviewer 1: already passed in run 2\n');
  expect([asked(repo), repo.records()]).toEqual([[], before]);
});

test('a slot beside a slot that keeps failing is skipped since its latest pass', async () => {
  const repo = slotRepo(['codex', 'claude']);
  repo.answers('claude', B_IS_ODD);
  await repo.run();
  await repo.run(['--fresh']);
  repo.answers('claude', failing('src/a.ts', 'export const b = 3;'));
  edit(repo, 3);
  await repo.run(['--fresh']);
  repo.forget();
  const run = await repo.document();
  expect([run.iteration, slotsIn(run)[0], asked(repo)]).toEqual([4, '@1 skipped_prior_pass 3', ['claude']]);
});
