import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CostDocument } from '@onceover/gates/cost/json-schema';
import { CLI, onceover } from '@onceover/testing/cli.ts';
import { cleanEnvironment, temporaryFolder } from '@onceover/testing/repo.ts';
import {
  FAILS,
  filesIn,
  OUTPUTS,
  outputOptions,
  type StepEndDocument,
  type WorkflowRepo,
  type WorkflowStartDocument,
  workflowRepo,
} from '@onceover/testing/workflow/repo.ts';
import { describe, expect, test } from 'vitest';
import type { WorkflowAbortDocument, WorkflowStatusDocument, WorkflowsDocument } from '../../../src/workflows/json.ts';
import {
  stepEndSchema,
  workflowAbortSchema,
  workflowStartSchema,
  workflowStatusSchema,
  workflowsSchema,
} from '../../../src/workflows/json-schema.ts';

const START = ['start', 'research_report', '--goal', 'Tea or coffee?'];

const finish = (repo: WorkflowRepo, step: keyof typeof OUTPUTS, ...args: readonly string[]) =>
  repo.document<StepEndDocument>(['finish', ...outputOptions(OUTPUTS[step]), ...args]);

test('plays the example to its end', () => {
  const env = { ...cleanEnvironment(temporaryFolder()), ONCEOVER_TEST_CLI: CLI };
  const play = resolve(import.meta.dirname, '../../../../../examples/workflow/play.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [play], { encoding: 'utf8', env });
  expect([status, stderr]).toEqual([0, '']);
  for (const text of [
    'Not finished: 2 of 3 reviews of research did not pass (attempt 1).',
    'FAIL Sourced',
    'Skipped, already passed with the same files and criteria: notes/one.md (notes).',
    'Finished: report. 1 review passed.',
    'was completed at',
    'research  finished  notes: notes/one.md, notes/two.md',
  ]) {
    expect(stdout).toContain(text);
  }
});

test('finishes a step with a warning if its cost cannot be recorded', async () => {
  const repo = workflowRepo();
  await repo.document<WorkflowStartDocument>([...START, '--reviewer', 'judge']);
  mkdirSync(join(repo.root, '.git/onceover'), { recursive: true });
  writeFileSync(join(repo.root, '.git/onceover/ledger'), '');
  const end = await finish(repo, 'research');
  expect(stepEndSchema.safeParse(end).success).toBe(true);
  expect(end).toMatchObject({
    code: 0,
    status: 'next_step',
    reviews_done: 3,
    warnings: [expect.stringMatching(/^the cost of reviewing this step is not in the ledger: /)],
  });
});

test('an agent reviews: needs work, fixed, next step, complete; unchanged outputs are skipped', async () => {
  const repo = workflowRepo();
  const start = await repo.document<WorkflowStartDocument>([...START, '--reviewer', 'judge']);
  expect(workflowStartSchema.safeParse(start).success).toBe(true);
  expect(start).toMatchObject({
    code: 0,
    reviewer: 'judge',
    begin_step: { step_id: 'research', inputs: [{ name: 'question', from_step: null }] },
    also_begin: [],
    warnings: [],
  });

  repo.rules({ where: 'notes/two.md --------------------', answer: FAILS });
  const end = await finish(repo, 'research', '--notes', 'Mind the second.');
  expect(stepEndSchema.safeParse(end).success).toBe(true);
  expect(end).toMatchObject({
    code: 1,
    status: 'needs_work',
    attempts: 1,
    reviews_done: 3,
    begin_step: null,
    failed_reviews: [
      { review_run_each: 'notes', target_file: 'notes/two.md', passed: false, feedback: 'Not yet.' },
      { review_run_each: 'step', target_file: null },
    ],
  });
  expect(filesIn(repo.asked())).toEqual(['notes/one.md', 'notes/one.md + notes/two.md', 'notes/two.md']);
  for (const prompt of repo.asked()) expect(prompt).toContain('Mind the second.');

  repo.rules();
  repo.forget();
  repo.write('notes/two.md', 'Source: https://example.com/two\n\nCoffee is liked.\n');
  const next = await finish(repo, 'research');
  expect(next).toMatchObject({
    code: 0,
    status: 'next_step',
    attempts: 2,
    reviews_done: 2,
    not_judged_again: [{ review_run_each: 'notes', target_file: 'notes/one.md' }],
    begin_step: {
      step_id: 'report',
      inputs: [{ name: 'notes', from_step: 'research', paths: OUTPUTS.research.notes }],
    },
    open_steps: ['report'],
  });
  expect(filesIn(repo.asked())).toEqual(['notes/one.md + notes/two.md', 'notes/two.md']);

  expect(await finish(repo, 'report')).toMatchObject({ status: 'next_step', begin_step: { step_id: 'summary' } });
  const last = await finish(repo, 'summary');
  expect(last).toMatchObject({ code: 0, status: 'workflow_complete', begin_step: null, all_outputs: OUTPUTS });
  expect(last.summary).toContain('was completed at');
  const cost = JSON.parse((await onceover(repo.root, ['cost', '--json'])).stdout) as CostDocument;
  expect(cost.workflows.map(({ step, paid }) => [step, paid.looks]).toSorted()).toEqual([
    ['report', 1],
    ['research', 5],
    ['summary', 1],
  ]);
  expect(cost.paid.dispatches).toBe(7);
});

test('limits the reviews of a step by the budget; the rest has no verdict', async () => {
  const repo = workflowRepo();
  appendFileSync(join(repo.root, 'onceover.yml'), 'budget: { dispatches: 2 }\n');
  await repo.document([...START, '--reviewer', 'judge']);
  expect(await finish(repo, 'research')).toMatchObject({
    code: 3,
    error: { message: expect.stringContaining('budget (dispatches)') },
  });
  expect(repo.asked()).toHaveLength(2);
  expect(await finish(repo, 'research')).toMatchObject({ code: 0, status: 'next_step', reviews_done: 1 });
});

test('lists workflows, shows the status and aborts a session', async () => {
  const repo = workflowRepo();
  repo.write('.deepwork/jobs/broken/job.yml', 'name: broken\n');
  const before = await repo.document<WorkflowsDocument>(['list']);
  expect(workflowsSchema.safeParse(before).success).toBe(true);
  expect(before).toMatchObject({
    code: 0,
    jobs: [{ name: 'research_report', workflows: [{ name: 'full', steps: [['research'], ['report'], ['summary']] }] }],
    sessions: [],
  });
  expect(before.warnings.join('\n')).toContain('.deepwork/jobs/broken/job.yml:1:1: "version" is missing');
  const status = await repo.workflow(['status']);
  expect([status.code, status.stdout]).toEqual([
    0,
    'No workflow is open. Run "onceover workflow list" to see what you can start.\n',
  ]);

  const { session_id } = await repo.document<WorkflowStartDocument>([...START, '--self-review']);
  expect((await repo.document<WorkflowsDocument>(['list'])).sessions).toMatchObject([
    { session_id, goal: 'Tea or coffee?', reviewer: null, open_steps: [{ step_id: 'research' }] },
  ]);
  const text = (await repo.workflow(['status'])).stdout;
  expect(text).toContain(`Session ${session_id} (research_report/full) has been active since `);
  expect(text).toMatch(
    /^ {2}research {2}open {6}instructions: .*research\.md\n {2}report {4}waiting\n {2}summary {3}waiting$/m,
  );
  expect(text).toContain(
    `When research is done: onceover workflow finish --session ${session_id} --step research --output notes=PATH`,
  );

  const document = await repo.document<WorkflowAbortDocument>(['abort', 'No time.']);
  expect(workflowAbortSchema.safeParse(document).success).toBe(true);
  expect(document).toMatchObject({
    code: 0,
    status: 'aborted',
    explanation: 'No time.',
    steps: [{ status: 'open' }, {}, {}],
  });
  const after = await repo.document<WorkflowStatusDocument>(['status', '--session', session_id]);
  expect(workflowStatusSchema.safeParse(after).success).toBe(true);
  expect(after.sessions).toMatchObject([{ session_id, status: 'aborted', open_steps: [] }]);
});

describe('a wrong command', () => {
  type Wrong = readonly [args: readonly string[], code: number, said: string];
  const WRONG: readonly Wrong[] = [
    [['start', '--goal', 'x'], 2, 'Name a job'],
    [['start', 'research_report'], 2, '--goal is missing. Describe what you want to achieve'],
    [
      ['start', 'reserch_report', '--goal', 'x'],
      2,
      'There is no job "reserch_report"; did you mean "research_report"?',
    ],
    [
      ['start', 'research_report', 'quick', '--goal', 'x'],
      2,
      'has no workflow "quick".\nUse one of these workflows: full.',
    ],
    [[...START, '--reviewer', 'ghost'], 2, '"ghost" is not a known agent.'],
    [[...START, '--reviewer', 'judge', '--self-review'], 2, 'Use either --reviewer or --self-review.'],
    [['finish'], 2, 'No workflow was started here.'],
    [['finish', '--output', 'notes.md'], 2, '--output notes.md must have the form name=path'],
    [['status', '--session', 'nope'], 2, 'There is no session "nope"'],
    [['abort', 'x', '--session', '../x'], 2, 'There is no session "../x"'],
    [['abort', ' '], 2, 'Give a reason for ending the workflow.'],
    [['begin'], 2, 'Unknown command "begin"'],
  ];

  test('fails with a message and changes nothing', async () => {
    const repo = workflowRepo();
    await Promise.all(
      WRONG.map(async ([args, code, message]) => {
        const end = await repo.workflow(args);
        expect.soft([end.code, end.stdout, end.stderr]).toEqual([code, '', expect.stringContaining(message)]);
      }),
    );
    expect(existsSync(join(repo.root, '.deepwork/tmp'))).toBe(false);
  });

  test('fails inside a run', async () => {
    const repo = workflowRepo();
    const env = { ONCEOVER_ACTIVE: '1' };
    for (const args of [[...START, '--self-review'], ['finish'], ['abort', 'x']]) {
      const end = await repo.workflow(args, { env });
      expect.soft([end.code, end.stderr]).toEqual([3, expect.stringContaining('ONCEOVER_ACTIVE is set')]);
    }
  });

  test('fails outside of a repository', async () => {
    const end = await onceover(temporaryFolder(), ['workflow', 'list']);
    expect([end.code, end.stderr]).toEqual([3, expect.stringContaining('is not in a git repository')]);
  });
});
