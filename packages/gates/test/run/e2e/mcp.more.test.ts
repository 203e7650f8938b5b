import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { ANN, failing, type GateRepo, gateRepo, waive } from '@onceover/testing/gates.ts';
import { connectMcp, type McpConnection, type ToolAnswer } from '@onceover/testing/mcp.ts';
import { callOf, INITIALIZE, openWire } from '@onceover/testing/mcp-wire.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { configure, edit, GATE } from '@onceover/testing/slots.ts';
import { describe, expect, test } from 'vitest';
import type { StartedRunDocument } from '../../../src/result/describe/background.ts';

const B_IS_ODD = failing('src/a.ts', 'export const b = 2;', { fix: 'Make it even.' });

/** A repository with approved commands. */
async function trustedRepo(): Promise<GateRepo> {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  expect((await onceover(repo.root, ['trust'])).code).toBe(0);
  return repo;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The files of the runs that are going on. */
function lockFiles(root: string): readonly string[] {
  const locks = join(root, '.git/onceover/locks');
  return readdirSync(locks, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

const documentOf = (answer: ToolAnswer) => answer.structured as StartedRunDocument;

/** Starts a run and waits for its end. */
async function runToEnd(client: McpConnection, input: Record<string, unknown> = {}): Promise<ToolAnswer> {
  const started = await client.call('start_run', input);
  expect(started.isError, started.text).toBe(false);
  return client.call('get_run', { run_id: documentOf(started).run_id });
}

test('start, findings, fix, start again: passed', async () => {
  const repo = await trustedRepo();
  repo.answers('one', B_IS_ODD);
  const client = await connectMcp(repo.root);
  const started = await client.call('start_run');
  const { run_id } = documentOf(started);
  expect(started).toMatchObject({ isError: false, structured: { state: 'running', run: null, error: null } });
  expect(started.text).toMatch(`Run ${run_id} is in progress.\n\nCall get_run until its state is no longer "running".`);
  expect(documentOf(started).next).toMatch(/^Call get_run/);

  const failed = await client.call('get_run', { run_id });
  expect(documentOf(failed)).toMatchObject({
    run_id,
    state: 'done',
    error: null,
    run: { status: 'failed', exit_code: 1, iteration: 1, findings: [{ id: 'F1', state: 'open', line: 2 }] },
  });
  expect(failed.text).toContain('Result: failed (exit code 1)');
  expect(failed.text).toContain(`fail: ${GATE} (it has open findings)`);
  expect(failed.text).toMatch(/id: F1\npriority: high\nplace: src\/a\.ts:2\ncode: .+\nissue: .+\nfix: Make it even\./);
  expect(documentOf(failed).next).toMatch(/^Fix the open finding, then call start_run again\./);
  expect(failed.text).toContain(documentOf(failed).next);

  edit(repo, 3);
  const passed = await runToEnd(client);
  expect(documentOf(passed).run).toMatchObject({ status: 'passed', exit_code: 0, iteration: 2 });
  expect(passed.text).toContain('All gates pass: nothing is left to do.');
  const held = await runToEnd(client, { paths: ['src'], gate: 'code-quality' });
  expect(documentOf(held).run).toMatchObject({ status: 'passed', iteration: null, dispatches: 0 });
  expect(repo.calls()).toHaveLength(2);
});

describe('get_run', () => {
  test('without an id: none yet, then the newest', async () => {
    const repo = await trustedRepo();
    const client = await connectMcp(repo.root);
    const none = await client.call('get_run');
    expect(none).toMatchObject({ isError: true, text: 'No run was started here.\nStart a run with start_run.' });
    await runToEnd(client);
    edit(repo, 3);
    const second = documentOf(await client.call('start_run'));
    expect(documentOf(await client.call('get_run')).run_id).toBe(second.run_id);
    expect(documentOf(await client.call('get_run', { run_id: null })).run).toMatchObject({ iteration: 2 });
  });

  test('without an id: a run of another working tree is none of its own', async () => {
    const repo = await trustedRepo();
    const other = join(repo.root, '../other');
    repo.git('worktree', 'add', '--quiet', other);
    const [here, there] = [await connectMcp(repo.root), await connectMcp(other)];
    const { run_id } = documentOf(await there.call('start_run'));
    expect(await here.call('get_run')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^No run was started/),
    });
    expect(documentOf(await here.call('get_run', { run_id })).state).toBe('done');
    expect(documentOf(await there.call('get_run')).run_id).toBe(run_id);
  });

  test('an unknown id is rejected with a sentence', async () => {
    const client = await connectMcp((await trustedRepo()).root);
    for (const run_id of ['run-000000000-000000', 'nope', '', '../../trusted', 'run-1-../x']) {
      const { isError, text } = await client.call('get_run', { run_id });
      expect.soft([isError, text]).toEqual([true, `There is no run "${run_id}".\nStart a run with start_run.`]);
    }
    for (const wait_seconds of [-1, 601, 'long']) {
      expect.soft((await client.call('get_run', { wait_seconds })).isError).toBe(true);
    }
  });

  test('does not wait with wait_seconds 0, and shows the progress', async () => {
    const repo = await trustedRepo();
    repo.answers('one', { $sleep: 1500, status: 'pass', violations: [] });
    const client = await connectMcp(repo.root);
    const { run_id } = documentOf(await client.call('start_run'));
    let now = await client.call('get_run', { run_id, wait_seconds: 0 });
    for (; documentOf(now).state === 'running'; now = await client.call('get_run', { run_id, wait_seconds: 0.1 })) {
      expect(now.text).toContain(`Run ${run_id} is in progress.`);
      if (now.text.includes('(one): started')) break;
    }
    expect(documentOf(now).progress.at(-1)).toBe(`${GATE}, reviewer 1 (one): started (new session)`);
    const heard: string[] = [];
    expect(documentOf(await client.call('get_run', { run_id }, heard)).run).toMatchObject({ status: 'passed' });
    expect(heard).toEqual([
      `${GATE}, reviewer 1 (one): started (new session)`,
      expect.stringContaining('reviewer 1 (one): passed'),
    ]);
  });

  test('waits no longer than its client; the run goes on', async () => {
    const repo = await trustedRepo();
    repo.answers('one', { $sleep: 20_000 });
    const wire = openWire(repo);
    wire.send(INITIALIZE);
    await wire.answerTo(1);
    wire.send(callOf(2, 'start_run'));
    await wire.answerTo(2);
    wire.send(callOf(3, 'get_run'));
    while (repo.calls().length === 0 || !wire.lines.some((line) => line.includes('"progressToken":3'))) await pause(20);
    wire.child.stdin.end();
    expect(await wire.ended).toBe(0);
    const [lock] = lockFiles(repo.root);
    expect(lock).toBeDefined();
    const { pid } = JSON.parse(readFileSync(lock ?? '', 'utf8')) as { readonly pid: number };
    process.kill(pid, 'SIGTERM');
    while (lockFiles(repo.root).length > 0 || isAlive(pid)) await pause(20);
  });

  test('a run with an error has the reason and the next step', async () => {
    const client = await connectMcp((await trustedRepo()).root);
    const ended = await runToEnd(client, { gate: 'nope' });
    expect(documentOf(ended)).toMatchObject({ state: 'done', run: null, error: { kind: 'unknown-gate' } });
    expect(ended.text).toContain('No gate is called "nope".\n\nUse one of these gates: code-quality.');
    const outside = documentOf(await runToEnd(client, { paths: ['../x'] }));
    expect(outside.error).toMatchObject({ kind: 'path-outside' });
  });

  test('a killed run ends without a result', async () => {
    const repo = await trustedRepo();
    repo.answers('one', { $sleep: 2000 });
    const client = await connectMcp(repo.root);
    const { run_id } = documentOf(await client.call('start_run'));
    while (repo.calls().length === 0) await client.call('get_run', { run_id, wait_seconds: 0.1 });
    const facts = readFileSync(join(repo.root, `.git/onceover/runs/${run_id}.json`), 'utf8');
    process.kill((JSON.parse(facts) as { pid: number }).pid, 'SIGKILL');
    const ended = await client.call('get_run', { run_id });
    expect(documentOf(ended)).toMatchObject({ state: 'died', run: null, error: null });
    expect(ended.text).toMatch(/^The run ended without a result\.\n/);
    expect(ended.text).toMatch(/\nCall start_run to run the gates again\.$/);
    expect(documentOf(await runToEnd(client)).run).toMatchObject({ status: 'passed' });
  });
});

test('the run outlives the client that started it', async () => {
  const repo = await trustedRepo();
  repo.answers('one', { ...B_IS_ODD, $sleep: 1000 });
  const first = await connectMcp(repo.root);
  const { run_id } = documentOf(await first.call('start_run'));
  await first.close();
  const second = await connectMcp(repo.root);
  const ended = documentOf(await second.call('get_run', { run_id }));
  expect(ended).toMatchObject({ run_id, state: 'done', run: { status: 'failed', findings: [{ id: 'F1' }] } });
  expect(documentOf(await second.call('get_run')).run_id).toBe(run_id);
});

test('a second run names the first', async () => {
  const repo = await trustedRepo();
  repo.answers('one', { $sleep: 2500, status: 'pass', violations: [] });
  const client = await connectMcp(repo.root);
  const first = documentOf(await client.call('start_run')).run_id;
  while (repo.calls().length === 0) await client.call('get_run', { run_id: first, wait_seconds: 0.1 });
  const second = await runToEnd(client);
  expect(second.text).toContain('Another run is in progress in this working tree');
  expect(documentOf(second).run_id).not.toBe(first);
  expect(documentOf(await client.call('get_run', { run_id: first })).run).toMatchObject({ status: 'passed' });
});

describe('trust', () => {
  const REFUSED = 'This configuration runs commands that are not approved in this clone: ';

  async function expectRefused(client: McpConnection, repo: GateRepo, command: string): Promise<void> {
    const started = repo.calls().length;
    const refused = await client.call('start_run');
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(REFUSED) });
    expect(refused.text).toContain(command);
    expect(refused.text).toContain('Read onceover.yml, then approve the commands with "onceover trust"');
    expect(repo.calls()).toHaveLength(started);
  }

  test('refuses, runs after approval, and refuses again after a change', async () => {
    const gates = '  - path: src\n    checks: { lint: { run: "echo as agreed" } }';
    const repo = gateRepo({ agents: ['one'], gates });
    const client = await connectMcp(repo.root);
    await expectRefused(client, repo, 'echo as agreed');
    expect((await client.call('get_run')).isError).toBe(true);
    expect((await onceover(repo.root, ['trust'])).stdout).toContain('echo as agreed');
    expect(documentOf(await runToEnd(client)).run).toMatchObject({ status: 'passed' });
    configure(repo, 'echo as agreed', 'touch ../pwned');
    await expectRefused(client, repo, 'touch ../pwned');
    configure(repo, 'touch ../pwned', 'echo as agreed');
    expect(documentOf(await runToEnd(client)).run).toMatchObject({ status: 'passed' });
    configure(repo, 'one: { command: [node,', 'one: { env: { A: b }, command: [node,');
    await expectRefused(client, repo, 'agent.mjs');
    expect(existsSync(join(repo.root, '../pwned'))).toBe(false);
  });

  test('a run by a person approves the commands; status does not', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const client = await connectMcp(repo.root);
    await onceover(repo.root, ['status']);
    await repo.run(['--dry-run']);
    await expectRefused(client, repo, 'agent.mjs');
    expect((await repo.run()).code).toBe(0);
    expect(documentOf(await runToEnd(client)).run).toMatchObject({ status: 'passed', dispatches: 0 });
  });

  test('the run refuses a configuration that changed after the start', async () => {
    const repo = gateRepo({ agents: ['one'], numReviews: 1 });
    const end = await repo.run(['--started-by-agent', '--json']);
    expect([end.code, JSON.parse(end.stdout)]).toMatchObject([3, { error: { kind: 'not-trusted' } }]);
    expect(repo.calls()).toEqual([]);
  });
});

