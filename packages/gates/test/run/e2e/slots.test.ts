import { failing } from '@onceover/testing/gates.ts';
import {
  asked,
  edit,
  GATE,
  given,
  handRecord,
  skipLine,
  slotLines,
  slotRepo,
  slotsIn,
  stopAgent,
} from '@onceover/testing/slots.ts';
import { describe, expect, test } from 'vitest';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;');

const ALL_PASSED = {
  'review_src_code-quality_codex@1.2.json': 'pass',
  'review_src_code-quality_claude@2.2.json': 'pass',
  'review_src_code-quality_gemini@3.2.json': 'pass',
};

describe('a slot that passed and one that failed', () => {
  test('the passed slot is skipped and the failed slot runs [RUN-SLOTS/skip-passed-slot/slot-1-skipped] [RUN-SLOTS/skip-passed-slot/slot-2-runs] [RUN-SLOTS/rule/skips-passed-slots]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, {
      'review_src_code-quality_codex@1.2.json': 'pass',
      'review_src_code-quality_claude@2.2.json': 'fail',
    });
    const run = await repo.document();
    expect(asked(repo)).toEqual(['claude']);
    expect(run).toMatchObject({ code: 0, status: 'passed', iteration: 3, dispatches: 1 });
    expect(run.gates).toMatchObject([{ id: GATE, status: 'pass', why: 'passed' }]);
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 2', '@2 pass']);
    expect(repo.records()).toEqual([
      'review_src_code-quality.3.log',
      'review_src_code-quality_claude@2.2.json',
      'review_src_code-quality_claude@2.3.json',
      'review_src_code-quality_claude@2.3.log',
      'review_src_code-quality_codex@1.2.json',
      'review_src_code-quality_codex@1.3.json',
      'review_src_code-quality_codex@1.3.log',
    ]);
  });

  test('the line is on the console, in the gate log and in the slot log [RUN-SLOTS/skip-passed-slot/log-line]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, {
      'review_src_code-quality_codex@1.2.json': 'pass',
      'review_src_code-quality_claude@2.2.json': 'fail',
    });
    const { stderr } = await repo.run();
    const line = 'Skipping @1: previously passed in iteration 2 (num_reviews > 1)';
    expect(slotLines(stderr.split('\n'))).toEqual([`${GATE}: ${line}`]);
    expect(slotLines(repo.log('review_src_code-quality.3.log'))).toEqual([line]);
    expect(slotLines(repo.log('review_src_code-quality_codex@1.3.log'))).toEqual([line]);
    expect(slotLines(repo.log('review_src_code-quality_claude@2.3.log'))).toEqual([]);
  });

  test('the passed slot is skipped with and without another edit [RUN-SLOTS/rule/skips-passed-slots] [RUN-SLOTS/rule/saves-calls]', async () => {
    for (const number of [2, 3]) {
      const repo = slotRepo(['codex', 'claude']);
      repo.answers('claude', B_IS_ODD);
      const first = await repo.document();
      expect(first).toMatchObject({ code: 1, status: 'failed', iteration: 1 });
      expect(slotsIn(first)).toEqual(['@1 pass', '@2 fail']);
      expect(asked(repo)).toEqual(['claude', 'codex']);
      repo.forget();
      edit(repo, number);
      const second = await repo.document();
      expect(slotsIn(second)[0]).toBe('@1 skipped_prior_pass 1');
      expect([second.iteration, second.dispatches, asked(repo)]).toEqual([2, 1, ['claude']]);
      expect(slotLines(second.stderr.split('\n'))).toEqual([`${GATE}: ${skipLine(1, 1)}`]);
    }
  });
});

