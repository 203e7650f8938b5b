import { failing } from '@onceover/testing/gates.ts';
import {
  asked,
  configure,
  edit,
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

const one = (rest: string) => `review_src_code-quality_codex@1.${rest}`;
const two = (rest: string) => `review_src_code-quality_claude@2.${rest}`;

describe('the record with the highest iteration decides', () => {
  test.each([
    ['a pass after a failure', { [one('2.json')]: 'fail', [one('3.json')]: 'pass', [two('3.json')]: 'fail' }, 4, 3],
    ['ten after nine', { [one('9.json')]: 'fail', [one('10.json')]: 'pass', [two('10.json')]: 'fail' }, 11, 10],
    ['older than those of the other slot', { [one('2.json')]: 'pass', [two('7.json')]: 'fail' }, 8, 2],
    ['older than any record', { [one('2.json')]: 'pass', 'check_src_lint.41.log': 'done' }, 42, 2],
    [
      'a rest that does not say since when',
      {
        [one('1.json')]: 'pass',
        [one('2.json')]: handRecord('skipped_prior_pass'),
        [two('2.json')]: 'fail',
      },
      3,
      1,
    ],
    [
      'a pass after a log without a record',
      { [one('1.log')]: 'cut', [one('2.json')]: 'pass', [two('2.json')]: 'fail' },
      3,
      2,
    ],
    [
      'two passes in one iteration',
      {
        [one('2.json')]: 'pass',
        'review_src_code-quality_claude@1.2.json': 'pass',
        [two('2.json')]: 'fail',
      },
      3,
      2,
    ],
  ])('%s: the slot is skipped [RUN-SLOTS/rule/latest-iteration]', async (_title, records, iteration, passed) => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, records);
    const run = await repo.document();
    expect([run.code, run.iteration, asked(repo)]).toEqual([0, iteration, ['claude']]);
    expect(slotsIn(run)).toEqual([`@1 skipped_prior_pass ${passed}`, '@2 pass']);
    expect(slotLines(repo.log(`review_src_code-quality.${iteration}.log`))).toEqual([skipLine(1, passed)]);
    expect(repo.record(one(`${iteration}.json`))['passIteration']).toBe(passed);
  });

  test.each([
    ['a failure after a pass', { [one('2.json')]: 'pass', [one('3.json')]: 'fail' }],
    ['ten after nine', { [one('9.json')]: 'pass', [one('10.json')]: 'fail' }],
    ['an error after a pass', { [one('2.json')]: 'pass', [one('3.json')]: 'error' }],
    [
      'a failure of another agent after a pass',
      {
        [one('2.json')]: 'pass',
        'review_src_code-quality_claude@1.3.json': 'fail',
      },
    ],
  ])('%s: the slot runs [RUN-SLOTS/rule/latest-iteration]', async (_title, records) => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, { ...records, [two('3.json')]: 'fail' });
    const run = await repo.document();
    expect([asked(repo), slotsIn(run)]).toEqual([
      ['claude', 'codex'],
      ['@1 pass', '@2 pass'],
    ]);
    expect(slotLines(run.stderr.split('\n'))).toEqual([]);
  });

  test('iterations 9, 10 and 11 are ordered as numbers [RUN-SLOTS/rule/latest-iteration]', async () => {
    const repo = slotRepo(['codex', 'claude'], { more: 'max_retries: 9' });
    given(repo, { [one('8.json')]: 'fail', [two('8.json')]: 'fail' });
    repo.answers('codex', B_IS_ODD);
    repo.answers('claude', B_IS_ODD, B_IS_ODD, B_IS_ODD);
    expect((await repo.document()).iteration).toBe(9);
    edit(repo, 3);
    const tenth = await repo.document();
    expect([tenth.iteration, slotsIn(tenth)]).toEqual([10, ['@1 pass', '@2 fail']]);
    repo.forget();
    const eleventh = await repo.document();
    expect([eleventh.iteration, slotsIn(eleventh), asked(repo)]).toEqual([
      11,
      ['@1 skipped_prior_pass 10', '@2 fail'],
      ['claude'],
    ]);
  });
});

