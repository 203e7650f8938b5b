import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asNobody } from '@onceover/testing/as-nobody.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processInfo, processNamespace } from '../../src/platform/lock.ts';

const NO_PROCESS = 0x7fff_fff0;
const [LINUX, OTHER] = ['linux', 'darwin'] as const;
const PLATFORMS = process.platform === LINUX ? [LINUX, OTHER] : [OTHER];

describe.each(PLATFORMS)('a process, asked for as on %s', (platform) => {
  test('reports this process with a constant start time', async () => {
    const life = await processInfo(process.pid, platform);
    expect(life?.startedAt).toMatch(/\d/);
    await sleep(20);
    expect(await processInfo(process.pid, platform)).toEqual(life);
  });

  test('does not depend on the language or the time zone', async () => {
    const life = await processInfo(process.pid, platform);
    const before = process.env['TZ'];
    process.env['TZ'] = 'Asia/Tokyo';
    onTestFinished(() => {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    });
    expect(await processInfo(process.pid, platform)).toEqual(life);
  });

  test('gives a later process another start time', async () => {
    const ownInfo = await processInfo(process.pid, platform);
    // `ps` reports whole seconds.
    await sleep(platform === LINUX ? 20 : 1100);
    const child = start('sleep', ['60']);
    const childInfo = await processInfo(child, platform);
    expect(childInfo?.startedAt).toMatch(/\d/);
    expect(childInfo).not.toEqual(ownInfo);
  });

  test('returns null for an unused pid', async () => {
    expect(await processInfo(NO_PROCESS, platform)).toBeNull();
    expect(await processInfo(2 ** 40, platform)).toBeNull();
  });

  test('returns null for a zombie', async () => {
    // A shell that has become `sleep` never collects its child.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [output] = (await once(parent.stdout, 'data')) as [Buffer];
    const corpse = Number(output.toString());
    while ((await processInfo(corpse, platform)) !== null) await sleep(10);
    expect(process.kill(corpse, 0)).toBe(true);
  });

  test('handles a program name with parentheses and spaces', async () => {
    const program = join(temporaryFolder(), 'a) Z (');
    symlinkSync('/bin/sleep', program);
    const child = start(program, ['60']);
    expect(await processInfo(child, platform)).toMatchObject({ startedAt: expect.stringMatching(/\d/) });
  });
});

test.skipIf(process.getuid?.() !== 0)('one of another user lives', async () => {
  const foreignProcess = start('sleep', ['60'], { uid: 65533 });
  await asNobody(async () => {
    expect(() => process.kill(foreignProcess, 0)).toThrow('EPERM');
    expect(await processInfo(foreignProcess)).not.toBeNull();
  });
});

test.runIf(process.platform === LINUX)('where there is no `ps` the start is unknown, not the life', async () => {
  const { PATH } = process.env;
  process.env['PATH'] = '/nowhere';
  try {
    expect(await processInfo(process.pid, OTHER)).toEqual({ startedAt: null });
  } finally {
    process.env['PATH'] = PATH;
  }
});

test.runIf(process.platform === LINUX)('on Linux a start belongs to one start of the machine', async () => {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  expect((await processInfo(process.pid))?.startedAt).toMatch(new RegExp(`^${boot} \\d+$`));
  expect(processNamespace()).toMatch(/^pid:\[\d+\]$/);
});

/** Starts a program that ends with the test, and returns its pid. */
function start(program: string, args: readonly string[], options: { readonly uid?: number } = {}): number {
  const child: ChildProcess = spawn(program, args, { ...options, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? Number.NaN;
}