describe('a slot that passed once beside a slot that keeps failing', () => {
  test('is skipped until the other passes [RUN-SLOTS/consecutive-iterations/slot-1-skipped] [RUN-SLOTS/consecutive-iterations/log] [RUN-SLOTS/consecutive-iterations/slot-2-runs]', async () => {
    const repo = slotRepo(['codex', 'claude'], { more: 'max_retries: 9' });
    repo.answers('claude', ...[2, 3, 4, 5].map((number) => failing('src/a.ts', `export const b = ${number};`)));
    const first = await repo.document();
    expect([first.iteration, slotsIn(first), asked(repo)]).toEqual([1, ['@1 pass', '@2 fail'], ['claude', 'codex']]);
    const line = skipLine(1, 1);
    for (const iteration of [2, 3, 4]) {
      repo.forget();
      edit(repo, iteration + 1);
      const run = await repo.document();
      expect([run.iteration, run.code, asked(repo)]).toEqual([iteration, 1, ['claude']]);
      expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 1', '@2 fail']);
      expect(slotLines(run.stderr.split('\n'))).toEqual([`${GATE}: ${line}`]);
      expect(slotLines(repo.log(`review_src_code-quality.${iteration}.log`))).toEqual([line]);
      expect(slotLines(repo.log(`review_src_code-quality_codex@1.${iteration}.log`))).toEqual([line]);
      const record = repo.record(`review_src_code-quality_codex@1.${iteration}.json`);
      expect(record).toMatchObject({ status: 'skipped_prior_pass', passIteration: 1, adapter: 'codex' });
    }
    repo.forget();
    edit(repo, 6);
    const last = await repo.document();
    expect([last.iteration, last.code, asked(repo)]).toEqual([5, 0, ['claude']]);
    expect(slotsIn(last)).toEqual(['@1 skipped_prior_pass 1', '@2 pass']);
    repo.forget();
    expect(await repo.document()).toMatchObject({ code: 0, iteration: null, dispatches: 0 });
    expect(asked(repo)).toEqual([]);
  });

  test('keeps the iteration of the pass from records of another tool [RUN-SLOTS/consecutive-iterations/log]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, {
      'review_src_code-quality_codex@1.1.json': 'pass',
      'review_src_code-quality_claude@2.1.json': 'fail',
      'review_src_code-quality_codex@1.2.json': handRecord('skipped_prior_pass', { passIteration: 1 }),
      'review_src_code-quality_claude@2.2.json': 'fail',
    });
    const run = await repo.document();
    expect([run.iteration, slotsIn(run)]).toEqual([3, ['@1 skipped_prior_pass 1', '@2 pass']]);
    expect(slotLines(repo.log('review_src_code-quality.3.log'))).toEqual([skipLine(1, 1)]);
  });
});

describe('the log line of a skipped slot', () => {
  test('names slot, iteration of the pass, and reason [RUN-SLOTS/skip-log-format/index] [RUN-SLOTS/skip-log-format/iteration] [RUN-SLOTS/skip-log-format/reason] [RUN-SLOTS/skip-log-format/format]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini']);
    given(repo, {
      'review_src_code-quality_codex@1.12.json': 'fail',
      'review_src_code-quality_claude@2.12.json': 'pass',
      'review_src_code-quality_gemini@3.7.json': 'pass',
    });
    const { stderr } = await repo.run();
    const lines = [
      'Skipping @2: previously passed in iteration 12 (num_reviews > 1)',
      'Skipping @3: previously passed in iteration 7 (num_reviews > 1)',
    ];
    expect(slotLines(stderr.split('\n'))).toEqual(lines.map((line) => `${GATE}: ${line}`));
    expect(slotLines(repo.log('review_src_code-quality.13.log'))).toEqual(lines);
    expect(slotLines(repo.log('review_src_code-quality_claude@2.13.log'))).toEqual([lines[0]]);
    expect(slotLines(repo.log('review_src_code-quality_gemini@3.13.log'))).toEqual([lines[1]]);
  });
});

describe('the record of a skipped slot', () => {
  test('has the status, the iteration of the pass and no violations [RUN-SLOTS/skipped-slot-json/written] [RUN-SLOTS/skipped-slot-json/status] [RUN-SLOTS/skipped-slot-json/violations] [RUN-SLOTS/skipped-slot-json/pass-iteration]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, {
      'review_src_code-quality_codex@1.2.json': 'pass',
      'review_src_code-quality_claude@2.2.json': 'fail',
    });
    await repo.run();
    const record = repo.record('review_src_code-quality_codex@1.3.json');
    expect([record['status'], record['violations'], record['passIteration']]).toEqual(['skipped_prior_pass', [], 2]);
    expect(record).toMatchObject({ adapter: 'codex', rawOutput: '', gate: GATE, slot: 1, iteration: 3 });
    expect(record).toMatchObject({ dispatch: 'none', usage: null, session: null });
    // A slot that looked has no such field.
    expect(repo.record('review_src_code-quality_claude@2.3.json')).not.toHaveProperty('passIteration');
  });
});