describe('resolve_finding', () => {
  test('skip proposes a waiver that only a person can confirm, fixed waits for a reviewer', async () => {
    const repo = await trustedRepo();
    repo.answers('one', { status: 'fail', violations: [...(B_IS_ODD.violations ?? []), { ...odd(1) }] });
    const client = await connectMcp(repo.root);
    await runToEnd(client);
    const proposed = await client.call('resolve_finding', { id: 'F1', how: 'skip', why: 'it is even' });
    const answer = {
      id: 'F1',
      state: 'open',
      why: 'it is even',
      answer: 'proposed',
      by: { kind: 'agent', name: 'test' },
    };
    expect(proposed).toMatchObject({ isError: false, structured: answer });
    expect(proposed.text).toContain('A person has to confirm the waiver in a terminal');
    const claimed = await client.call('resolve_finding', { id: 'f2', how: 'fixed', why: 'renamed' });
    expect(claimed).toMatchObject({ isError: false, structured: { id: 'F2', state: 'fixed_claimed', why: 'renamed' } });
    expect(claimed.text).toContain('It stays open until reviewer 1 of review:src:code-quality confirms the fix');
    const run = await runToEnd(client);
    const states = documentOf(run).run?.findings.map(({ id, state }) => `${id} ${state}`);
    // Nothing changed, so a claim is not confirmed by silence.
    expect(states).toEqual(['F1 open', 'F2 open']);
    expect(run.text).toContain(
      'Ask the user to confirm the proposed waivers in a terminal: onceover resolve F1 --confirm',
    );
    const refused = await onceover(repo.root, ['resolve', 'F1', '--confirm', '--json']);
    expect([refused.code, refused.stdout]).toEqual([3, expect.stringContaining('confirmed-by-agent')]);
    await waive(repo, 'F1', 'it is even');
    const waived = await runToEnd(client);
    expect(documentOf(waived).run?.findings).toMatchObject([{ state: 'waived', by: ANN }, { state: 'open' }]);
    expect(waived.text).toContain('1 finding is waived and does not fail a gate:');
    expect(waived.text).toContain('Waived by ann: it is even');
  });

  test('with waivers.who: anyone, skip waives', async () => {
    const repo = await trustedRepo();
    configure(repo, 'agents:', 'waivers: { who: anyone }\nagents:');
    repo.answers('one', B_IS_ODD);
    const client = await connectMcp(repo.root);
    await runToEnd(client);
    const waived = await client.call('resolve_finding', { id: 'F1', how: 'skip', why: 'it is even' });
    expect(waived).toMatchObject({ structured: { state: 'waived', by: { kind: 'agent' } } });
    expect(documentOf(await runToEnd(client)).run?.exit_code).toBe(0);
    configure(repo, 'who: anyone', 'who: people');
    expect(await repo.document()).toMatchObject({ code: 1, findings: [{ state: 'open', answer: 'proposed' }] });
  });

  test('rejects wrong input with a sentence', async () => {
    const client = await connectMcp((await trustedRepo()).root);
    const unknown = await client.call('resolve_finding', { id: 'F9', how: 'skip', why: 'x' });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('There is no finding "F9".') });
    for (const input of [{ id: 'F1', how: 'skip', why: '' }, { id: 'F1', how: 'leave', why: 'x' }, { id: 'F1' }, {}]) {
      const { isError, text } = await client.call('resolve_finding', input);
      expect.soft([isError, text]).toEqual([true, expect.stringMatching(/why|how|id/)]);
    }
  });

  test('rejects an empty reason', async () => {
    const repo = await trustedRepo();
    repo.answers('one', B_IS_ODD);
    const client = await connectMcp(repo.root);
    await runToEnd(client);
    expect((await client.call('resolve_finding', { id: 'F1', how: 'skip', why: ' \n' })).isError).toBe(true);
  });
});

