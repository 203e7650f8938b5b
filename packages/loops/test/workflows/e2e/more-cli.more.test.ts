import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Library from '@onceover/onceover/src/index.ts';
import { CLI, onceover } from '@onceover/testing/cli.ts';
import { cleanEnvironment, temporaryFolder } from '@onceover/testing/repo.ts';
import {
  FAILS,
  OUTPUTS,
  outputOptions,
  type StepEndDocument,
  type WorkflowRepo,
  type WorkflowStartDocument,
  workflowRepo,
} from '@onceover/testing/workflow/repo.ts';
import { describe, expect, test } from 'vitest';
import type { WorkflowStatusDocument } from '../../../src/workflows/json.ts';

const START = ['start', 'research_report', '--goal', 'Tea or coffee?'];

const finish = (repo: WorkflowRepo, step: keyof typeof OUTPUTS, ...args: readonly string[]) =>
  repo.document<StepEndDocument>(['finish', ...outputOptions(OUTPUTS[step]), ...args]);

test('staged, touched or committed files count as unchanged', async () => {
  const repo = workflowRepo();
  await repo.workflow([...START, '--reviewer', 'judge']);
  repo.rules({ where: '**Independent**', answer: FAILS });
  await finish(repo, 'research');
  repo.forget();
  for (const name of OUTPUTS.research.notes) repo.write(name, readFileSync(join(repo.root, name)));
  repo.commit('notes');
  repo.rules();
  expect(await finish(repo, 'research')).toMatchObject({ status: 'next_step', reviews_done: 1 });
  expect(repo.asked()).toHaveLength(1);
  expect(repo.asked()[0]).toContain('**Independent**');
});

describe('a reason instead of a pass', () => {
  test('counts after a failed review, and is stored', async () => {
    const repo = workflowRepo();
    await repo.workflow([...START, '--reviewer', 'judge']);
    repo.rules({ answer: FAILS });
    const early = await repo.workflow(['finish', ...outputOptions(OUTPUTS.research), '--override', 'Trust me.']);
    expect(early.code).toBe(2);
    expect(early.stderr).toContain('you can override only after a reviewer has rejected the outputs');
    expect(repo.asked()).toEqual([]);
    await finish(repo, 'research');
    repo.forget();
    const over = await finish(repo, 'research', '--override', 'It is a draft.');
    expect(over).toMatchObject({ code: 0, status: 'next_step', override_reason: 'It is a draft.', reviews_done: 0 });
    expect(repo.asked()).toEqual([]);
    const { sessions } = await repo.document<WorkflowStatusDocument>(['status']);
    expect(sessions[0]?.steps[0]).toMatchObject({ override_reason: 'It is a draft.', failed_reviews: [{}, {}, {}] });
  });
});

describe('without a named reviewer', () => {
  /** Returns a PATH with only git, node and a shell. */
  function bareBin(): string {
    const bin = temporaryFolder();
    const programPath = (name: string) =>
      spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
    for (const name of ['git', 'sh', 'cat']) symlinkSync(programPath(name), join(bin, name));
    symlinkSync(process.execPath, join(bin, 'node'));
    return bin;
  }

  test('falls back to self-review with a warning if Claude Code is not installed', async () => {
    const repo = workflowRepo();
    const env = { PATH: bareBin() };
    const start = await repo.document<WorkflowStartDocument>(START, { env });
    expect(start).toMatchObject({ code: 0, reviewer: null });
    expect(start.warnings).toEqual(['Claude Code is not installed and no other reviewer was named.']);
    const refusal = await repo.workflow([...START, '--reviewer', 'claude'], { env });
    expect([refusal.code, refusal.stderr]).toEqual([
      3,
      expect.stringContaining('The reviewer claude is not installed.'),
    ]);
  });

  test('uses Claude Code if it is installed', async () => {
    const repo = workflowRepo();
    const bin = bareBin();
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
    const env = { PATH: bin, HOME: temporaryFolder() };
    mkdirSync(join(env.HOME, '.cache'));
    expect(await repo.document<WorkflowStartDocument>(START, { env })).toMatchObject({ code: 0, reviewer: 'claude' });
    const end = await repo.workflow(['finish', ...outputOptions(OUTPUTS.research)], { env });
    expect(end.code).toBe(3);
    expect(end.stderr).toContain('3 reviews of the step "research" ended without a verdict:');
    expect(end.stderr).toContain('This call does not count as an attempt.');
  });
});

test('paths are relative to the current folder', async () => {
  const repo = workflowRepo();
  await repo.workflow([...START, '--reviewer', 'judge']);
  const folder = join(repo.root, 'notes');
  const end = await onceover(folder, [
    'workflow',
    'finish',
    '--output',
    'notes=one.md',
    '--output',
    'notes=../notes/two.md',
    '--json',
  ]);
  expect(JSON.parse(end.stdout)).toMatchObject({
    status: 'next_step',
    begin_step: { inputs: [{ paths: OUTPUTS.research.notes }] },
  });
});

test('the library works like the commands', async () => {
  const repo = workflowRepo();
  const library = (await import(
    /* @vite-ignore */ pathToFileURL(resolve(dirname(CLI), 'index.mjs')).href
  )) as typeof Library;
  const root = repo.root;
  expect((await library.workflows({ root })).jobs.map(({ name }) => name)).toEqual(['research_report']);
  const { session_id } = await library.startWorkflow('research_report', 'Tea?', { root, reviewer: 'judge' });
  const messages: string[] = [];
  const onProgress = (count: number, of: number) => messages.push(`${count}/${of}`);
  expect(await library.finishStep(OUTPUTS.research, { root, onProgress })).toMatchObject({ status: 'next_step' });
  expect(messages).toEqual(['0/3', '1/3', '2/3', '3/3']);
  await expect(library.finishStep({ report: 'nope.md' }, { root })).rejects.toMatchObject({
    failure: { kind: 'unusable-output', path: 'nope.md', why: 'missing' },
  });
  expect(await library.abortWorkflow('Enough.', { root })).toMatchObject({ session_id, status: 'aborted' });
});

test('Ctrl-C ends the reviewers and keeps the passes so far', async () => {
  const repo = workflowRepo();
  await repo.workflow([...START, '--reviewer', 'judge']);
  repo.rules({ where: '**Independent**', sleep: 60_000 });
  const args = [CLI, 'workflow', 'finish', ...outputOptions(OUTPUTS.research), '--json'];
  const child = spawn(process.execPath, args, { cwd: repo.root, env: cleanEnvironment(repo.root) });
  let [stdout, stderr] = ['', ''];
  let isInterrupted = false;
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
    // Interrupt once: a second interrupt would not wait for a clean end.
    if (!isInterrupted && stderr.includes('2 of 3 reviews done')) isInterrupted = child.kill('SIGINT');
  });
  const [code] = await once(child, 'close');
  expect([code, JSON.parse(stdout)]).toMatchObject([130, { error: { kind: 'interrupted' } }]);
  expect(stderr).toContain('Only finished verdicts were recorded.');
  repo.rules();
  repo.forget();
  expect(await finish(repo, 'research')).toMatchObject({ status: 'next_step', reviews_done: 1, attempts: 1 });
  expect(repo.asked()).toHaveLength(1);
});
