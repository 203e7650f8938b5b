import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { clients, connectNew } from '@onceover/testing/mcp-clients.ts';
import { begin, endOf, finish, judged, START, startOf, stateFile, stepsOf } from '@onceover/testing/workflow/mcp.ts';
import { FAILS, filesIn, NOTES, OUTPUTS, workflowRepo } from '@onceover/testing/workflow/repo.ts';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { WorkflowsDocument } from '../../../src/workflows/json.ts';

describe.each(clients)('%s', (_, connect) => {
  const requirements = ['7', '8', '9', '10', '11a', '11b', '11c', '11d', '11e'].map((id) => `[JOBS-REQ-004.2.${id}]`);

  test(`self-review: instructions for a sub-agent, then a reason, to the end ${requirements.join(' ')}`, async () => {
    const repo = workflowRepo();
    const client = await connect(repo.root, ['--self-review']);
    const workflows = (await client.call('get_workflows')).structured as WorkflowsDocument;
    expect(workflows.jobs.map(({ name }) => name)).toEqual(['research_report']);

    const start = await client.call('start_workflow', START);
    expect(startOf(start)).toMatchObject({ reviewer: null, workflow: 'full', begin_step: { step_id: 'research' } });
    expect(start.text).toContain('# Collect notes');
    const { session_id } = startOf(start);

    const end = await finish(client, 'research', { notes: 'Mind the second.' });
    const file = `.deepwork/tmp/quality_review_${session_id}_research.md`;
    expect(endOf(end)).toMatchObject({
      status: 'needs_work',
      review_instructions_file: file,
      attempts: 0,
      failed_reviews: [],
      begin_step: null,
    });
    for (const message of [
      'Spawn a sub-agent',
      `1. Have the sub-agent read the review file ${file}`,
      '2. Have it evaluate every criterion',
      '3. Fix every issue',
      '4. Repeat this with a new sub-agent until all criteria pass.',
      '5. Then call finished_step again',
      'quality_review_override_reason',
    ]) {
      expect(endOf(end).feedback).toContain(message);
      expect(end.text).toContain(message);
    }
    const instructions = readFileSync(join(repo.root, file), 'utf8');
    for (const part of [
      /^# Quality Review$/m,
      /^-{20} notes\/one\.md -{20}$/m,
      /Tea is cheaper\./,
      /^- \*\*Sourced\*\*: Does the note have a line/m,
      /^- \*\*Independent\*\*/m,
      /^## Author Notes\n\n[^#]*Mind the second\./m,
      /^## Guidelines$/m,
      /^## Task\n\n1\. .*\n2\. .*\n3\. .*\n4\. .*\n5\. /m,
    ]) {
      expect(instructions).toMatch(part);
    }

    const reason = { quality_review_override_reason: 'A sub-agent found that all criteria pass.' };
    const next = endOf(await finish(client, 'research', reason));
    expect(next).toMatchObject({
      status: 'next_step',
      override_reason: 'A sub-agent found that all criteria pass.',
      begin_step: { step_id: 'report', inputs: [{ from_step: 'research', paths: NOTES }] },
    });
    expect(endOf(await finish(client, 'report')).status).toBe('needs_work');
    expect(endOf(await finish(client, 'report', reason)).status).toBe('next_step');
    expect(endOf(await finish(client, 'summary')).status).toBe('needs_work');
    const last = await finish(client, 'summary', reason);
    expect(endOf(last)).toMatchObject({ status: 'workflow_complete', begin_step: null, all_outputs: OUTPUTS });
    expect(last.text).toContain('was completed at');
    expect(stepsOf(repo, session_id).map(({ finished }) => finished)).toMatchObject([
      { override: 'A sub-agent found that all criteria pass.' },
      {},
      {},
    ]);
  });
});

test('an agent reviews; another server continues the session, and unchanged outputs are skipped', async () => {
  const { repo, client } = await judged();
  const session_id = await begin(client);
  repo.rules({ where: 'notes/two.md --------------------', answer: FAILS });
  const end = await finish(client, 'research');
  expect(endOf(end)).toMatchObject({ status: 'needs_work', attempts: 1, reviews_done: 3 });
  expect(end.text).toContain('Not finished: 2 of 3 reviews of research did not pass (attempt 1).');
  await client.close();

  const later = await connectNew(repo.root);
  const { sessions } = (await later.call('get_workflows')).structured as WorkflowsDocument;
  expect(sessions).toMatchObject([{ session_id, reviewer: 'judge', open_steps: [{ step_id: 'research' }] }]);
  repo.rules();
  repo.forget();
  expect(endOf(await finish(later, 'research'))).toMatchObject({ status: 'next_step', reviews_done: 2, attempts: 2 });
  expect(filesIn(repo.asked())).toEqual(['notes/one.md + notes/two.md', 'notes/two.md']);
});

