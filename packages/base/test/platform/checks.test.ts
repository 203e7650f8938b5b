import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CheckEnd, CheckOptions } from '../../src/kernel/ports.ts';
import { openChecks } from '../../src/platform/run-process.ts';

const OWN = { PATH: process.env['PATH'], HOME: '/me', GONE: undefined, ONCEOVER_AUDIT_SECRET: 'secret' };

function check(command: string, settings: Partial<CheckOptions> & { readonly root?: string } = {}): Promise<CheckEnd> {
  const { root = temporaryFolder(), ...options } = settings;
  return openChecks(root, OWN).run(command, { timeoutSeconds: 20, env: {}, stop: null, ...options });
}

function isAlive(pid: number): boolean {
  try {
    // A process that has ended and is not yet collected is no longer alive.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a check', () => {
  test('runs in the root, even if that has spaces, quotes or a symlink in its path', async () => {
    const folder = temporaryFolder();
    const odd = join(folder, `it's "my" $HOME`);
    symlinkSync(folder, odd);
    expect(await check('pwd -P', { root: odd })).toMatchObject({ exitCode: 0, output: `${folder}\n` });
  });

  test("gets the user's environment without onceover's secrets, the given variables, and ONCEOVER_ACTIVE", async () => {
    const env = { HOME: '/other', MORE: '1', ONCEOVER_ACTIVE: '' };
    const { output } = await check('env', { env });
    const lines = output.split('\n').filter((line) => !/^(?:PWD|OLDPWD|_|SHLVL)=/.test(line) && line !== '');
    expect(lines.sort()).toEqual(['HOME=/other', 'MORE=1', 'ONCEOVER_ACTIVE=1', `PATH=${OWN.PATH}`]);
  });

  test('gets its command unchanged', async () => {
    const command = `printf '%s|' "a  b" 'c"d' \\$HOME "$#" "$*" ; echo é |
      cat; exit 3`;
    expect(await check(command)).toMatchObject({ exitCode: 3, output: 'a  b|c"d|$HOME|0||é\n' });
  });

  test('has empty standard input that is not a pipe', async () => {
    const end = await check('cat; read line; echo "read: $?"; test -c /dev/stdin && echo quiet');
    expect(end).toMatchObject({ ending: 'by-itself', exitCode: 0, output: 'read: 1\nquiet\n' });
    expect(end.durationMs).toBeLessThan(5000);
  });

  test('starts in the root even if the previous check changed the folder', async () => {
    const root = temporaryFolder();
    const checks = openChecks(root, OWN);
    const options = { timeoutSeconds: 20, env: {}, stop: null };
    await checks.run('cd /; export LEFT=1', options);
    expect(await checks.run('pwd; echo "<$LEFT>"', options)).toMatchObject({ output: `${root}\n<>\n` });
  });
});

describe('a check does not pass', () => {
  test.each([
    ['is no shell command', 'if then', 2],
    ['is not there', './no-such-script.sh', 127],
    ['may not be run', './plain', 126],
    ['is killed by a signal', 'kill -TERM $$; sleep 5', null],
    ['crashes', 'kill -SEGV $$', null],
    ['has a part that is killed', 'sh -c "kill -9 \\$\\$"; exit $?', 137],
  ])('if it %s', async (_, command, exitCode) => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'plain'), '#!/bin/sh\n', { mode: 0o644 });
    expect(await check(command, { root })).toMatchObject({ ending: 'by-itself', exitCode });
  });

  test.each([
    ['in a folder that is gone', 'true', '/nowhere/at-all', 'ENOENT'],
    ['longer than any argument may be', `: ${'x'.repeat(3e6)}`, undefined, 'E2BIG'],
    ['with a NUL in it', 'true \0', undefined, 'ERR_INVALID_ARG_VALUE'],
  ])('if its command %s cannot be started', async (_, command, root, output) => {
    const end = await check(command, root === undefined ? {} : { root });
    expect(end).toEqual({ ending: 'not-started', exitCode: null, output, durationMs: 0 });
  });

  test('if it exits with 0 only when it is killed', async () => {
    const end = await check('trap "echo fine; exit 0" TERM; while :; do sleep 0.1; done', { timeoutSeconds: 1 });
    expect(end).toMatchObject({ ending: 'timeout', exitCode: null, output: expect.stringContaining('fine\n') });
  });
});

describe('a hostile check', () => {
  test('is killed if it ignores SIGTERM', async () => {
    const end = await check('trap "" TERM; echo $$; while :; do sleep 1; done', { timeoutSeconds: 1 });
    expect(end).toMatchObject({ ending: 'timeout', exitCode: null });
    expect(end.durationMs).toBeLessThan(10_000);
    expect(isAlive(Number(end.output))).toBe(false);
  });

  test('is killed with children that ignore SIGTERM', async () => {
    const end = await check('(trap "" TERM HUP; sleep 60; sleep 60) & echo $!; wait', { timeoutSeconds: 1 });
    expect(end).toMatchObject({ ending: 'timeout' });
    expect(end.durationMs).toBeLessThan(10_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAlive(Number(end.output))).toBe(false);
  });

  test('is killed on time if it prints without end', async () => {
    const end = await check('yes', { timeoutSeconds: 1 });
    expect(end).toMatchObject({ ending: 'timeout', exitCode: null });
    expect(end.durationMs).toBeLessThan(10_000);
  });

  test('is killed with the processes that it leaves behind', async () => {
    const end = await check('nohup sleep 60 >/dev/null 2>&1 & echo $!');
    expect(end).toMatchObject({ ending: 'by-itself', exitCode: 0 });
    expect(end.durationMs).toBeLessThan(5000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAlive(Number(end.output))).toBe(false);
  });

  test('can start a daemon that holds its output without blocking the run', async () => {
    const root = temporaryFolder();
    const start = Date.now();
    const end = await check("setsid sh -c 'echo $$ > pid; exec sleep 60' & while [ ! -s pid ]; do :; done; echo up", {
      root,
    });
    const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
    onTestFinished(() => {
      process.kill(pid, 'SIGKILL');
    });
    expect(end).toMatchObject({ ending: 'by-itself', exitCode: 0, output: 'up\n' });
    expect(Date.now() - start).toBeLessThan(10_000);
    // The daemon left the process group, so it keeps running.
    expect(isAlive(pid)).toBe(true);
  });

  test('has ended when the cancelled run returns', async () => {
    const root = temporaryFolder();
    const stop = new AbortController();
    const running = check('echo $$ > pid; sleep 60; true', { root, stop: stop.signal });
    while (!existsSync(join(root, 'pid')) || readFileSync(join(root, 'pid'), 'utf8') === '')
      await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort();
    expect(await running).toMatchObject({ ending: 'cancelled', exitCode: null });
    expect(isAlive(Number(readFileSync(join(root, 'pid'), 'utf8')))).toBe(false);
  });
});