describe('not a pass', () => {
  const finding = { file: 'src/a.ts', line: 2, issue: 'b is odd', fix: '', priority: 'low', status: 'new' };

  test.each<[string, Record<string, string | object>]>([
    ['a pass with violations', { [one('3.json')]: handRecord('pass', { violations: [finding] }) }],
    ['a pass with a violation that is none', { [one('3.json')]: handRecord('pass', { violations: [null] }) }],
    ['a pass with something else for violations', { [one('3.json')]: handRecord('pass', { violations: 'none' }) }],
  ])('%s [RUN-SLOTS/rule/pass-has-no-violations]', async (_title, records) => {
    await expectLook(records);
  });

  test.each<[string, Record<string, string | object>]>([
    ['a broken record after a pass', { [one('2.json')]: 'pass', [one('3.json')]: '{"status": "pass", "viol' }],
    ['an empty record after a pass', { [one('2.json')]: 'pass', [one('3.json')]: '' }],
    ['a log without a record after a pass', { [one('2.json')]: 'pass', [one('3.log')]: 'Status: PASS\n' }],
    ['a log alone', { [one('3.log')]: 'Status: PASS\n' }],
    ['another word', { [one('3.json')]: { ...handRecord('pass'), status: 'PASS' } }],
    ['a skip without the iteration of its pass', { [one('3.json')]: handRecord('skipped_prior_pass') }],
    ['a rest since later than itself', { [one('3.json')]: handRecord('skipped_prior_pass', { passIteration: 3 }) }],
    ['a rest since before the first', { [one('3.json')]: handRecord('skipped_prior_pass', { passIteration: 0 }) }],
    ['a rest after a failure', { [one('2.json')]: 'fail', [one('3.json')]: handRecord('skipped_prior_pass') }],
    [
      'a pass and a failure in one iteration',
      {
        [one('3.json')]: 'pass',
        'review_src_code-quality_claude@1.3.json': 'fail',
      },
    ],
    [
      'a pass and a broken record in one iteration',
      {
        [one('3.json')]: 'pass',
        'review_src_code-quality_claude@1.3.json': 'pass?',
      },
    ],
    ['a pass of a gate with a longer name', { 'review_src_code-quality-2_codex@1.3.json': 'pass' }],
  ])('%s', async (_title, records) => {
    await expectLook(records);
  });

  test('a record that git tracks', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, { [one('3.json')]: 'pass', [two('3.json')]: 'fail' });
    repo.git('add', '-f', `.deepwork/logs/${one('3.json')}`);
    const run = await repo.document();
    expect([run.iteration, asked(repo), slotsIn(run)]).toEqual([4, ['claude', 'codex'], ['@1 pass', '@2 pass']]);
  });

  test('a pass with another text of the prompt', async () => {
    const repo = slotRepo(['codex', 'claude']);
    repo.answers('claude', B_IS_ODD);
    await repo.run();
    repo.forget();
    repo.write('.onceover/reviews/code-quality.md', 'Look again.\n');
    edit(repo, 3);
    const run = await repo.document();
    expect([run.code, asked(repo), slotsIn(run)]).toEqual([0, ['claude', 'codex'], ['@1 pass', '@2 pass']]);
  });

  test('a record of our own that was broken since', async () => {
    const repo = slotRepo(['codex', 'claude']);
    repo.answers('claude', B_IS_ODD);
    await repo.run();
    repo.forget();
    const { promptDigest: _left, ...record } = repo.record(one('1.json'));
    repo.writeRecord(one('1.json'), record);
    edit(repo, 3);
    const run = await repo.document();
    expect([run.code, asked(repo), slotsIn(run)]).toEqual([0, ['claude', 'codex'], ['@1 pass', '@2 pass']]);
  });

  /** Slot 2 failed in iteration 3; slot 1 has these records, and looks all the same. */
  async function expectLook(records: Readonly<Record<string, string | object>>): Promise<void> {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, { ...records, [two('3.json')]: 'fail' });
    const run = await repo.document();
    expect([run.code, run.iteration, asked(repo)]).toEqual([0, 4, ['claude', 'codex']]);
    expect(slotsIn(run)).toEqual(['@1 pass', '@2 pass']);
    expect(slotLines([...run.stderr.split('\n'), ...repo.log('review_src_code-quality.4.log')])).toEqual([]);
  }
});

