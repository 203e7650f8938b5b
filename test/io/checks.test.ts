import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CheckEnd, CheckOptions } from '../../src/domain/ports.ts';
import { openChecks } from '../../src/io/checks.ts';
import { temporaryFolder } from '../support/repo.ts';

const OWN = { PATH: process.env['PATH'], HOME: '/me', GONE: undefined };

function check(command: string, given: Partial<CheckOptions> & { readonly root?: string } = {}): Promise<CheckEnd> {
  const { root = temporaryFolder(), ...options } = given;
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

describe('what a check gets', () => {
  test('the root as folder, also one with spaces and quotes, and one reached by a symlink', async () => {
    const folder = temporaryFolder();
    const odd = join(folder, `it's "my" $HOME`);
    symlinkSync(folder, odd);
    expect(await check('pwd -P', { root: odd })).toMatchObject({ exitCode: 0, output: `${folder}\n` });
  });

  test("the user's environment, what is given over it, and the sign that onceover started it", async () => {
    const env = { HOME: '/other', MORE: '1', ONCEOVER_ACTIVE: '' };
    const { output } = await check('env', { env });
    const lines = output.split('\n').filter((line) => !/^(?:PWD|OLDPWD|_|SHLVL)=/.test(line) && line !== '');
    expect(lines.sort()).toEqual(['HOME=/other', 'MORE=1', 'ONCEOVER_ACTIVE=1', `PATH=${OWN.PATH}`]);
  });

  test('its command to the letter', async () => {
    const command = `printf '%s|' "a  b" 'c"d' \\$HOME "$#" "$*" ; echo é |
      cat; exit 3`;
    expect(await check(command)).toMatchObject({ exitCode: 3, output: 'a  b|c"d|$HOME|0||é\n' });
  });

  test('nothing to read: it ends at once, and sees that it is no pipe', async () => {
    const end = await check('cat; read line; echo "read: $?"; test -c /dev/stdin && echo quiet');
    expect(end).toMatchObject({ ending: 'by-itself', exitCode: 0, output: 'read: 1\nquiet\n' });
    expect(end.durationMs).toBeLessThan(5000);
  });

  test('a folder of its own to go to: the next begins in the root again', async () => {
    const root = temporaryFolder();
    const checks = openChecks(root, OWN);
    const options = { timeoutSeconds: 20, env: {}, stop: null };
    await checks.run('cd /; export LEFT=1', options);
    expect(await checks.run('pwd; echo "<$LEFT>"', options)).toMatchObject({ output: `${root}\n<>\n` });
  });
});

describe('what is never a pass', () => {
  test.each([
    ['is no shell command', 'if then', 2],
    ['is not there', './no-such-script.sh', 127],
    ['may not be run', './plain', 126],
    ['is killed by a signal', 'kill -TERM $$; sleep 5', null],
    ['crashes', 'kill -SEGV $$', null],
    ['has a part that is killed', 'sh -c "kill -9 \\$\\$"; exit $?', 137],
  ])('a check that %s', async (_, command, exitCode) => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'plain'), '#!/bin/sh\n', { mode: 0o644 });
    expect(await check(command, { root })).toMatchObject({ ending: 'by-itself', exitCode });
  });

  test.each([
    ['in a folder that is gone', 'true', '/nowhere/at-all', 'ENOENT'],
    ['longer than any argument may be', `: ${'x'.repeat(3e6)}`, undefined, 'E2BIG'],
    ['with a NUL in it', 'true \0', undefined, 'ERR_INVALID_ARG_VALUE'],
  ])('a command %s is not started', async (_, command, root, output) => {
    const end = await check(command, root === undefined ? {} : { root });
    expect(end).toEqual({ ending: 'not-started', exitCode: null, output, durationMs: 0 });
  });

  test('one that says that all is well when it is told to end', async () => {
    const end = await check('trap "echo fine; exit 0" TERM; while :; do sleep 0.1; done', { timeoutSeconds: 1 });
    expect(end).toMatchObject({ ending: 'timeout', exitCode: null, output: expect.stringContaining('fine\n') });
  });
});

describe('what does no harm', () => {
  test('a check that never ends and ignores the request to end', async () => {
    const end = await check('trap "" TERM; echo $$; while :; do sleep 1; done', { timeoutSeconds: 1 });
    expect(end).toMatchObject({ ending: 'timeout', exitCode: null });
    expect(end.durationMs).toBeLessThan(10_000);
    expect(isAlive(Number(end.output))).toBe(false);
  });

  test('a check whose children ignore it too', async () => {
    const end = await check('(trap "" TERM HUP; sleep 60; sleep 60) & echo $!; wait', { timeoutSeconds: 1 });
    expect(end).toMatchObject({ ending: 'timeout' });
    expect(end.durationMs).toBeLessThan(10_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAlive(Number(end.output))).toBe(false);
  });

  test('a check that prints 1 GB: its beginning and end are there, and memory is bounded', async () => {
    const before = process.memoryUsage().rss;
    const end = await check('echo first; yes | head -c 1000000000; echo last');
    expect(end).toMatchObject({ ending: 'by-itself', exitCode: 0 });
    expect(end.output.startsWith('first\n')).toBe(true);
    expect(end.output.endsWith('\nlast\n')).toBe(true);
    expect(end.output).toMatch(/\[… \d+ bytes left out …\]/);
    expect(end.output.length).toBeLessThan(20e6);
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
  });

  test('a check that prints without end is ended in time', async () => {
    const end = await check('yes', { timeoutSeconds: 1 });
    expect(end).toMatchObject({ ending: 'timeout', exitCode: null });
    expect(end.durationMs).toBeLessThan(10_000);
  });

  test('a check that leaves something behind: it is ended with it', async () => {
    const end = await check('nohup sleep 60 >/dev/null 2>&1 & echo $!');
    expect(end).toMatchObject({ ending: 'by-itself', exitCode: 0 });
    expect(end.durationMs).toBeLessThan(5000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAlive(Number(end.output))).toBe(false);
  });

  test('a check that starts a daemon, which holds its output: it is not waited for', async () => {
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
    // It left the group of its own will; such a one is its owner's.
    expect(isAlive(pid)).toBe(true);
  });

  test('one that is stopped is gone when its end is told', async () => {
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
