import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failing, type GateRepo, PASS } from '@onceover/testing/gates.ts';
import { sqlAt } from '@onceover/testing/postgres.ts';
import { until } from '@onceover/testing/until.ts';
import { alone, BAD, OBJECTION, waysUnder } from '@onceover/testing/ways.ts';
import { startWorker } from '@onceover/testing/workers.ts';
import { expect } from 'vitest';

const way = waysUnder('Reviews on workers');

const store = () => process.env['ONCEOVER_STORE'] ?? '';

const sql = (text: string) => sqlAt(store())(text);

/** Makes a repository whose changes a worker reviews. */
async function withWorker(): Promise<GateRepo> {
  const repo = alone();
  await startWorker(store(), [{ name: 'one', folder: repo.root }]);
  return repo;
}

const REMOTE = { timeoutMs: 60_000 };

const remote = (repo: GateRepo, env: NodeJS.ProcessEnv = {}) => repo.document(['--remote'], { ...REMOTE, env });

/** Returns the id of the call that runs, as soon as its agent has been called this many times. */
async function runningCall(repo: GateRepo, calls: number): Promise<string> {
  await until(() => repo.calls().length === calls);
  const [row] = await sql(`SELECT id FROM onceover.calls WHERE state = 'running' ORDER BY created_at DESC LIMIT 1`);
  return String(row?.['id']);
}

const AN_ANSWER = JSON.stringify({
  ok: true,
  ...{ model: null, durationMs: 1 },
  reply: { text: JSON.stringify(PASS), sessionId: null, usage: null, sessionUsage: null, filesRead: null },
});

way('Someone turns the stored answer of a reviewer into a pass before a pull request from a fork runs.', async () => {
  const repo = await withWorker();
  repo.commit('change');
  repo.git('update-ref', 'refs/remotes/origin/main', 'main');
  repo.answers('one', OBJECTION, OBJECTION);
  expect((await remote(repo)).code).toBe(1);
  await sql(`UPDATE onceover.calls SET answer = '${AN_ANSWER}'`);
  // The job of the pull request has a new clone.
  for (const folder of ['.deepwork', '.git/onceover'])
    rmSync(join(repo.root, folder), { recursive: true, force: true });
  const event = join(dirname(repo.root), 'event.json');
  const side = (name: string) => ({ repo: { full_name: name } });
  writeFileSync(event, JSON.stringify({ pull_request: { head: side('stranger/shop'), base: side('acme/shop') } }));
  const fork = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_BASE_REF: 'main', GITHUB_EVENT_PATH: event };
  expect((await remote(repo, fork)).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('A worker stores an answer that cannot be read.', async () => {
  const repo = await withWorker();
  repo.answers('one', { ...OBJECTION, $sleep: 3000 });
  const running = remote(repo);
  const call = await runningCall(repo, 1);
  await sql(
    `UPDATE onceover.calls SET state = 'answered', answer = '{"ok":true,"status":"pass"}' WHERE id = '${call}'`,
  );
  expect((await running).code).toBe(3);
});

way('The agent of a worker answers with text that contains no verdict.', async () => {
  const repo = await withWorker();
  repo.answers('one', ...Array.from({ length: 4 }, () => ({ $raw: 'Everything passes.' })));
  expect((await remote(repo)).code).toBe(3);
});

way('The call is deleted from the database while the run waits for it.', async () => {
  const repo = await withWorker();
  repo.answers('one', { ...PASS, $sleep: 3000 }, failing('src/a.ts', BAD, { line: 2 }));
  const running = remote(repo);
  await sql(`DELETE FROM onceover.calls WHERE id = '${await runningCall(repo, 1)}'`);
  expect((await running).code).toBe(1);
  expect(repo.calls()).toHaveLength(2);
});

way('The files of the change are deleted from the database before a worker takes the call.', async () => {
  const repo = await withWorker();
  await sql(`CREATE FUNCTION onceover.lose() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN DELETE FROM onceover.snapshots; RETURN NEW; END';
    CREATE TRIGGER lose BEFORE INSERT ON onceover.calls FOR EACH ROW EXECUTE FUNCTION onceover.lose()`);
  const ended = await remote(repo);
  await sql('DROP FUNCTION onceover.lose CASCADE');
  expect(ended.code).toBe(3);
  expect(repo.calls()).toEqual([]);
});

way('No worker is connected.', async () => {
  const ended = await alone().run(['--remote'], REMOTE);
  expect(ended.code).toBe(3);
  expect(ended.stdout + ended.stderr).toContain('onceover worker');
});
