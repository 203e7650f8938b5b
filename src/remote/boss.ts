import type { PgBoss } from 'pg-boss';
import type { Result } from '../kernel/result.ts';
import type { Database, Query } from '../team/connect.ts';
import { optionalPackage } from '../team/optional-package.ts';
import { StoreError, storeError, storeResult } from '../team/store-error.ts';
import { storeTrouble } from '../team/store-trouble.ts';

type BossPackage = { readonly PgBoss: new (options: object) => PgBoss };

/** The schema of the queue in PostgreSQL. pg-boss owns it. */
const QUEUE_SCHEMA = 'onceover_queue';

/** The queue for jobs whose workers died too often. */
export const DEAD_QUEUE = 'dead';

/** How often a call whose worker dies goes back into the queue. Starts of its agent have a lower limit. */
const MOST_RETRIES = 20;

/** Opens the queue for a client, which only sends and cancels jobs. It shares the connections of `database`. */
export function openClientBoss(database: Database): Promise<Result<PgBoss>> {
  const options = { db: within(database.query), migrate: false, supervise: false, schedule: false };
  return storeResult(startBoss(database.where, options));
}

/** How long a worker may be silent before its calls are given to other workers. The queue allows no less than 10. */
export type Heartbeat = { readonly heartbeatSeconds: number };

/** Opens the queue for a worker. It also watches for workers that died, and listens for new jobs. */
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
  const found = optionalPackage('pg-boss') as BossPackage | null;
  if (found === null) throw storeError(where, 'no-package', '');
  const boss = new found.PgBoss({ ...options, schema: QUEUE_SCHEMA });
  // A lost connection is reported here, too. Every caller sees it by itself.
  boss.on('error', () => undefined);
  try {
    return await boss.start();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const why = storeTrouble(error);
    if (why !== null && why !== 'conflict') throw storeError(where, why, String(error));
    // Only workers make the queue.
    if (error instanceof Error && /not installed|migrat/i.test(error.message)) throw storeError(where, 'no-worker', '');
    throw error;
  }
}

/** Adds the queues of a worker, or brings their options up to date. */
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
      // The agent has its own time limit. The heartbeat shows whether its worker still lives.
      expireInSeconds: day - 1,
      retentionSeconds: day,
      deleteAfterSeconds: 60 * 60,
    };
    await boss.createQueue(name, options);
    // A queue that exists keeps its options otherwise, so a new `--heartbeat` would have no effect.
    await boss.updateQueue(name, options);
  }
}

/** Returns an option for calls to pg-boss that makes them part of a transaction. */
export function within(query: Query) {
  return {
    executeSql: async (sql: string, values?: unknown[]) => ({ rows: [...((await query(sql, values ?? [])) ?? [])] }),
  };
}
