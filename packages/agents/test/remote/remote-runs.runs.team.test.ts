import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunDocument } from '@onceover/gates/result/json';
import { migrate } from '@onceover/store/migrate';
import { pruneCalls } from '@onceover/team/src/worker/prune.ts';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, gateRepo } from '@onceover/testing/gates.ts';
import { connectForTest } from '@onceover/testing/postgres.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { spawnWorker } from '@onceover/testing/workers.ts';
import { expect, test } from 'vitest';

test.each([
  ['no flag', [], true],
  ['--no-remote', ['--no-remote'], false],
])('"runs: remote" in the config of the user and %s', async (_title, flags, isRemote) => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  const config = join(dirname(repo.root), '.config/onceover');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.yml'), 'runs: remote\n');
  repo.answers('one', failing('src/a.ts', 'export const b = 2;'));
  const ran = await repo.run([...flags]);
  // No worker is connected, so a remote run cannot review: that is an error, and never a pass.
  expect(ran.code).toBe(isRemote ? 3 : 1);
  expect(repo.calls()).toHaveLength(isRemote ? 0 : 1);
  if (isRemote) expect(ran.stdout + ran.stderr).toContain('onceover worker');
});

test('two clones that run at the same time pay one call, and store one finding', async () => {
  const repo = gateRepo({ agents: ['one'], numReviews: 1 });
  const clone = join(dirname(repo.root), 'clone');
  cpSync(repo.root, clone, { recursive: true });
  const url = process.env['ONCEOVER_STORE'] ?? '';
  await spawnWorker(url, { name: 'one', folder: repo.root }, temporaryFolder()).ready;
  const envFile = join(dirname(repo.root), 'seen');
  repo.answers('one', { ...failing('src/a.ts', 'export const b = 2;'), $sleep: 4000, $run: `env > ${envFile}` });
  const remote = ['run', '--remote', '--json'];
  const ends = await Promise.all([repo.root, clone].map((folder) => onceover(folder, remote, { timeoutMs: 60_000 })));
  expect(ends.map(({ code }) => code)).toEqual([1, 1]);
  expect(repo.calls()).toHaveLength(1);
  const findingIds = ends.map(({ stdout }) => (JSON.parse(stdout) as RunDocument).findings.map(({ id }) => id));
  expect(findingIds[0]).toHaveLength(1);
  expect(findingIds[1]).toEqual(findingIds[0]);
  // The agent on the worker does not see the address of the store.
  expect(readFileSync(envFile, 'utf8')).toContain('PATH=');
  expect(readFileSync(envFile, 'utf8')).not.toContain('postgres:');
});

test('pruning removes old ended calls and unused snapshots, and no open call', async () => {
  const database = await connectForTest();
  expect(await migrate(database)).toMatchObject({ ok: true });
  const { query } = database;
  await query("INSERT INTO onceover.repositories (identity, remote, root) VALUES ('i', 'r', 'x')");
  await query(`INSERT INTO onceover.calls (id, repository, key, queue, job, agent, priority, request, state, created_at, ended_at)
    SELECT gen_random_uuid(), (SELECT id FROM onceover.repositories), state || age, 'q', gen_random_uuid(), 'a', 0, '', state,
      now() - make_interval(days => age), CASE WHEN state IN ('waiting', 'running') THEN NULL ELSE now() - make_interval(days => age) END
    FROM unnest(ARRAY['waiting', 'running', 'answered', 'failed', 'cancelled']) AS state, unnest(ARRAY[1, 30]) AS age`);
  await query('INSERT INTO onceover.call_waiters (call, client) SELECT id, gen_random_uuid() FROM onceover.calls');
  await query(`INSERT INTO onceover.call_starts (call, agent, account, worker, started_at, beat_at)
    SELECT gen_random_uuid(), 'a', 'a', gen_random_uuid(), now() - make_interval(days => age), now() - make_interval(days => age)
    FROM unnest(ARRAY[30, 1]) AS age`);
  await query(`INSERT INTO onceover.snapshots (repository, tree, base, chunks, bytes, used_at)
    SELECT (SELECT id FROM onceover.repositories), age::text, '', 0, 0, now() - make_interval(hours => age)
    FROM unnest(ARRAY[1, 30]) AS age`);
  await pruneCalls(database, { callsDays: 7, snapshotHours: 24 });
  const remainingRows = await query<{ key: string }>('SELECT key FROM onceover.calls ORDER BY key');
  expect(remainingRows.map(({ key }) => key)).toEqual([
    'answered1',
    'cancelled1',
    'failed1',
    'running1',
    'running30',
    'waiting1',
    'waiting30',
  ]);
  expect(await query('SELECT 1 FROM onceover.call_waiters')).toHaveLength(7);
  expect(await query('SELECT 1 FROM onceover.call_starts')).toHaveLength(1);
  expect(await query('SELECT tree FROM onceover.snapshots')).toEqual([{ tree: '1' }]);
});
