import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import type { AgentQuestion } from '../../src/adapters/agent.ts';
import { callAgent } from '../../src/adapters/call-agent.ts';
import { commandAgent } from '../../src/adapters/command.ts';
import { readAnswer } from '../../src/dispatch/read-answer.ts';

/** The agent's behaviour and the expected result; one call in ten fails, each in its own way. */
const WAYS = [
  ['answers', 'pass'],
  ['crashes', 'agent-error'],
  ['hangs', 'timeout'],
  ['leaves-child', 'pass'],
  ['says-nothing', 'unreadable-answer'],
] as const;
const wayOf = (n: number) => (n % 10 === 0 ? (WAYS[1 + ((n / 10) % 4)] ?? WAYS[0]) : WAYS[0]);

const AGENT = `
const way = process.argv[1];
process.stdin.resume().on('end', () => {
  if (way === 'crashes') process.kill(process.pid, 'SIGSEGV');
  if (way === 'hangs') { process.on('SIGTERM', () => {}); return setInterval(() => {}, 1000); }
  if (way === 'leaves-child') require('node:child_process').spawn('sleep', ['300'], { stdio: 'inherit' }).unref();
  if (way !== 'says-nothing') console.log('{"status":"pass","violations":[]}');
  process.exit(0);
});`;

test('200 calls, 8 at once, some failing: every result is right and nothing is left behind', {
  timeout: 120_000,
}, async () => {
  const cwd = temporaryFolder();
  const scratchBase = temporaryFolder();
  const outcomes: string[] = [];
  const memory: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < 200) {
      const n = next++;
      outcomes[n] = await outcome(wayOf(n)[0], cwd, scratchBase);
      if (n % 20 === 0) memory.push(process.memoryUsage().rss);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  expect(outcomes).toEqual(Array.from({ length: 200 }, (_, n) => wayOf(n)[1]));
  expect(readdirSync(scratchBase)).toEqual([]);
  const processFolders = execFileSync('sh', ['-c', 'for p in /proc/[0-9]*; do readlink $p/cwd; done; true'], {
    encoding: 'utf8',
  });
  expect(processFolders.split('\n').filter((line) => line === cwd)).toEqual([]);
  expect((memory.at(-1) ?? 0) - (memory[1] ?? 0)).toBeLessThan(100e6);
});

async function outcome(way: string, cwd: string, scratchBase: string): Promise<string> {
  const agent = commandAgent({ name: 'house', command: [process.execPath, '-e', AGENT, way], resume: false });
  const question: AgentQuestion = {
    stable: 'x'.repeat(10_000),
    dynamic: 'y',
    schema: {},
    sessionId: null,
    newSessionId: '',
    usedBefore: null,
    model: null,
    cacheTtl: '5m',
    timeoutSeconds: way === 'hangs' ? 2 : 30,
  };
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(cwd) };
  const end = await callAgent({
    agent,
    program: agent.program,
    cwd,
    env,
    question,
    idleSeconds: 30,
    signal: null,
    scratchBase,
  });
  if (!end.ok) return end.failure.kind;
  const readResult = readAnswer('gate', end.reply);
  return readResult.ok ? readResult.answer.status : readResult.failure.kind;
}