test('rejects bad input before any review, without counting an attempt', async () => {
  const { repo, client } = await judged();
  const session_id = await begin(client);
  mkdirSync(join(repo.root, 'folder'));
  writeFileSync(join(repo.root, '../secret.md'), 'secret');
  symlinkSync('../secret.md', join(repo.root, 'link.md'));
  symlinkSync('.git/config', join(repo.root, 'config.md'));
  const before = readFileSync(stateFile(repo, session_id), 'utf8');
  const outputs = (paths: object) => ({ outputs: paths });
  const notes = (...paths: string[]) => outputs({ notes: paths });
  const wrong: [string, Record<string, unknown>, string][] = [
    [
      'an unknown name',
      outputs({ ...OUTPUTS.research, note: 'report.md' }),
      'has no output "note"; did you mean "notes"?',
    ],
    ['a missing name', outputs({}), 'The step "research" cannot be finished without "notes".'],
    [
      'a missing file',
      notes('notes/three.md'),
      'notes/three.md, given as "notes" of the step "research", does not exist.',
    ],
    ['a folder', notes('folder'), 'is a folder.\nNothing was judged. Name the files in it.'],
    ['a path for a list', outputs({ notes: 'notes/one.md' }), 'is a list of files, and one path was given.'],
    ['an empty list', notes(), 'has no files in it.'],
    [
      'a path outside the root',
      notes('../secret.md'),
      '../secret.md, given as "notes" of the step "research", leads out of the repository.',
    ],
    ['an absolute path', notes('/etc/hostname'), 'leads out of the repository.'],
    ['a symlink to the outside', notes('link.md'), 'leads out of the repository.'],
    ['a symlink into the git folder', notes('config.md'), 'leads out of the repository.'],
    [
      'a reason on the first call',
      { outputs: OUTPUTS.research, quality_review_override_reason: 'Trust me.' },
      'you can override only after a reviewer has rejected the outputs',
    ],
    ['an empty reason', { outputs: OUTPUTS.research, quality_review_override_reason: ' ' }, 'it is empty'],
    [
      'an unknown session',
      { outputs: OUTPUTS.research, session_id: 'nope' },
      `There is no session "nope". In progress:\n  ${session_id} (research_report/full): Tea or coffee?`,
    ],
    ['an invalid session id', { outputs: OUTPUTS.research, session_id: '../../x' }, 'There is no session "../../x"'],
    [
      'an unknown step',
      { outputs: OUTPUTS.research, step_id: 'reserch' },
      'has no step "reserch".\nUse an open step: research.',
    ],
    ['a step that has not started', { outputs: OUTPUTS.report, step_id: 'report' }, 'has not started'],
    ['a number for a path', outputs({ notes: [1] }), 'notes'],
    ['no outputs at all', {}, 'outputs'],
  ];
  for (const [title, input, message] of wrong) {
    const { isError, text } = await client.call('finished_step', input);
    expect.soft([title, isError, text]).toEqual([title, true, expect.stringContaining(message)]);
  }
  expect(repo.asked()).toEqual([]);
  expect(readFileSync(stateFile(repo, session_id), 'utf8')).toBe(before);

  for (const [input, message] of [
    [{ ...START, job_name: 'nope' }, 'There is no job "nope"; known here: research_report.'],
    [{ ...START, workflow_name: 'quick' }, 'has no workflow "quick"'],
    [{ ...START, goal: ' ' }, 'goal'],
  ] as const) {
    const { isError, text } = await client.call('start_workflow', input);
    expect.soft([isError, text]).toEqual([true, expect.stringContaining(message)]);
  }
  const answer = await client.call('abort_workflow', { explanation: '' });
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('explanation') });
});

