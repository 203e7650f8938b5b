import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { CLI } from '@onceover/testing/cli.ts';
import { failing } from '@onceover/testing/gates.ts';
import { asked, ended, hookRepo, startedRuns, stop } from '@onceover/testing/hook.ts';
import { cleanEnvironment } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';

const OBJECTION = failing('src/a.ts', 'export const b = 2;', { line: 2 });
const FREE = { blocked: null, message: null };

describe('a review that takes longer than a stop may', () => {
  test('that could not be judged lets the agent go by its own word, although it ended between two stops', async () => {
    const repo = await hookRepo();
    repo.answers('one', { $sleep: 1500, $exit: 1, $stderr: 'out of order' }, { $exit: 1 });
    expect((await stop(repo, { deadline: 1 })).blocked).toContain('still running');
    await ended(repo);
    const { blocked, message } = await stop(repo, { deadline: 20 });
    expect(blocked).toBeNull();
    expect(message).toContain('could not judge this change');
    expect(startedRuns(repo)).toBe(1);
  });

  test('blocks the agent three times, then lets it stop', async () => {
    const repo = await hookRepo();
    repo.answers('one', { status: 'pass', violations: [], $sleep: 8000 });
    for (let n = 1; n <= 3; n++) expect((await stop(repo, { deadline: 1 })).blocked).toContain('still running');
    const { blocked, message } = await stop(repo, { deadline: 1 });
    expect([blocked, message]).toEqual([null, expect.stringContaining('Nothing passed yet')]);
    await ended(repo);
    expect([repo.calls().length, startedRuns(repo)]).toEqual([1, 1]);
    expect(await stop(repo)).toMatchObject(FREE);
  });

  test('of another process is awaited, and its findings count', async () => {
    const repo = await hookRepo();
    repo.answers('one', { ...OBJECTION, $sleep: 2500 });
    const run = repo.run();
    await asked(repo);
    expect((await stop(repo, { deadline: 1 })).blocked).toContain('still running');
    expect((await stop(repo, { deadline: 20 })).blocked).toContain('id: F1\n');
    expect([(await run).code, repo.calls().length, startedRuns(repo)]).toEqual([1, 1, 0]);
  });

  test('goes on although the hook is killed', async () => {
    const repo = await hookRepo();
    repo.answers('one', { status: 'pass', violations: [], $sleep: 1500 });
    const child = spawn(process.execPath, [CLI, 'hook', 'stop'], {
      cwd: repo.root,
      env: cleanEnvironment(dirname(repo.root)),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end('{}');
    await asked(repo);
    child.kill('SIGTERM');
    await new Promise((resolve) => child.on('close', resolve));
    expect(await stop(repo)).toMatchObject(FREE);
    expect([repo.calls().length, startedRuns(repo)]).toEqual([1, 1]);
  });
});
