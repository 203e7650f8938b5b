import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { failing, type GateRepo, gateRepo, waive } from '@onceover/testing/gates.ts';
import { stop } from '@onceover/testing/hook.ts';
import { startPostgres } from '@onceover/testing/postgres-server.mjs';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';

const BAD = failing('src/a.ts', 'export const b = 2;');

const makeRepo = () => gateRepo({ agents: ['one'], numReviews: 1 });

/** Runs SQL on the store of these tests. */
async function sql(text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: process.env['ONCEOVER_STORE'] });
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Copies a repository as a second clone of another person, whose git folder has no receipts, findings or records. */
function secondClone(repo: GateRepo): string {
  const folder = join(dirname(repo.root), 'second', 'repo');
  mkdirSync(dirname(folder));
  repo.git('clone', '-q', repo.root, folder);
  const git = (...args: string[]) => repo.git('-C', folder, ...args);
  git('remote', 'remove', 'origin');
  git('branch', '-f', 'main', repo.git('rev-parse', 'main').trim());
  writeFileSync(join(folder, 'src/a.ts'), 'export const a = 1;\nexport const b = 2;\n');
  return folder;
}

describe('a run with a store for teams', () => {
  test('another clone of the repository does not pay for the same review', async () => {
    const repo = makeRepo();
    expect((await repo.run()).code).toBe(0);
    expect(repo.calls()).toHaveLength(1);
    expect(existsSync(join(repo.root, '.git/onceover/receipts'))).toBe(false);
    const second = await onceover(secondClone(repo), ['run']);
    expect(second).toMatchObject({ code: 0 });
    expect(repo.calls()).toHaveLength(1);
  });

  test('a finding and its waiver count in another clone', async () => {
    const repo = makeRepo();
    repo.answers('one', BAD);
    expect((await repo.run()).code).toBe(1);
    const folder = secondClone(repo);
    expect(await onceover(folder, ['run'])).toMatchObject({ code: 1, stdout: expect.stringContaining('F1') });
    await waive(repo, 'F1');
    expect((await onceover(folder, ['run'])).code).toBe(0);
  });

  test('the stop hook blocks after another clone has found something', async () => {
    const repo = makeRepo();
    expect((await repo.run()).code).toBe(0);
    expect((await stop(repo)).blocked).toBeNull();
    repo.answers('one', BAD);
    expect((await onceover(secondClone(repo), ['run', '--fresh'])).code).toBe(1);
    expect((await stop(repo)).blocked).not.toBeNull();
  });

  test('the statements of docs/team-store.md about retention remove no finding that is open', async () => {
    const repo = makeRepo();
    repo.answers('one', BAD);
    expect((await repo.run()).code).toBe(1);
    const page = readFileSync(join(import.meta.dirname, '../../../docs/team-store.md'), 'utf8');
    const statements = /```text\n(DELETE[\s\S]*?)```/.exec(page)?.[1] ?? '';
    expect(statements.match(/DELETE/g)).toHaveLength(6);
    await sql(statements.replaceAll(/interval '\d+ days'/g, "interval '-1 days'"));
    expect(await sql('SELECT count(*)::int AS n FROM onceover.receipts')).toEqual([{ n: 0 }]);
    expect((await onceover(repo.root, ['status'])).code).toBe(1);
    expect(await onceover(repo.root, ['run'])).toMatchObject({ code: 1, stdout: expect.stringContaining('F1') });
  });

  test('a repository with another first commit shares nothing', async () => {
    const [repo, otherRepo] = [makeRepo(), makeRepo()];
    expect((await repo.run()).code).toBe(0);
    expect((await otherRepo.run()).code).toBe(0);
    expect([repo.calls().length, otherRepo.calls().length]).toEqual([1, 1]);
  });

  test('findings, receipt, record and ledger are written in this order', async () => {
    const repo = makeRepo();
    repo.answers('one', BAD);
    await repo.run();
    const rows = await sql(`WITH r AS (SELECT max(id) AS id FROM onceover.repositories)
      SELECT 'findings' AS name, written_at FROM onceover.findings, r WHERE repository = r.id
      UNION ALL SELECT 'receipts', written_at FROM onceover.receipts, r WHERE repository = r.id
      UNION ALL SELECT 'records', min(written_at) FROM onceover.records, r
        WHERE repository = r.id AND name LIKE '%@1.1.json' GROUP BY 1
      UNION ALL SELECT 'ledger', written_at FROM onceover.ledger, r WHERE repository = r.id
      ORDER BY 2`);
    expect(rows.map(({ name }) => name)).toEqual(['findings', 'receipts', 'records', 'ledger']);
  });

  test('an agent does not see the address of the store', async () => {
    const repo = makeRepo();
    const envFile = join(dirname(repo.root), 'seen.txt');
    repo.answers('one', { status: 'pass', violations: [], $run: `env > ${envFile}` });
    expect((await repo.run()).code).toBe(0);
    expect(readFileSync(envFile, 'utf8')).toContain('PATH=');
    expect(readFileSync(envFile, 'utf8')).not.toContain('postgres:');
  });

  test('checks do not see the address of the store', async () => {
    const gates = '  - path: src\n    checks:\n      env: { run: "env > env.txt" }\n';
    const repo = gateRepo({ agents: ['one'], gates, files: { '.gitignore': 'env.txt\n' } });
    expect((await repo.run()).code).toBe(0);
    const status = await onceover(repo.root, ['status'], {});
    expect(status.code).toBe(0);
    expect(repo.git('grep', '-c', '--no-index', 'ONCEOVER_CHECK\\|PATH', '--', 'env.txt')).not.toBe('');
    expect(() => repo.git('grep', '--no-index', 'postgres', '--', 'env.txt')).toThrow();
  });
});

