import { setTimeout as pause } from 'node:timers/promises';
import type { Result } from '@onceover/base/kernel/result';
import pg, { type Pool, type PoolClient } from 'pg';
import { shownStore } from './store-address.ts';
import { StoreError, storeError, storeResult } from './store-error.ts';
import { storeTrouble } from './store-trouble.ts';

/** Runs one SQL statement with its values and returns the rows. Throws a `StoreError` on failure. */
export type Query = <Row = Record<string, unknown>>(
  sql: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** An open connection to the PostgreSQL database of the store for teams. */
export type Database = {
  /** The address without user and password, which is safe to print. */
  readonly where: string;
  readonly query: Query;
  /**
   * Runs `work` in one transaction. If the connection is lost, `work` runs again, even if its first commit may have
   * succeeded. So use only statements for which a second run changes nothing.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

export type ConnectOptions = {
  /** How many seconds to wait for a server that does not answer. After that, the query fails. */
  readonly waitSeconds?: number;
  readonly statementSeconds?: number;
  readonly connections?: number;
  readonly stop?: AbortSignal;
};

const FIRST_PAUSE_MS = 100;

const LONGEST_PAUSE_MS = 2000;

/** Connects to a database and checks that the database answers. The package `pg` is loaded only here. */
export async function connect(address: string, options: ConnectOptions = {}): Promise<Result<Database>> {
  return storeResult(openDatabase(address, options));
}

async function openDatabase(address: string, options: ConnectOptions): Promise<Database> {
  const where = shownStore(address);
  if (where === null) throw storeError('ONCEOVER_STORE', 'bad-address', '');
  const pool = openPool(address, options);
  const database = databaseOf(pool, where, options);
  try {
    await database.query('SELECT 1');
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

function openPool(address: string, { statementSeconds = 30, connections = 4 }: ConnectOptions): Pool {
  const limit = statementSeconds * 1000;
  const pool = new pg.Pool({
    connectionString: address,
    application_name: 'onceover',
    max: connections,
    connectionTimeoutMillis: 5000,
    // Close idle connections soon: PostgreSQL limits their number, reviews take minutes, and connecting again takes
    // only milliseconds.
    idleTimeoutMillis: 3000,
    statement_timeout: limit,
    // The server may disappear without closing the connection, so the client needs a time limit of its own.
    query_timeout: limit + 5000,
    lock_timeout: limit,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    // An idle connection must not keep the process running after the command is done.
    allowExitOnIdle: true,
  });
  // Ignore the loss of an idle connection; the next query opens a new one.
  pool.on('error', () => undefined);
  return pool;
}

function databaseOf(pool: Pool, where: string, { waitSeconds = 20, stop }: ConnectOptions): Database {
  /** Runs `work` with a connection. If the server is unreachable, tries again until `waitSeconds` have passed. */
  async function patiently<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const until = Date.now() + waitSeconds * 1000;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await withClient(pool, work);
      } catch (error) {
        const why = error instanceof StoreError ? null : storeTrouble(error);
        if (why === null) throw error;
        const isWorthWaiting = why === 'unreachable' || why === 'conflict';
        const message = error instanceof Error ? error.message : String(error);
        if (!isWorthWaiting || Date.now() + pauseMs > until || stop?.aborted === true)
          throw storeError(where, why === 'conflict' ? 'timeout' : why, message);
        await pause(pauseMs, undefined, stop === undefined ? {} : { signal: stop }).catch(() => undefined);
      }
    }
  }

  return {
    where,
    query: (sql, values) => patiently((client) => queryOf(client)(sql, values)),
    transaction: (work) =>
      patiently(async (client) => {
        await client.query('BEGIN');
        const result = await work(queryOf(client));
        await client.query('COMMIT');
        return result;
      }),
    close: () => pool.end(),
  };
}

/**
 * Runs `work` with a connection from the pool. After a failure the connection is closed, which also rolls back its
 * transaction.
 */
async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // Without a listener, a connection that breaks between two queries would end the process. The next query reports the
  // failure.
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    const result = await work(client);
    client.off('error', ignore);
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function queryOf(client: PoolClient): Query {
  return async <Row>(sql: string, values: readonly unknown[] = []) =>
    (await client.query(sql, [...values])).rows as readonly Row[];
}
