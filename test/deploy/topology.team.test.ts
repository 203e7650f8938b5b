import { spawn } from 'node:child_process';
import { CLI } from '@onceover/testing/cli.ts';
import { composeWith, unitCommand } from '@onceover/testing/deploy.ts';
import { failing, gateRepo } from '@onceover/testing/gates.ts';
import { databaseOfTest, sqlAt } from '@onceover/testing/postgres.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { until } from '@onceover/testing/until.ts';
import { expect, onTestFinished, test } from 'vitest';

/** Starts the command of a service as a process. `/data` and the folder of the unit become a folder of this machine. */
function startService(words: readonly string[], { store, settings }: { store: string; settings: string }) {
  const data = temporaryFolder();
  const own = words.map((word) => (/^\/(?:data|var\/lib\/onceover)$/.test(word) ? data : word));
  const child = spawn(process.execPath, [CLI, ...own, '--settings', settings], {
    env: { PATH: process.env['PATH'], HOME: data, ONCEOVER_STORE: store },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let log = '';
  child.stdout.on('data', (text) => {
    log += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const events = () =>
    log
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { readonly kind: string });
  return { child, ended, kinds: () => events().map(({ kind }) => kind) };
}

test('the workers of compose.yml and of the systemd unit review a change, and finish their calls after SIGTERM', async () => {
  const store = await databaseOfTest();
  const reviews = Array.from({ length: 9 }, (_, n) => `      r${n}: { prompt: .onceover/reviews/code-quality.md }\n`);
  const gates = `  - path: src\n    reviews:\n${reviews.join('')}`;
  const repo = gateRepo({ agents: ['one'], gates, more: 'concurrency: 9' });
  repo.answers('one', failing('src/a.ts', 'export const b = 2;'), ...Array.from({ length: 8 }, () => SLOW));
  const { services } = composeWith({ POSTGRES_PASSWORD: 'unused', AGENT_NAMES: 'one' });
  const commands = [
    ...['worker-1', 'worker-2'].map((name) => services[name]?.command ?? []),
    unitCommand()
      .slice(1)
      .map((word) => (word === 'claude' ? 'one' : word)),
  ];
  const workers = commands.map((words) => startService(words, { store, settings: repo.root }));
  await until(() => workers.every(({ kinds }) => kinds().includes('started')));

  const running = repo.document(['--remote', '--all'], { env: { ONCEOVER_STORE: store }, timeoutMs: 60_000 });
  await until(() => repo.calls().length === 9);
  for (const { child } of workers) child.kill('SIGTERM');
  const run = await running;
  expect(run.code).toBe(1);
  expect(run.gates.map(({ status }) => status).sort()).toEqual(['fail', ...Array.from({ length: 8 }, () => 'pass')]);
  expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  for (const { kinds } of workers) {
    // Nine calls are more than two workers take at once, so each worker has reviewed.
    expect(kinds()).toContain('call-ended');
    expect(kinds().at(-1)).toBe('stopped');
  }
  expect(await sqlAt(store)('SELECT 1 FROM onceover.workers')).toEqual([]);
});

const SLOW = { status: 'pass', violations: [], $sleep: 4000 } as const;