describe('a gate with skipped slots', () => {
  const TWO_PASSED = {
    'review_src_code-quality_codex@1.2.json': 'pass',
    'review_src_code-quality_claude@2.2.json': 'pass',
    'review_src_code-quality_gemini@3.2.json': 'fail',
  } as const;

  test('passes with the slot that ran [RUN-SLOTS/gate-status/passes] [RUN-SLOTS/gate-status/skipped-not-failed]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini']);
    given(repo, TWO_PASSED);
    const run = await repo.document();
    expect([run.code, run.status, asked(repo)]).toEqual([0, 'passed', ['gemini']]);
    expect(run.gates).toMatchObject([{ id: GATE, status: 'pass', why: 'passed' }]);
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 2', '@2 skipped_prior_pass 2', '@3 pass']);
    expect(run.findings).toEqual([]);
    // The gate still passes, and there are no calls.
    expect(await repo.document()).toMatchObject({ code: 0, status: 'passed', iteration: null });
    expect(asked(repo)).toEqual(['gemini']);
  });

  test('passes after earlier runs of onceover [RUN-SLOTS/gate-status/passes] [RUN-SLOTS/gate-status/skipped-not-failed]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini']);
    repo.answers('gemini', B_IS_ODD);
    expect(await repo.document()).toMatchObject({ code: 1, gates: [{ status: 'fail' }] });
    edit(repo, 3);
    const run = await repo.document();
    expect(run).toMatchObject({ code: 0, status: 'passed', gates: [{ status: 'pass' }] });
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 1', '@2 skipped_prior_pass 1', '@3 pass']);
  });

  test('fails or has no result like the slot that ran', async () => {
    const failed = slotRepo(['codex', 'claude', 'gemini']);
    given(failed, TWO_PASSED);
    failed.answers('gemini', B_IS_ODD);
    const fail = await failed.document();
    expect(fail).toMatchObject({ code: 1, status: 'failed', gates: [{ status: 'fail', why: 'open-findings' }] });
    expect(slotsIn(fail)).toEqual(['@1 skipped_prior_pass 2', '@2 skipped_prior_pass 2', '@3 fail']);

    const broken = slotRepo(['codex', 'claude', 'gemini']);
    given(broken, TWO_PASSED);
    for (const name of ['codex', 'claude', 'gemini']) broken.answers(name, { $exit: 1 }, { $exit: 1 });
    const error = await broken.document();
    expect(error).toMatchObject({ code: 3, status: 'error', gates: [{ status: 'error', why: 'could-not-judge' }] });
    expect(slotsIn(error)).toEqual(['@1 skipped_prior_pass 2', '@2 skipped_prior_pass 2', '@3 error']);
  });
});

describe('all slots passed', () => {
  test('slot 1 runs, and the others are skipped [RUN-SLOTS/safety-latch/activates] [RUN-SLOTS/safety-latch/runs-slot-1] [RUN-SLOTS/safety-latch/skips-other-slots]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini']);
    given(repo, ALL_PASSED);
    const run = await repo.document();
    expect(asked(repo)).toEqual(['codex']);
    expect(run).toMatchObject({ code: 0, status: 'passed', iteration: 3, gates: [{ id: GATE, status: 'pass' }] });
    expect(slotsIn(run)).toEqual(['@1 pass', '@2 skipped_prior_pass 2', '@3 skipped_prior_pass 2']);
    expect(repo.record('review_src_code-quality_codex@1.3.json')).toMatchObject({ status: 'pass', dispatch: 'fresh' });
    for (const name of ['claude@2', 'gemini@3']) {
      const record = repo.record(`review_src_code-quality_${name}.3.json`);
      expect(record).toMatchObject({ status: 'skipped_prior_pass', violations: [], passIteration: 2 });
    }
  });

  test('the line is on the console, in the gate log and in the slot log [RUN-SLOTS/safety-latch/log-line] [RUN-SLOTS/latch-log-format/index] [RUN-SLOTS/latch-log-format/reason] [RUN-SLOTS/latch-log-format/format]', async () => {
    const repo = slotRepo(['codex', 'claude', 'gemini']);
    given(repo, ALL_PASSED);
    const { stderr } = await repo.run();
    const lines = ['Running @1: safety latch (all slots previously passed)', skipLine(2, 2), skipLine(3, 2)];
    expect(slotLines(stderr.split('\n'))).toEqual(lines.map((line) => `${GATE}: ${line}`));
    expect(slotLines(repo.log('review_src_code-quality.3.log'))).toEqual(lines);
    expect(slotLines(repo.log('review_src_code-quality_codex@1.3.log'))).toEqual([lines[0]]);
    expect(slotLines(repo.log('review_src_code-quality_claude@2.3.log'))).toEqual([lines[1]]);
  });

  test('finds something new: the gate fails, and the finding is reported normally [RUN-SLOTS/latch-finds-issues/gate-fails] [RUN-SLOTS/latch-finds-issues/reported]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    expect(await repo.document()).toMatchObject({ code: 0, iteration: 1 });
    edit(repo, 3);
    repo.answers('codex', failing('src/a.ts', 'export const b = 3;', { fix: 'Say why.', priority: 'low' }));
    const end = await repo.run();
    expect(end.code).toBe(1);
    expect(end.stdout).toContain('something is wrong with export const b = 3;');
    expect(end.stdout).toContain('Fix: Say why.');
    expect(end.stderr).toContain(`${GATE}, reviewer 1 (codex): FAILED, 1 open finding`);
    const record = repo.record('review_src_code-quality_codex@1.2.json');
    expect(record['status']).toBe('fail');
    const reported = { file: 'src/a.ts', line: 2, issue: 'something is wrong with export const b = 3;' };
    expect(record['violations']).toMatchObject([{ ...reported, fix: 'Say why.', priority: 'low', status: 'new' }]);
    repo.forget();

    repo.answers('codex', failing('src/a.ts', 'export const b = 3;'));
    const again = await repo.document();
    expect(again).toMatchObject({ code: 1, status: 'failed', gates: [{ status: 'fail', why: 'open-findings' }] });
    expect(again.findings).toMatchObject([{ id: 'F1', state: 'open', slot: 1, since: 2, gate: GATE, ...reported }]);
    // The slot has not passed any more, so it does not run as a safety latch.
    expect(asked(repo)).toEqual(['codex']);
    expect(slotLines(repo.log('review_src_code-quality.3.log'))).toEqual([skipLine(2, 1)]);
    expect(slotsIn(again)).toEqual(['@1 fail', '@2 skipped_prior_pass 1']);
  });
});

