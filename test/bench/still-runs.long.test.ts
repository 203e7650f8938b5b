import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CLI } from '@onceover/testing/cli.ts';
import { postgresPrograms } from '@onceover/testing/postgres-server.mjs';
import { expect, test } from 'vitest';

const DAY = ['places', 'starts', 'connections', 'calls', 'snapshots'];

const BENCH = resolve(import.meta.dirname, '../../bench');

// Benchmarks call internals of the program, and the compiler does not check them. Run just enough to see that they
// work.
type Bench = readonly [name: string, env: Readonly<Record<string, string>>, ids: readonly string[], said: string];

const rows: readonly Bench[] = [
  ['delta', { DELTA_SEQUENCES: '2' }, ['sent', 'lost'], 'context-3'],
  ['live', { LIVE_SECONDS: '1' }, ['display'], 'writes'],
  [
    'passes',
    { PASSES_STATEMENTS: '200', PASSES_ROUNDS: '1', PASSES_FIRST_ROUNDS: '1' },
    ['first-200', 'next-200', 'none-200', 'run-first-200', 'run-next-200', 'git-calls'],
    'git fetch',
  ],
  ['reviews', {}, ['branch'], 'run by run: 20, 1, 1, 1, 1, 1, 1, 1, 1, 1'],
  ...(postgresPrograms === null
    ? []
    : ([
        [
          'team',
          { TEAM_JOBS: '20', TEAM_WORKERS: '2', TEAM_ROUNDS: '1', TEAM_STARTS: '3' },
          ['size', 'calls-2', 'start-p50', 'start-p99', ...DAY.map((name) => `day-${name}`)],
          'pg-boss alone',
        ],
        [
          'team-store',
          { TEAM_RECEIPTS: '2000', TEAM_ROUNDS: '1' },
          ['look-up', 'connect', 'write', 'size'],
          'look-up of 200 gates',
        ],
      ] as const)),
];

test.each(rows)('bench/%s.mjs reports its rows', (name, more, ids, said) => {
  const folder = mkdtempSync(join(tmpdir(), 'onceover-test-'));
  try {
    const env = { ...process.env, ONCEOVER_TEST_CLI: CLI, ONCEOVER_BENCH_ROWS: join(folder, 'rows'), ...more };
    const end = spawnSync(process.execPath, [join(BENCH, `${name}.mjs`)], { env, encoding: 'utf8' });
    expect(end.stderr).not.toContain('Error');
    expect(end.stdout).toContain(said);
    const told = readFileSync(join(folder, 'rows'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly id: string; readonly figure: number });
    expect(told.map(({ id }) => id)).toEqual(ids);
    expect(told.every(({ figure }) => Number.isFinite(figure))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
