import { connectForTest, databaseOfTest } from '@onceover/testing/postgres.ts';
import { startPostgres } from '@onceover/testing/postgres-server.mjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect, type Database } from '../src/connect.ts';
import { openRepositoryRow } from '../src/identity.ts';
import { migrate } from '../src/migrate.ts';
import { MIGRATIONS } from '../src/migrations.ts';

const VERSIONS = MIGRATIONS.map(({ version }) => version);

async function open(url: string): Promise<Database> {
  const result = await connect(url);
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  onTestFinished(() => result.value.close());
  return result.value;
}

describe('migrate', () => {
  test('versions count up from 1', () => {
    expect(VERSIONS).toEqual(VERSIONS.map((_, n) => n + 1));
  });

  test('applies all versions once, and then none', async () => {
    const database = await connectForTest();
    expect(await migrate(database)).toEqual({ ok: true, value: VERSIONS });
    expect(await migrate(database)).toEqual({ ok: true, value: [] });
  });

  test('eight programs that start at once apply each version once', async () => {
    const url = await databaseOfTest();
    const databases = await Promise.all(Array.from({ length: 8 }, () => open(url)));
    const results = await Promise.all(databases.map((database) => migrate(database)));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(results.flatMap((result) => (result.ok ? result.value : [])).sort()).toEqual([...VERSIONS].sort());
  });

  test('a program refuses a schema of a newer one and changes nothing', async () => {
    const database = await connectForTest();
    await migrate(database);
    const version = VERSIONS.length + 1;
    const newer = [...MIGRATIONS, { version, name: 'later', sql: 'CREATE TABLE onceover.later (x int)' }];
    expect(await migrate(database, newer)).toEqual({ ok: true, value: [version] });
    const failure = { kind: 'store-failed', why: 'newer-schema' };
    expect(await migrate(database)).toMatchObject({ ok: false, failure });
    expect(await database.query('SELECT count(*)::int AS n FROM onceover.later')).toEqual([{ n: 0 }]);
  });

  test('a migration that fails leaves nothing behind', async () => {
    const database = await connectForTest();
    const migrations = [
      ...MIGRATIONS,
      { version: VERSIONS.length + 1, name: 'broken', sql: 'CREATE TABLE onceover.x (' },
    ];
    await expect(migrate(database, migrations)).rejects.toThrow(/syntax/);
    expect(await database.query("SELECT to_regclass('onceover.repositories') AS found")).toEqual([{ found: null }]);
  });
});

describe('connect', () => {
  test('a failed transaction is rolled back', async () => {
    const database = await connectForTest();
    await database.query('CREATE TABLE t (x int)');
    const transaction = database.transaction(async (query) => {
      await query('INSERT INTO t VALUES (1)');
      throw new Error('stopped here');
    });
    await expect(transaction).rejects.toThrow('stopped here');
    expect(await database.query('SELECT x FROM t')).toEqual([]);
  });

  test('a statement that takes too long is a failure', async () => {
    const database = await connectForTest({ statementSeconds: 1 });
    await expect(database.query('SELECT pg_sleep(20)')).rejects.toMatchObject({ failure: { why: 'timeout' } });
  });

  test('a wrong database name is a failure at once', async () => {
    const url = new URL(await databaseOfTest());
    url.pathname = '/absent';
    const start = Date.now();
    expect(await connect(url.href)).toMatchObject({ ok: false, failure: { why: 'refused' } });
    expect(Date.now() - start).toBeLessThan(5000);
  });

  test('a server that is stopped and started again is waited for; one that stays away is a failure', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.remove());
    const result = await connect(server.url, { waitSeconds: 15 });
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    const database = result.value;
    onTestFinished(() => database.close());
    await database.query('CREATE TABLE t (x int PRIMARY KEY)');
    await server.stop();
    const transaction = database.transaction((query) => query('INSERT INTO t VALUES (7) ON CONFLICT DO NOTHING'));
    await new Promise((resolve) => setTimeout(resolve, 500));
    await server.start();
    await transaction;
    expect(await database.query('SELECT x FROM t')).toEqual([{ x: 7 }]);
    await server.stop();
    const impatient = await connect(server.url, { waitSeconds: 0 });
    expect(impatient).toMatchObject({ ok: false, failure: { kind: 'store-failed', why: 'unreachable' } });
  });
});

describe('repositories', () => {
  const SHOP = { remote: 'git@github.com:acme/shop.git', root: 'a'.repeat(40) };

  test('clones of one repository share a row, and a fork has another', async () => {
    const database = await connectForTest();
    await migrate(database);
    const row = await openRepositoryRow(database, SHOP);
    const sameRow = await openRepositoryRow(database, { ...SHOP, remote: 'https://github.com/acme/shop' });
    const fork = await openRepositoryRow(database, { ...SHOP, remote: 'https://github.com/fork/shop' });
    expect(row).toMatchObject({ ok: true, value: { id: 1, remote: 'github.com/acme/shop' } });
    expect(sameRow).toEqual(row);
    expect(fork.ok && row.ok && fork.value.id !== row.value.id).toBe(true);
  });

  test('a shallow clone finds the row of its remote, and is a failure if there is none or more than one', async () => {
    const database = await connectForTest();
    await migrate(database);
    const shallow = { ...SHOP, root: null };
    const failure = { kind: 'store-failed', why: 'shallow-clone' };
    expect(await openRepositoryRow(database, shallow)).toMatchObject({ ok: false, failure });
    const full = await openRepositoryRow(database, SHOP);
    expect(await openRepositoryRow(database, shallow)).toEqual(full);
    await openRepositoryRow(database, { ...SHOP, root: 'b'.repeat(40) });
    expect(await openRepositoryRow(database, shallow)).toMatchObject({ ok: false, failure });
  });
});