describe('trust', () => {
  const FORK = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_BASE_REF: '' };

  test.each([
    ['of a fork', { head: 'stranger/shop', base: 'acme/shop' }, 2],
    ['of an own branch', { head: 'acme/shop', base: 'acme/shop' }, 1],
  ])('a receipt of the store in a pull request %s', async (_title, { head, base }, calls) => {
    const repo = makeRepo();
    repo.commit('change');
    expect((await repo.run()).code).toBe(0);
    const event = join(dirname(repo.root), 'event.json');
    const side = (name: string) => ({ repo: { full_name: name } });
    writeFileSync(event, JSON.stringify({ pull_request: { head: side(head), base: side(base) } }));
    repo.git('update-ref', 'refs/remotes/origin/main', 'main');
    const folder = secondClone(repo);
    repo.git('-C', folder, 'update-ref', 'refs/remotes/origin/main', repo.git('rev-parse', 'main').trim());
    const env = { ...FORK, GITHUB_BASE_REF: 'main', GITHUB_EVENT_PATH: event };
    expect(await onceover(folder, ['run'], { env })).toMatchObject({ code: 0 });
    expect(repo.calls()).toHaveLength(calls);
  });

  test.each([
    ['cut off', 'UPDATE onceover.receipts SET document = left(document, 40) WHERE true'],
    [
      'swapped for that of another content',
      `UPDATE onceover.receipts SET document = regexp_replace(document, '"content":"[^"]*"', '"content":"x"')`,
    ],
    ['empty', "UPDATE onceover.receipts SET document = ''"],
  ])('a receipt that is %s does not count', async (_title, change) => {
    const repo = makeRepo();
    expect((await repo.run()).code).toBe(0);
    await sql(change);
    expect((await onceover(repo.root, ['status'])).code).toBe(1);
    repo.answers('one', BAD);
    expect((await repo.run(['--force'])).code).toBe(1);
  });

  test('a finding that cannot be read is an error', async () => {
    const repo = makeRepo();
    repo.answers('one', BAD);
    expect((await repo.run()).code).toBe(1);
    await sql("UPDATE onceover.findings SET document = '{}', kept = 'open'");
    expect((await repo.run()).code).toBe(3);
    await sql('DELETE FROM onceover.findings');
  });
});

describe('a store that is away', () => {
  test('ends a run with exit code 3 and a sentence, also in the middle of the run', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    const repo = makeRepo();
    const config = join(dirname(repo.root), '.config/onceover');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'config.yml'), `store:\n  url: ${server.url}\n  wait_seconds: 1\n`);
    const env = { ONCEOVER_STORE: undefined };
    repo.answers('one', { status: 'pass', violations: [], $sleep: 4000 });
    const running = repo.run([], { env });
    while (repo.calls().length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await server.stop();
    const run = await running;
    expect(run.code).toBe(3);
    expect(run.stdout + run.stderr).toContain('did not answer');
    const away = await onceover(repo.root, ['run'], { env });
    expect(away.code).toBe(3);
    expect(away.stderr).toContain('ONCEOVER_STORE=');
    await server.start();
    expect((await repo.run([], { env })).code).toBe(0);
  });
});
