import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CLI } from '@onceover/testing/cli.ts';
import { type Connection, connectNew } from '@onceover/testing/mcp-clients.ts';
import { cleanEnvironment } from '@onceover/testing/repo.ts';
import { begin, endOf, finish, judged, START, stateFile, stepsOf } from '@onceover/testing/workflow/mcp.ts';
import { filesIn, NOTES, OUTPUTS } from '@onceover/testing/workflow/repo.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { WorkflowsDocument } from '../../../src/workflows/json.ts';

describe('bad input', () => {
  test('a step that is already finished, and a completed workflow', async () => {
    const { client } = await judged();
    const session_id = await begin(client);
    await finish(client, 'research');
    const twice = await finish(client, 'research');
    expect(twice).toMatchObject({ isError: true, text: expect.stringContaining('was finished already, at ') });
    expect(twice.text).toContain('Nothing was changed. Continue with an open step: report.');
    await finish(client, 'report');
    expect(endOf(await finish(client, 'summary')).status).toBe('workflow_complete');
    expect((await finish(client, 'summary')).text).toContain(
      'No workflow is in progress here. The last workflows have ended:',
    );
    const end = await finish(client, 'summary', { session_id });
    expect(end.text).toContain('has ended: it was completed at ');
    const abort = await client.call('abort_workflow', { explanation: 'x', session_id });
    expect(abort).toMatchObject({ isError: true, text: expect.stringContaining('has ended: it was completed at ') });
  });

  test('an invalid answer of a reviewer is no verdict, and no attempt', async () => {
    const { repo, client } = await judged();
    const session_id = await begin(client);
    const answers: [unknown, 'no verdict' | 'needs_work'][] = [
      [[], 'no verdict'],
      [null, 'no verdict'],
      ['fine', 'no verdict'],
      [{ passed: 'yes', feedback: 'x' }, 'no verdict'],
      [{ feedback: 'x' }, 'needs_work'],
      [{ passed: true, feedback: 'x', criteria_results: [{ criterion: 'Independent', passed: false }] }, 'needs_work'],
    ];
    for (const [answer, expected] of answers) {
      repo.rules({ where: '**Independent**', answer });
      const end = await finish(client, 'research');
      const status = end.isError ? 'no verdict' : endOf(end).status;
      expect.soft([JSON.stringify(answer), status]).toEqual([JSON.stringify(answer), expected]);
    }
    expect(stepsOf(repo, session_id)[0]).toMatchObject({ attempts: 2, finished: null });
    // The two notes passed with the first call.
    expect(filesIn(repo.asked()).filter((files) => !files.includes('+'))).toEqual([...NOTES]);
  });

  test('a binary output is named, and a large text is included in full', async () => {
    const { repo, client } = await judged();
    await begin(client);
    writeFileSync(join(repo.root, 'picture.bin'), new Uint8Array([0, 1, 255]));
    writeFileSync(join(repo.root, 'large.txt'), 'x'.repeat(2 * 1024 * 1024));
    const end = await client.call('finished_step', { outputs: { notes: ['picture.bin', 'large.txt'] } });
    expect(endOf(end)).toMatchObject({ status: 'next_step', reviews_done: 3 });
    const prompts = repo.asked();
    expect(prompts.join('\n')).toContain('[Binary file - not included in review.');
    expect(prompts.some((prompt) => prompt.length > 2 * 1024 * 1024)).toBe(true);
  });

  test('a damaged session is reported and renamed; nothing else is lost', async () => {
    const { repo, client } = await judged();
    const session_id = await begin(client);
    await finish(client, 'research');
    const text = readFileSync(stateFile(repo, session_id), 'utf8');
    writeFileSync(stateFile(repo, session_id), text.slice(0, 200));
    const workflows = (await client.call('get_workflows')).structured as WorkflowsDocument;
    expect(workflows.warnings.join()).toContain(`session_${session_id}.json is damaged and cannot be read`);
    const answer = await finish(client, 'report');
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('is damaged and cannot be read.') });
    const aside = readdirSync(join(repo.root, '.deepwork/tmp')).find((name) => name.includes('unreadable'));
    expect(aside).toBeDefined();
    expect(answer.text).toContain(`It was renamed to .deepwork/tmp/${aside}.`);
    expect(readFileSync(join(repo.root, '.deepwork/tmp', aside ?? ''), 'utf8')).toBe(text.slice(0, 200));
    expect(await begin(client)).not.toBe(session_id);
  });

  test('a job that changed during the session', async () => {
    const { repo, client } = await judged();
    await begin(client);
    const file = '.deepwork/jobs/research_report/job.yml';
    const job = readFileSync(join(repo.root, file), 'utf8');
    repo.write(file, job.replace('[research, report, summary]', '[research, report]'));
    expect((await finish(client, 'research')).text).toContain('changed after the session');
    repo.write(file, job.replace('id: research', 'id: Research'));
    expect((await finish(client, 'research')).text).toContain(`${file}:10:9: "steps #1: id" must begin with`);
    repo.write(file, job);
    expect(endOf(await finish(client, 'research')).status).toBe('next_step');
  });
});