describe('a pass from another tool', () => {
  test('lets onceover skip a slot, but does not count for the current code', async () => {
    const repo = slotRepo(['codex', 'claude'], { numReviews: 1 });
    expect(await repo.document()).toMatchObject({ code: 0, iteration: 1 });
    repo.forget();
    configure(repo, 'num_reviews: 1', 'num_reviews: 2');
    given(repo, { [two('1.json')]: 'pass' });
    const run = await repo.document();
    expect([run.code, run.iteration, asked(repo)]).toEqual([0, 2, ['codex']]);
    expect(slotsIn(run)).toEqual(['@1 pass', '@2 skipped_prior_pass 1']);
  });
});

describe('another agent in the slot', () => {
  test('the slot stays skipped when the first agent is back [RUN-SLOTS/adapter-change/slot-1-skipped]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    repo.answers('claude', B_IS_ODD, B_IS_ODD);
    await repo.run();
    repo.forget();
    const start = stopAgent(repo, 'codex');
    const second = await repo.document();
    expect([second.code, slotsIn(second)]).toEqual([1, ['@1 skipped_prior_pass 1', '@2 fail']]);
    start();
    edit(repo, 3);
    const third = await repo.document();
    expect([third.code, slotsIn(third)]).toEqual([0, ['@1 skipped_prior_pass 1', '@2 pass']]);
    expect(asked(repo)).toEqual(['claude', 'claude']);
    expect(repo.record(one('3.json'))).toMatchObject({ adapter: 'codex', passIteration: 1 });
  });

  test('agents that swap slots do not take their passes along [RUN-SLOTS/adapter-change/by-index]', async () => {
    const repo = slotRepo(['codex', 'claude']);
    repo.answers('claude', B_IS_ODD);
    await repo.run();
    repo.forget();
    configure(repo, 'agents: [codex, claude]', 'agents: [claude, codex]');
    edit(repo, 3);
    const run = await repo.document();
    expect([run.code, asked(repo), slotsIn(run)]).toEqual([0, ['codex'], ['@1 skipped_prior_pass 1', '@2 pass']]);
    expect(repo.record('review_src_code-quality_claude@1.2.json')).toMatchObject({ adapter: 'codex' });
    expect(repo.record('review_src_code-quality_codex@2.2.json')).toMatchObject({ adapter: 'codex', status: 'pass' });
  });

  test('one agent in both slots is two reviewers [RUN-SLOTS/adapter-change/by-index]', async () => {
    const repo = slotRepo(['codex'], { numReviews: 2 });
    given(repo, { [one('2.json')]: 'pass', 'review_src_code-quality_codex@2.2.json': 'fail' });
    const run = await repo.document();
    expect([asked(repo), slotsIn(run)]).toEqual([['codex'], ['@1 skipped_prior_pass 2', '@2 pass']]);
  });

  test('without an agent, passed slots are skipped and others are errors', async () => {
    const repo = slotRepo(['codex', 'claude']);
    given(repo, { [one('2.json')]: 'pass', [two('2.json')]: 'fail' });
    for (const name of ['codex', 'claude']) stopAgent(repo, name);
    const run = await repo.document();
    expect([run.code, run.status, slotsIn(run)]).toEqual([3, 'error', ['@1 skipped_prior_pass 2', '@2 error']]);
    expect([asked(repo), run.gates[0]?.status]).toEqual([[], 'error']);
  });
});