test('structured content fits the advertised output schemas', async () => {
  const repo = await trustedRepo();
  repo.answers('one', B_IS_ODD);
  const client = await connectMcp(repo.root);
  const calls: [string, Record<string, unknown>][] = [
    ['start_run', {}],
    ['get_run', {}],
    ['resolve_finding', { id: 'F1', how: 'skip', why: 'it is even' }],
    ['start_run', { gate: 'nope' }],
    ['get_run', {}],
  ];
  for (const [name, input] of calls) {
    const schema = await client.outputSchema(name);
    expect(schema.safeParse({}).success).toBe(false);
    const { structured } = await client.call(name, input);
    expect(schema.safeParse(structured), name).toMatchObject({ success: true, data: structured });
  }
});

test('rejects calls outside of a repository', async () => {
  const folder = temporaryFolder();
  const outside = await connectMcp(folder);
  for (const [name, input] of [
    ['start_run', {}],
    ['get_run', {}],
    ['resolve_finding', { id: 'F1', how: 'fixed', why: 'x' }],
  ] as const) {
    const { isError, text } = await outside.call(name, input);
    expect.soft([isError, text]).toEqual([true, expect.stringMatching(/is not in a git repository.*\n.*git init/)]);
  }
  expect(readdirSync(folder)).toEqual([]);
  const repo = await trustedRepo();
  configure(repo, 'num_reviews: 1', 'num_reviews: none');
  const broken = await (await connectMcp(repo.root)).call('start_run');
  expect(broken).toMatchObject({ isError: true, text: expect.stringContaining('onceover.yml:8:') });
});

function odd(line: number): object {
  return { file: 'src/a.ts', line, issue: 'a is odd', priority: 'low' };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
