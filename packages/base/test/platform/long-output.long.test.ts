import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openChecks, runProcessGroup } from '../../src/platform/run-process.ts';

const PATH = process.env['PATH'] ?? '';

test('a check can print 1 GB: the beginning and the end are kept in bounded memory', async () => {
  const before = process.memoryUsage().rss;
  const end = await openChecks(temporaryFolder(), { PATH }).run('echo first; yes | head -c 1000000000; echo last', {
    timeoutSeconds: 60,
    env: {},
    stop: null,
  });
  expect(end).toMatchObject({ ending: 'by-itself', exitCode: 0 });
  expect(end.output.startsWith('first\n')).toBe(true);
  expect(end.output.endsWith('\nlast\n')).toBe(true);
  expect(end.output).toMatch(/\[… \d+ bytes left out …\]/);
  expect(end.output.length).toBeLessThan(20e6);
  expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
});

test('a process: onceover keeps the beginning and the end of a long output in bounded memory', async () => {
  const before = process.memoryUsage().rss;
  const script =
    'process.stdout.write("first\\n");const b=Buffer.alloc(1<<20,"x");let n=300;(function w(){while(n-->0)if(!process.stdout.write(b))return process.stdout.once("drain",w);process.stdout.write("\\nlast\\n")})()';
  const end = await runProcessGroup({
    program: process.execPath,
    args: ['-e', script],
    cwd: temporaryFolder(),
    env: { PATH },
    input: '',
    timeoutMs: 50_000,
    idleMs: null,
    signal: null,
  });
  if (end.kind !== 'ended') throw new Error(`not started: ${end.code}`);
  expect(end.stdout.text.slice(0, end.stdout.cut ?? 0)).toMatch(/\n\[… \d{9} bytes left out …\]\n$/);
  expect(end.stdout.text.startsWith('first\n')).toBe(true);
  expect(end.stdout.text.endsWith('\nlast\n')).toBe(true);
  expect(process.memoryUsage().rss - before).toBeLessThan(200e6);
});
