import type { Result } from '@onceover/base/kernel/result';
import { PgBoss } from 'pg-boss';
import type { Database, Query } from './connect.ts';
import { StoreError, storeError, storeResult } from './store-error.ts';
import { storeTrouble } from './store-trouble.ts';

/** The PostgreSQL schema of the job queue. The package pg-boss creates its tables and changes them. */
const QUEUE_SCHEMA = 'onceover_queue';

/** The name of the queue for jobs that are given up, because their workers stopped too often. */
export const DEAD_QUEUE = 'dead';

/**
 * How often an agent call goes back into the queue because its worker stopped. If the agent was already running, the
 * lower limit `MOST_LOST_STARTS` applies.
 */
const MOST_RETRIES = 20;

/** Opens the job queue for a client, which only sends and cancels jobs. It shares the connections of `database`. */
export function openClientBoss(database: Database): Promise<Result<PgBoss>> {
  const options = { db: within(database.query), migrate: false, supervise: false, schedule: false };
  return storeResult(startBoss(database.where, options));
}

/**
 * How long a worker may be silent before its agent calls are given to other workers. pg-boss allows at least 10
 * seconds.
 */
export type Heartbeat = { readonly heartbeatSeconds: number };

/** Opens the job queue for a worker. It also detects other workers that stopped, and listens for new jobs. */
export function openWorkerBoss(
  address: string,
  { where }: Pick<Database, 'where'>,
  { heartbeatSeconds }: Heartbeat,
): Promise<Result<PgBoss>> {
  const interval = Math.max(1, Math.min(10, Math.floor(heartbeatSeconds / 5)));
  return storeResult(
    startBoss(where, {
      connectionString: address,
      application_name: 'onceover worker',
      max: 3,
      schedule: false,
      superviseIntervalSeconds: interval,
      monitorIntervalSeconds: interval,
    }),
  );
}

async function startBoss(where: string, options: object): Promise<PgBoss> {
  const boss = new PgBoss({ ...options, schema: QUEUE_SCHEMA });
  // pg-boss also reports lost connections here. Ignore them: every caller gets the error itself.
  boss.on('error', () => undefined);
  try {
    return await boss.start();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const why = storeTrouble(error);
    if (why !== null && why !== 'conflict') throw storeError(where, why, String(error));
    // Only workers create the queue's tables. If they are missing, no worker has ever been started.
    if (error instanceof Error && /not installed|migrat/i.test(error.message)) throw storeError(where, 'no-worker', '');
    throw error;
  }
}

/** Creates the queues of a worker, or updates their options if they exist. */
export async function addQueues(
  boss: PgBoss,
  names: readonly string[],
  { heartbeatSeconds }: Heartbeat,
): Promise<void> {
  const day = 24 * 60 * 60;
  await boss.createQueue(DEAD_QUEUE, { retryLimit: 1000, retentionSeconds: day, deleteAfterSeconds: 60 });
  for (const name of names) {
    const options = {
      deadLetter: DEAD_QUEUE,
      retryLimit: MOST_RETRIES,
      retryDelay: 0,
      heartbeatSeconds,
      // The agent has its own time limit, so the job's limit can be long. The heartbeat shows whether the worker is
      // alive.
      expireInSeconds: day - 1,
      retentionSeconds: day,
      deleteAfterSeconds: 60 * 60,
    };
    await boss.createQueue(name, options);
    // `createQueue` leaves an existing queue as it is, so without this update a new `--heartbeat` would have no effect.
    await boss.updateQueue(name, options);
  }
}

/** Returns an option that makes pg-boss run its SQL inside the transaction of `query`. */
export function within(query: Query) {
  return {
    executeSql: async (sql: string, values?: unknown[]) => ({ rows: [...((await query(sql, values ?? [])) ?? [])] }),
  };
}
