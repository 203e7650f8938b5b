import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { type ProcessRun, type ProcessRunEnd, runProcessGroup } from '../../src/platform/run-process.ts';

const PATH = process.env['PATH'] ?? '';

/** Runs a Node program given as text. */
function node(script: string, settings: Partial<ProcessRun> = {}): Promise<ProcessRunEnd> {
  return runProcessGroup({
    program: process.execPath,
    args: ['-e', script],
    cwd: temporaryFolder(),
    env: { PATH },
    input: '',
    timeoutMs: 20_000,
    idleMs: null,
    signal: null,
    ...settings,
  });
}

function asEnded(end: ProcessRunEnd) {
  if (end.kind !== 'ended') throw new Error(`not started: ${end.code}`);
  return end;
}

function isAlive(pid: number): boolean {
  try {
    // A process that has ended and is not yet collected is no longer alive.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function waitFor(file: string): Promise<string> {
  for (let i = 0; i < 400; i++) {
    if (existsSync(file) && readFileSync(file, 'utf8') !== '') return readFileSync(file, 'utf8');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${file} was never written`);
}

describe('a run', () => {
  test('accepts a timeout longer than the limit of a timer', async () => {
    expect(await node('setTimeout(()=>{},300)', { timeoutMs: 3e9, idleMs: 3e9 })).toMatchObject({
      ending: 'by-itself',
      code: 0,
    });
  });

  test('passes the input and returns output, exit code and duration', async () => {
    const end = asEnded(
      await node(
        'process.stdin.on("data",d=>process.stdout.write(d)).on("end",()=>{console.error("e");process.exitCode=7})',
        {
          input: 'hello\n',
        },
      ),
    );
    expect(end).toMatchObject({ ending: 'by-itself', code: 7, signal: null });
    expect(end.stdout).toEqual({ text: 'hello\n', cut: null });
    expect(end.stderr.text).toBe('e\n');
    expect(end.durationMs).toBeGreaterThan(0);
  });

  test('passes only the given environment', async () => {
    const end = asEnded(await node('console.log(Object.keys(process.env).join())', { env: { PATH, ONLY: '1' } }));
    expect(
      end.stdout.text
        .trim()
        .split(',')
        .filter((name) => !name.startsWith('__CF')),
    ).toEqual(['PATH', 'ONLY']);
  });

  test('reports complete lines without line endings as they come', async () => {
    const lines: string[] = [];
    await node('process.stdout.write("a\\r\\n\\nb");setTimeout(()=>process.stdout.write("c\\nd"),50)', {
      onLine: (line) => lines.push(line) > 0,
    });
    expect(lines).toEqual(['a', 'bc', 'd']);
  });

  test('does not start a missing program', async () => {
    expect(await node('', { program: '/nowhere/at-all' })).toEqual({ kind: 'not-started', code: 'ENOENT' });
  });

  test('does not start a file that is not executable', async () => {
    const program = join(temporaryFolder(), 'plain');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o644 });
    expect(await node('', { program })).toEqual({ kind: 'not-started', code: 'EACCES' });
  });

  test('accepts a program that closes its input early', async () => {
    const end = asEnded(
      await node('process.stdin.destroy();setTimeout(()=>console.log("ok"),50)', { input: 'x'.repeat(5e6) }),
    );
    expect(end).toMatchObject({ ending: 'by-itself', code: 0 });
    expect(end.stdout.text).toBe('ok\n');
  });

  test('passes a prompt of 5 MB completely', async () => {
    const end = asEnded(
      await node('let n=0;process.stdin.on("data",d=>n+=d.length).on("end",()=>console.log(n))', {
        input: 'x'.repeat(5e6),
      }),
    );
    expect(end.stdout.text).toBe('5000000\n');
  });

  test('replaces output that is not UTF-8 with replacement characters', async () => {
    const end = asEnded(await node('process.stdout.write(Buffer.from([65,255,66]))'));
    expect(end.stdout.text).toBe('A\ufffdB');
  });
});

describe('the end of a run', () => {
  test.each([
    ['timeout', { timeoutMs: 200 }],
    ['idle', { idleMs: 200 }],
  ] as const)('by %s', async (ending, limits) => {
    const end = asEnded(await node('setInterval(()=>{},1000)', limits));
    expect(end).toMatchObject({ ending, code: null, signal: 'SIGTERM' });
  });

  test('is not an idle timeout while it prints', async () => {
    const end = asEnded(
      await node('let n=0;const t=setInterval(()=>{console.log(n);if(++n>6)clearInterval(t)},100)', { idleMs: 2500 }),
    );
    expect(end).toMatchObject({ ending: 'by-itself', code: 0 });
  });

  test('can be requested by the caller', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    expect(await node('setInterval(()=>{},1000)', { signal: stop.signal })).toMatchObject({ ending: 'cancelled' });
  });

  test('comes before its start if the caller has already cancelled', async () => {
    const file = join(temporaryFolder(), 'ran');
    const end = await node(`require("fs").writeFileSync(${JSON.stringify(file)},"x")`, { signal: AbortSignal.abort() });
    expect(end).toMatchObject({ kind: 'ended', ending: 'cancelled', durationMs: 0 });
    expect(existsSync(file)).toBe(false);
  });

  test('comes even if it ignores SIGTERM', async () => {
    const end = asEnded(await node('process.on("SIGTERM",()=>{});setInterval(()=>{},1000)', { timeoutMs: 300 }));
    expect(end).toMatchObject({ ending: 'timeout', signal: 'SIGKILL' });
  });

  test('includes its children and grandchildren', async () => {
    const file = join(temporaryFolder(), 'pids');
    const child = `const c=require("child_process").spawn("sleep",["60"],{stdio:"inherit"});require("fs").writeFileSync(${JSON.stringify(file)},process.pid+" "+c.pid);process.on("SIGTERM",()=>{});setInterval(()=>{},1000)`;
    const running = node(
      `require("child_process").spawn(process.execPath,["-e",${JSON.stringify(child)}],{stdio:"inherit"});setInterval(()=>{},1000)`,
      { timeoutMs: 5000 },
    );
    const pids = (await waitFor(file)).split(' ').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    expect(await running).toMatchObject({ ending: 'timeout' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  test('comes soon even if a child holds the pipe', async () => {
    const file = join(temporaryFolder(), 'pid');
    const end = asEnded(
      await node(
        `const c=require("child_process").spawn("sleep",["60"],{stdio:"inherit"});require("fs").writeFileSync(${JSON.stringify(file)},""+c.pid);console.log("done");process.exit(0)`,
      ),
    );
    expect(end).toMatchObject({ ending: 'by-itself', code: 0 });
    expect(end.stdout.text).toBe('done\n');
    expect(end.durationMs).toBeLessThan(10_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAlive(Number(readFileSync(file, 'utf8')))).toBe(false);
  });

  test('comes soon even if a process outside the group holds the pipe', async () => {
    const file = join(temporaryFolder(), 'pid');
    const end = asEnded(
      await node(
        `const c=require("child_process").spawn("sleep",["3"],{stdio:"inherit",detached:true});c.unref();require("fs").writeFileSync(${JSON.stringify(file)},""+c.pid);console.log("done");process.exit(0)`,
      ),
    );
    expect(end.stdout.text).toBe('done\n');
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  });
});
