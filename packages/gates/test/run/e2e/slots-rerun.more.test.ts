import { failing } from '@onceover/testing/gates.ts';
import { asked, configure, edit, given, slotLines, slotRepo, slotsIn } from '@onceover/testing/slots.ts';
import { describe, expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');

describe('a slot without a record', () => {
  test('runs, and a slot that passed is skipped [RUN-SLOTS/no-prior-result/slot-2-runs] [RUN-SLOTS/no-prior-result/slot-1-skipped] [RUN-SLOTS/rule/no-prior-result]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, { 'review_src_code-quality_codex@1.2.json': 'pass' });
    const run = await repo.document();
    expect([run.iteration, run.code, asked(repo)]).toEqual([3, 0, ['claude']]);
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 2', '@2 pass']);
  });

  test('runs after num_reviews was raised [RUN-SLOTS/no-prior-result/slot-2-runs] [RUN-SLOTS/rule/no-prior-result]', async () => {
    const repo = slotRepo(['codex', 'claude'], { numReviews: 1 });
    expect(await repo.document()).toMatchObject({ code: 0, iteration: 1 });
    expect(asked(repo)).toEqual(['codex']);
    repo.forget();
    configure(repo, 'num_reviews: 1', 'num_reviews: 2');
    const run = await repo.document();
    expect([run.iteration, run.code, asked(repo)]).toEqual([2, 0, ['claude']]);
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 1', '@2 pass']);
  });
});

describe('outside of a rerun no slot is skipped', () => {
  test.each([
    ['on another branch', ['checkout', '-q', '-b', 'other'], []],
    ['when all are asked for', [], ['--fresh']],
    ['in a run about some files, which starts from nothing', [], ['--files', 'src/a.ts']],
    ['in a run about what is not committed', [], ['--uncommitted']],
  ])('%s all slots run [RUN-SLOTS/rule/rerun-mode-only]', async (_title, git, args) => {
    const repo = slotRepo(['codex', 'claude']);
    repo.answers('claude', B_IS_ODD);
    await repo.run();
    repo.forget();
    edit(repo, 3);
    if (git.length > 0) repo.git(...git);
    const run = await repo.document(args);
    expect(asked(repo)).toEqual(['claude', 'codex']);
    expect([run.iteration, slotsIn(run)]).toEqual([2, ['@1 pass', '@2 pass']]);
    expect(slotLines(run.stderr.split('\n'))).toEqual([]);
  });

  test('records of another tool do not count in a run about files [RUN-SLOTS/rule/rerun-mode-only]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, {
      'review_src_code-quality_codex@1.2.json': 'pass',
      'review_src_code-quality_claude@2.2.json': 'fail',
    });
    const run = await repo.document(['--files', 'src/a.ts']);
    expect([run.iteration, slotsIn(run), asked(repo)]).toEqual([3, ['@1 pass', '@2 pass'], ['claude', 'codex']]);
  });
});
