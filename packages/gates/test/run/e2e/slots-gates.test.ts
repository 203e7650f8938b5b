import { failing } from '@onceover/testing/gates.ts';
import { asked, edit, given, LATCH_LINE, skipLine, slotLines, slotRepo, slotsIn } from '@onceover/testing/slots.ts';
import { describe, expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');
const reviews = (...lines: string[]) =>
  `  - path: src\n    reviews:\n${lines.map((line) => `      ${line}\n`).join('')}`;

describe('the only reviewer of a gate', () => {
  test('runs after an earlier run of onceover [RUN-SLOTS/single-reviewer/runs] [RUN-SLOTS/rule/not-with-one-review]', async () => {
    const repo = slotRepo(['codex', 'claude'], { numReviews: 1 });
    await repo.run();
    for (const iteration of [2, 3]) {
      edit(repo, iteration + 1);
      const run = await repo.document();
      expect([run.iteration, slotsIn(run)]).toEqual([iteration, ['@1 pass']]);
    }
    expect(asked(repo)).toEqual(['codex', 'codex', 'codex']);
  });

  test('ignores records of removed slots [RUN-SLOTS/rule/not-with-one-review]', async () => {
    const repo = slotRepo(['codex', 'claude'], { numReviews: 1 });
    given(repo, {
      'review_src_code-quality_codex@1.2.json': 'pass',
      'review_src_code-quality_claude@2.2.json': 'fail',
    });
    const run = await repo.document();
    expect([run.code, slotsIn(run), asked(repo)]).toEqual([0, ['@1 pass'], ['codex']]);
  });
});

describe('two gates', () => {
  const security = { '.onceover/reviews/security.md': 'Look for holes.\n' };

  test('with one reviewer each run both [RUN-SLOTS/independent-gates/both-run] [RUN-SLOTS/independent-gates/no-skip]', async () => {
    const repo = slotRepo(['codex', 'claude'], {
      files: security,
      gates: reviews(
        'code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 1 }',
        'security: { prompt: .onceover/reviews/security.md, num_reviews: 1, agents: [claude] }',
      ),
    });
    given(repo, {
      'review_src_code-quality_codex@1.2.json': 'pass',
      'review_src_security_claude@1.2.json': 'fail',
    });
    const run = await repo.document();
    expect([run.code, run.iteration, asked(repo)]).toEqual([0, 3, ['claude', 'codex']]);
    expect([slotsIn(run), slotsIn(run, 'review:src:security')]).toEqual([['@1 pass'], ['@1 pass']]);
    expect(slotLines(run.stderr.split('\n'))).toEqual([]);
  });

  test('with one reviewer each run both although nothing changed [RUN-SLOTS/independent-gates/both-run] [RUN-SLOTS/independent-gates/no-skip] [RUN-SLOTS/rule/invariant]', async () => {
    const repo = slotRepo(['codex', 'claude'], {
      files: security,
      gates: reviews(
        'code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 1 }',
        'security: { prompt: .onceover/reviews/security.md, num_reviews: 1, agents: [claude] }',
      ),
    });
    repo.answers('claude', B_IS_ODD, B_IS_ODD);
    for (const iteration of [1, 2]) {
      repo.forget();
      const run = await repo.document();
      expect([run.code, run.iteration, asked(repo)]).toEqual([1, iteration, ['claude', 'codex']]);
      expect([slotsIn(run), slotsIn(run, 'review:src:security')]).toEqual([['@1 pass'], ['@1 fail']]);
      expect(slotLines(run.stderr.split('\n'))).toEqual([]);
    }
  });

  test('with two reviewers each skip slots independently [RUN-SLOTS/rule/per-gate] [RUN-SLOTS/rule/needs-another-slot]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini', 'house'], {
      files: security,
      gates: reviews(
        'code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 2, agents: [codex, claude] }',
        'security: { prompt: .onceover/reviews/security.md, num_reviews: 2, agents: [gemini, house] }',
      ),
    });
    given(repo, {
      'review_src_code-quality_codex@1.2.json': 'pass',
      'review_src_code-quality_claude@2.2.json': 'fail',
      'review_src_security_gemini@1.2.json': 'pass',
      'review_src_security_house@2.2.json': 'pass',
    });
    const run = await repo.document();
    expect([run.code, asked(repo)]).toEqual([0, ['claude', 'gemini']]);
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 2', '@2 pass']);
    expect(slotsIn(run, 'review:src:security')).toEqual(['@1 pass', '@2 skipped_prior_pass 2']);
    expect(slotLines(repo.log('review_src_code-quality.3.log'))).toEqual([skipLine(1, 2)]);
    expect(slotLines(repo.log('review_src_security.3.log'))).toEqual([LATCH_LINE, skipLine(2, 2)]);
  });
});