describe('the only reviewer of a gate', () => {
  test('runs although it passed [RUN-SLOTS/single-reviewer/runs] [RUN-SLOTS/single-reviewer/invariant] [RUN-SLOTS/rule/not-with-one-review]', async () => {
    const repo = slotRepo(['codex', 'claude'], { numReviews: 1 });
    given(repo, { 'review_src_code-quality_codex@1.2.json': 'pass' });
    const run = await repo.document();
    expect([run.code, run.iteration, slotsIn(run), asked(repo)]).toEqual([0, 3, ['@1 pass'], ['codex']]);
    expect(slotLines([...run.stderr.split('\n'), ...repo.log('review_src_code-quality.3.log')])).toEqual([]);
    expect(repo.record('review_src_code-quality_codex@1.3.json')).toMatchObject({ status: 'pass' });
  });
});

describe('beside the records of slots', () => {
  test('the slot is skipped regardless of the agent [RUN-SLOTS/adapter-change/slot-1-skipped] [RUN-SLOTS/adapter-change/by-index]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, { 'review_src_codex@1.2.json': 'pass', 'review_src_claude@2.2.json': 'fail' });
    stopAgent(repo, 'codex');
    const run = await repo.document();
    expect([run.code, run.iteration, asked(repo)]).toEqual([0, 3, ['claude']]);
    expect(slotsIn(run)).toEqual(['@1 skipped_prior_pass 2', '@2 pass']);
    expect(slotLines(repo.log('review_src_code-quality.3.log'))).toEqual([skipLine(1, 2)]);
    // The file is named after the one that would look now; in it is the one that passed.
    const record = repo.record('review_src_code-quality_claude@1.3.json');
    expect(record).toMatchObject({ status: 'skipped_prior_pass', adapter: 'codex', passIteration: 2, violations: [] });
    expect(repo.records()).not.toContain('review_src_code-quality_codex@1.3.json');
  });

  test('in the first run all slots run [RUN-SLOTS/rule/rerun-mode-only]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    const run = await repo.document();
    expect([run.iteration, slotsIn(run), asked(repo)]).toEqual([1, ['@1 pass', '@2 pass'], ['claude', 'codex']]);
    expect(slotLines(run.stderr.split('\n'))).toEqual([]);
  });

  test('slot 1 decides the gate on the current change [RUN-SLOTS/safety-latch/gate-status]', async () => {
    const passing = slotRepo(['codex', 'claude', 'gemini']);
    given(passing, ALL_PASSED);
    edit(passing, 77);
    expect(await passing.document()).toMatchObject({ code: 0, gates: [{ status: 'pass' }] });
    expect(passing.calls()[0]?.prompt).toContain('+export const b = 77;');

    const failed = slotRepo(['codex', 'claude', 'gemini']);
    given(failed, ALL_PASSED);
    failed.answers('codex', B_IS_ODD);
    const fail = await failed.document();
    expect(fail).toMatchObject({ code: 1, status: 'failed', gates: [{ status: 'fail', why: 'open-findings' }] });
    expect(slotsIn(fail)).toEqual(['@1 fail', '@2 skipped_prior_pass 2', '@3 skipped_prior_pass 2']);

    const broken = slotRepo(['codex', 'claude', 'gemini']);
    given(broken, ALL_PASSED);
    for (const name of ['codex', 'claude', 'gemini']) broken.answers(name, { $exit: 1 }, { $exit: 1 });
    const error = await broken.document();
    expect(error).toMatchObject({ code: 3, status: 'error', gates: [{ status: 'error', why: 'could-not-judge' }] });
    expect(slotsIn(error)).toEqual(['@1 error', '@2 skipped_prior_pass 2', '@3 skipped_prior_pass 2']);
  });
});
