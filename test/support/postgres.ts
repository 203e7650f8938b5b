import { randomBytes } from 'node:crypto';
import { type ConnectOptions, connect, type Database } from '@onceover/store/connect';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Returns the address of a new, empty database. `drop` removes it. */
export async function newDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const given = process.env['ONCEOVER_TEST_POSTGRES'];
  if (given === undefined) throw new Error('There is no PostgreSQL. Run these tests with "npm run test:team".');
  const name = `onceover_${randomBytes(8).toString('hex')}`;
  await administer(given, `CREATE DATABASE ${name}`);
  const url = new URL(given);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => administer(given, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** Like `newDatabase`, for one test. */
export async function databaseOfTest(): Promise<string> {
  const { url, drop } = await newDatabase();
  onTestFinished(drop);
  return url;
}

/** Connects to a new database for one test. */
export async function connectForTest(options: ConnectOptions = {}): Promise<Database> {
  const opened = await connect(await databaseOfTest(), options);
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure));
  onTestFinished(() => opened.value.close());
  return opened.value;
}

/** Returns a function that runs SQL on a database and returns the rows. */
export function sqlAt(url: string) {
  return async (text: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
}

async function administer(url: string, sql: string): Promise<void> {
  await sqlAt(url)(sql);
}