const JOB = `name: pair
version: "1"
summary: Two steps at the same time, then a third.
steps:
  - { id: left, name: Left, description: Left., instructions_file: do.md, outputs: { left: { type: file, description: x } }, reviews: &r [{ run_each: step, quality_criteria: { Good: Is it? } }] }
  - { id: right, name: Right, description: Right., instructions_file: do.md, outputs: { right: { type: file, description: x } }, reviews: *r }
  - { id: both, name: Both, description: Both., instructions_file: do.md, dependencies: [left, right] }
workflows:
  - { name: pair, summary: All., steps: [[left, right], both] }
`;

test('two clients finish two steps of a group: nothing is lost, and the next step starts once', async () => {
  const { repo, client } = await judged();
  repo.write('.deepwork/jobs/pair/job.yml', JOB);
  repo.write('.deepwork/jobs/pair/do.md', 'Do it.');
  const start = await client.call('start_workflow', { job_name: 'pair', goal: 'Both.' });
  expect(startOf(start)).toMatchObject({ begin_step: { step_id: 'left' }, also_begin: [{ step_id: 'right' }] });
  expect(start.text).toContain('You can do these steps in parallel');
  const { session_id } = startOf(start);
  const judgeClient = await connectNew(repo.root, ['--reviewer', 'judge']);
  const elsewhere = await finish(client, 'research', { session_id });
  expect(elsewhere).toMatchObject({ isError: true, text: expect.stringContaining(`${session_id} (pair)`) });
  const unclear = await client.call('finished_step', { outputs: {} });
  expect(unclear).toMatchObject({ isError: true, text: expect.stringContaining('  left: left\n  right: right') });
  const ends = await Promise.all([
    client.call('finished_step', { outputs: { left: 'report.md' }, session_id }),
    judgeClient.call('finished_step', { outputs: { right: 'summary.md' }, session_id }),
  ]);
  expect(ends.map((end) => endOf(end).status)).toEqual(['next_step', 'next_step']);
  expect(ends.flatMap((end) => endOf(end).begin_step?.step_id ?? [])).toEqual(['both']);
  const last = endOf(await client.call('finished_step', { outputs: {}, session_id }));
  expect(last).toMatchObject({
    status: 'workflow_complete',
    all_outputs: { left: { left: 'report.md' }, right: { right: 'summary.md' }, both: {} },
  });
});

describe('commands in the settings', () => {
  const REFUSED = 'commands that are not approved in this clone';

  test('run for an agent only after a person approved them', async () => {
    const repo = workflowRepo();
    const client = await connectNew(repo.root, ['--reviewer', 'judge']);
    const refusal = await client.call('start_workflow', START);
    expect(refusal).toMatchObject({ isError: true, text: expect.stringContaining(REFUSED) });
    expect(existsSync(join(repo.root, '.deepwork/tmp'))).toBe(false);
    expect((await onceover(repo.root, ['trust'])).code).toBe(0);
    await begin(client);
    const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
    repo.write('onceover.yml', settings.replace('command: [node,', 'command: [nice, node,'));
    expect((await finish(client, 'research')).text).toContain(REFUSED);
    expect(repo.asked()).toEqual([]);
    repo.write('onceover.yml', settings);
    expect(endOf(await finish(client, 'research')).status).toBe('next_step');
  });

  test('need no approval for a self-review', async () => {
    const repo = workflowRepo();
    const client = await connectNew(repo.root, ['--self-review']);
    await begin(client);
    expect(endOf(await finish(client, 'research')).status).toBe('needs_work');
  });
});

test('structured content fits the advertised output schemas', async () => {
  const { repo, client } = await judged();
  repo.rules({
    where: '**Independent**',
    answer: { ...FAILS, criteria_results: [{ criterion: 'Independent', passed: false }] },
  });
  const tools = await client.tools();
  const calls: [string, Record<string, unknown>][] = [
    ['get_workflows', {}],
    ['start_workflow', START],
    ['finished_step', { outputs: OUTPUTS.research }],
    ['finished_step', { outputs: OUTPUTS.research, quality_review_override_reason: 'It is a draft.' }],
    ['get_workflows', {}],
    ['finished_step', { outputs: OUTPUTS.report }],
    ['abort_workflow', { explanation: 'Enough.' }],
  ];
  for (const [name, input] of calls) {
    const schema = z.fromJSONSchema({ ...tools.find((tool) => tool.name === name)?.outputSchema });
    expect(schema.safeParse({ wrong: true }).success, name).toBe(false);
    const { structured, text } = await client.call(name, input);
    expect(schema.safeParse(structured), `${name}: ${text}`).toMatchObject({ success: true, data: structured });
  }
});