test('with several sessions, a client uses its own; other clients must name one', async () => {
  const { repo, client } = await judged();
  const first = await begin(client);
  const secondClient = await connectNew(repo.root, ['--reviewer', 'judge']);
  const second = await begin(secondClient);
  expect(endOf(await finish(client, 'research')).session_id).toBe(first);
  expect(endOf(await finish(secondClient, 'research')).session_id).toBe(second);
  const third = await connectNew(repo.root, ['--reviewer', 'judge']);
  const answer = await finish(third, 'report');
  expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('Several workflows are in progress') });
  for (const id of [first, second]) expect(answer.text).toContain(`  ${id} (research_report/full): Tea or coffee?`);
  expect(endOf(await finish(third, 'report', { session_id: first })).session_id).toBe(first);
  const abort = await secondClient.call('abort_workflow', { explanation: 'Twice the same.' });
  expect(abort).toMatchObject({ isError: false, structured: { session_id: second, status: 'aborted' } });
  expect(abort.text).toContain('was aborted at ');
});

test('paths are relative to the root of the repository, wherever the server started', async () => {
  const { repo } = await judged();
  const rule =
    "{ description: Notes., match: { include: ['**/*.md'] }, review: { strategy: individual, instructions: Look. } }";
  repo.write('notes/.deepreview', `facts: ${rule}\n`);
  const client = await connectNew(join(repo.root, 'notes'), ['--reviewer', 'judge']);
  const reviews = await client.call('get_review_instructions', { files: ['notes/one.md'] });
  expect(reviews.structured).toMatchObject({ tasks: [{ files: ['notes/one.md'] }], warnings: [] });
  const matching = await client.call('get_configured_reviews', { only_rules_matching_files: ['notes/new.md'] });
  expect(matching.structured).toMatchObject({ rules: [{ name: 'facts' }] });
  await begin(client);
  expect(endOf(await finish(client, 'research')).status).toBe('next_step');
});

test('two clients finish one step: one succeeds, and the other fails', async () => {
  const { repo, client } = await judged();
  const session_id = await begin(client);
  const secondClient = await connectNew(repo.root, ['--reviewer', 'judge']);
  const ends = await Promise.all([
    finish(client, 'research', { session_id }),
    finish(secondClient, 'research', { session_id }),
  ]);
  expect(ends.map(({ isError }) => isError).toSorted()).toEqual([false, true]);
  expect(ends.find(({ isError }) => isError)?.text).toContain('was finished already');
  expect(stepsOf(repo, session_id)[0]).toMatchObject({ attempts: 1 });
});

describe('a client that does not wait', () => {
  test('repeats its request and joins the same review; a later call gets progress', async () => {
    const { repo } = await judged();
    const env = Object.fromEntries(
      Object.entries(cleanEnvironment(repo.root)).map(([key, value]) => [key, value ?? '']),
    );
    const args = [CLI, 'mcp', '--reviewer', 'judge'];
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: repo.root, env, stderr: 'ignore' }),
    );
    onTestFinished(() => client.close());
    await client.callTool({ name: 'start_workflow', arguments: START });
    repo.rules({ sleep: 1500 });
    const call = { name: 'finished_step', arguments: { outputs: OUTPUTS.research } };
    await expect(client.callTool(call, { timeout: 700 })).rejects.toThrow();
    const messages: string[] = [];
    const onprogress = (progress: { progress: number; total?: number | undefined }) =>
      messages.push(`${progress.progress}/${progress.total}`);
    const end = await client.callTool(call, { onprogress });
    expect(end.structuredContent).toMatchObject({ status: 'next_step', reviews_done: 3 });
    expect(repo.asked()).toHaveLength(3);
    await client.callTool({ name: 'finished_step', arguments: { outputs: OUTPUTS.report } }, { onprogress });
    expect(messages).toEqual(['0/1', '1/1']);
  });

  test.each<[string, (client: Connection) => Promise<unknown>]>([
    ['it disconnects', (client) => client.close()],
    ['its server is killed', async ({ pid }) => process.kill(pid ?? 0, 'SIGTERM')],
  ])('ends its reviewers when %s', async (_, end) => {
    const { repo, client } = await judged();
    await begin(client);
    repo.rules({ sleep: 60_000 });
    const call = finish(client, 'research').catch(() => null);
    while (repo.pids().length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    await end(client);
    await call;
    const isAlive = (pid: number) => existsSync(`/proc/${pid}`);
    for (let n = 0; n < 200 && repo.pids().some(isAlive); n++) await new Promise((resolve) => setTimeout(resolve, 25));
    expect(repo.pids().filter(isAlive)).toEqual([]);
  });
});
