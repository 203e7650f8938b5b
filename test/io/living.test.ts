import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lifeOf, processNamespace } from '../../src/io/living.ts';
import { asNobody } from '../support/as-nobody.ts';
import { temporaryFolder } from '../support/repo.ts';

const NO_PROCESS = 0x7fff_fff0;
const [LINUX, OTHER] = ['linux', 'darwin'] as const;
const PLATFORMS = process.platform === LINUX ? [LINUX, OTHER] : [OTHER];

describe.each(PLATFORMS)('a process, asked for as on %s', (platform) => {
  test('this one lives, and its start is always told the same', async () => {
    const life = await lifeOf(process.pid, platform);
    expect(life?.startedAt).toMatch(/\d/);
    await sleep(20);
    expect(await lifeOf(process.pid, platform)).toEqual(life);
  });

  test('neither the language nor the time zone of whoever asks matters', async () => {
    const life = await lifeOf(process.pid, platform);
    const before = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    onTestFinished(() => {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    });
    expect(await lifeOf(process.pid, platform)).toEqual(life);
  });

  test('one that started later is told apart', async () => {
    const mine = await lifeOf(process.pid, platform);
    // `ps` tells seconds.
    await sleep(platform === LINUX ? 20 : 1100);
    const child = start('sleep', ['60']);
    const its = await lifeOf(child, platform);
    expect(its?.startedAt).toMatch(/\d/);
    expect(its).not.toEqual(mine);
  });

  test('there is none with a number that nobody has', async () => {
    expect(await lifeOf(NO_PROCESS, platform)).toBeNull();
    expect(await lifeOf(2 ** 40, platform)).toBeNull();
  });

  test('one that was killed is gone, although its parent has not noticed', async () => {
    // A shell that has become `sleep` never asks how its child ended.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const corpse = Number(said.toString());
    while ((await lifeOf(corpse, platform)) !== null) await sleep(10);
    expect(process.kill(corpse, 0)).toBe(true);
  });

  test('a name full of parentheses and spaces changes nothing', async () => {
    const program = join(temporaryFolder(), 'a) Z (');
    symlinkSync('/bin/sleep', program);
    const child = start(program, ['60']);
    expect(await lifeOf(child, platform)).toMatchObject({ startedAt: expect.stringMatching(/\d/) });
  });
});

test.skipIf(process.getuid?.() !== 0)('one of another user lives', async () => {
  const others = start('sleep', ['60'], { uid: 65533 });
  await asNobody(async () => {
    expect(() => process.kill(others, 0)).toThrow('EPERM');
    expect(await lifeOf(others)).not.toBeNull();
  });
});

test.runIf(process.platform === LINUX)('where there is no `ps` the start is unknown, not the life', async () => {
  const { PATH } = process.env;
  process.env['PATH'] = '/nowhere';
  try {
    expect(await lifeOf(process.pid, OTHER)).toEqual({ startedAt: null });
  } finally {
    process.env['PATH'] = PATH;
  }
});

test.runIf(process.platform === LINUX)('on Linux a start belongs to one start of the machine', async () => {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  expect((await lifeOf(process.pid))?.startedAt).toMatch(new RegExp(`^${boot} \\d+$`));
  expect(processNamespace()).toMatch(/^pid:\[\d+\]$/);
});

/** Starts a program that ends with the test; gives its number. */
function start(program: string, args: readonly string[], options: { readonly uid?: number } = {}): number {
  const child: ChildProcess = spawn(program, args, { ...options, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? Number.NaN;
}
