import { onceover } from '@onceover/testing/cli.ts';
import { failing } from '@onceover/testing/gates.ts';
import {
  asked,
  edit,
  GATE,
  given,
  handRecord,
  LATCH_LINE,
  skipLine,
  slotLines,
  slotRepo,
  slotsIn,
  stopAgent,
} from '@onceover/testing/slots.ts';
import { describe, expect, test } from 'vitest';

const ALL_PASSED = {
  'review_src_code-quality_codex@1.2.json': 'pass',
  'review_src_code-quality_claude@2.2.json': 'pass',
  'review_src_code-quality_gemini@3.2.json': 'pass',
};

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');

describe('all slots passed', () => {
  test('and the change grew: status shows that each passed older code', async () => {
    const repo = slotRepo(['codex', 'claude']);
    await repo.run();
    edit(repo, 77);
    const { code, stdout } = await onceover(repo.root, ['status', '--verbose']);
    expect(code).toBe(1);
    for (const who of ['reviewer 1 (codex)', 'reviewer 2 (claude)']) {
      expect(stdout).toContain(`${who}: passed in run 1, but not on the current code`);
    }
  });

  test('slot 1 runs even if another agent fills it [RUN-SLOTS/safety-latch/runs-slot-1]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini']);
    given(repo, ALL_PASSED);
    stopAgent(repo, 'codex');
    const run = await repo.document();
    expect([run.code, asked(repo)]).toEqual([0, ['claude']]);
    expect(slotsIn(run)).toEqual(['@1 pass', '@2 skipped_prior_pass 2', '@3 skipped_prior_pass 2']);
    expect(slotLines(repo.log('review_src_code-quality_claude@1.3.log'))).toEqual([LATCH_LINE]);
  });
});

describe('all slots passed, and a failed check was fixed', () => {
  const gates = `  - path: src
    checks:
      ready: { run: grep -q ready README.md }
    reviews:
      code-quality: { prompt: .onceover/reviews/code-quality.md, num_reviews: 3 }`;

  test('slot 1 runs although nothing else changed [RUN-SLOTS/safety-latch/activates] [RUN-SLOTS/rule/invariant]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini'], { gates });
    const first = await repo.document(['--all']);
    expect(first).toMatchObject({ code: 1, iteration: 1, gates: [{ status: 'fail' }, { id: GATE, status: 'pass' }] });
    expect(asked(repo)).toEqual(['claude', 'codex', 'gemini']);
    repo.forget();
    repo.write('README.md', 'ready\n');
    const second = await repo.document();
    expect(second).toMatchObject({ code: 0, iteration: 2, gates: [{ status: 'pass' }, { id: GATE, status: 'pass' }] });
    expect(asked(repo)).toEqual(['codex']);
    expect(slotsIn(second)).toEqual(['@1 pass', '@2 skipped_prior_pass 1', '@3 skipped_prior_pass 1']);
    expect(slotLines(repo.log('review_src_code-quality.2.log'))).toEqual([LATCH_LINE, skipLine(2, 1), skipLine(3, 1)]);
  });

  test('slot 1 decides the gate [RUN-SLOTS/safety-latch/gate-status]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini'], { gates });
    await repo.run(['--all']);
    repo.answers('codex', B_IS_ODD);
    repo.write('README.md', 'ready\n');
    const second = await repo.document();
    expect(second).toMatchObject({ code: 1, gates: [{ status: 'pass' }, { id: GATE, status: 'fail' }] });
    expect(slotsIn(second)).toEqual(['@1 fail', '@2 skipped_prior_pass 1', '@3 skipped_prior_pass 1']);
  });

  test('a run stopped by the check has no reviews and is not an iteration [RUN-SLOTS/safety-latch/skips-other-slots]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini'], { gates });
    repo.write('README.md', 'ready\n');
    expect(await repo.document()).toMatchObject({ code: 0, iteration: 1 });
    repo.forget();
    repo.write('README.md', 'not yet\n');
    edit(repo, 3);
    const stopped = await repo.document();
    expect(stopped).toMatchObject({
      code: 1,
      iteration: null,
      gates: [{ status: 'fail' }, { id: GATE, status: 'not_run' }],
    });
    expect([asked(repo), repo.records().filter((name) => name.startsWith('review_') && name.includes('.2.'))]).toEqual([
      [],
      [],
    ]);
    repo.write('README.md', 'ready\n');
    const fixed = await repo.document();
    expect([fixed.code, fixed.iteration, asked(repo)]).toEqual([0, 2, ['codex']]);
    expect(slotLines(repo.log('review_src_code-quality.2.log'))).toEqual([LATCH_LINE, skipLine(2, 1), skipLine(3, 1)]);
  });
});

describe('the safety latch slot', () => {
  test('finds something new after records of another tool [RUN-SLOTS/latch-finds-issues/gate-fails] [RUN-SLOTS/latch-finds-issues/reported]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, {
      'review_src_code-quality_codex@1.2.json': 'pass',
      'review_src_code-quality_claude@2.2.json': 'pass',
    });
    repo.answers('codex', B_IS_ODD);
    const run = await repo.document();
    expect(run).toMatchObject({ code: 1, status: 'failed', gates: [{ status: 'fail' }] });
    expect(run.findings).toMatchObject([{ id: 'F1', state: 'open', slot: 1, file: 'src/a.ts', line: 2, since: 3 }]);
  });
});

describe('in every iteration at least one slot runs', () => {
  test('however often all slots passed before [RUN-SLOTS/rule/invariant] [RUN-SLOTS/rule/needs-another-slot]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    await repo.run();
    for (const iteration of [2, 3, 4]) {
      repo.forget();
      edit(repo, iteration + 1);
      const run = await repo.document();
      expect([run.iteration, run.code, asked(repo)]).toEqual([iteration, 0, ['codex']]);
      expect(slotLines(repo.log(`review_src_code-quality.${iteration}.log`))).toEqual([LATCH_LINE, skipLine(2, 1)]);
    }
  });

  test('also if some slots were skipped since they passed [RUN-SLOTS/rule/invariant] [RUN-SLOTS/rule/needs-another-slot]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    repo.answers('claude', B_IS_ODD);
    await repo.run();
    edit(repo, 3);
    expect(slotsIn(await repo.document())).toEqual(['@1 skipped_prior_pass 1', '@2 pass']);
    repo.forget();
    edit(repo, 4);
    const third = await repo.document();
    expect([third.iteration, slotsIn(third), asked(repo)]).toEqual([
      3,
      ['@1 pass', '@2 skipped_prior_pass 2'],
      ['codex'],
    ]);
  });

  test('also if the records say that all were skipped [RUN-SLOTS/rule/invariant] [RUN-SLOTS/rule/needs-another-slot]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    const resting = handRecord('skipped_prior_pass', { passIteration: 1 });
    given(repo, {
      'review_src_code-quality_codex@1.2.json': resting,
      'review_src_code-quality_claude@2.2.json': resting,
    });
    const run = await repo.document();
    expect([run.iteration, run.code, asked(repo)]).toEqual([3, 0, ['codex']]);
    expect(slotsIn(run)).toEqual(['@1 pass', '@2 skipped_prior_pass 1']);
  });

  test('except if all gates pass: then there is no iteration', async () => {
    const repo = slotRepo(['codex', 'claude']);
    await repo.run();
    repo.forget();
    const before = repo.records();
    expect(await repo.document()).toMatchObject({ code: 0, iteration: null, gates: [{ status: 'holds' }] });
    expect([asked(repo), repo.records()]).toEqual([[], before]);
  });
});
