import { randomUUID } from 'node:crypto';
import { within } from '@onceover/store/boss';
import type { Database, Query } from '@onceover/store/connect';
import type { PgBoss } from 'pg-boss';
import type { ListedRun, PullName, PullRunEnd, TakenRun } from './types.ts';

const QUEUE = 'pull-runs';

/**
 * The name of the queue for review runs that are given up, because servers stopped too often while they worked on them.
 */
const DEAD = 'pull-runs-dead';

/** How often a review run may be given to another server because the previous one stopped. */
const MOST_RETRIES = 3;

const DAY = 24 * 60 * 60;

export const SERVER_HEARTBEAT_SECONDS = 30;

/**
 * How many days a delivery is remembered. If a webhook is repeated later, the server only reads the pull request again.
 */
const KEEP_DELIVERIES_DAYS = 30;

const MOST_LISTED = 200;

/** Creates the queues for review runs of pull requests if they do not exist. */
export async function addPullQueues(boss: PgBoss): Promise<void> {
  await boss.createQueue(DEAD, { retryLimit: 1000, retentionSeconds: DAY, deleteAfterSeconds: 60 });
  await boss.createQueue(QUEUE, {
    deadLetter: DEAD,
    retryLimit: MOST_RETRIES,
    retryDelay: 0,
    heartbeatSeconds: SERVER_HEARTBEAT_SECONDS,
    expireInSeconds: DAY - 1,
    retentionSeconds: DAY,
    deleteAfterSeconds: 60 * 60,
  });
}

export type Accepted = { readonly kind: 'queued'; readonly run: string } | { readonly kind: 'repetition' | 'noted' };

export type PullRuns = ReturnType<typeof openPullRuns>;

/** Reads and writes the review runs of pull requests in the team store, together with their job queue. */
export function openPullRuns(database: Database, boss: PgBoss) {
  async function add(query: Query, pull: PullName, head: string, startedBy: string): Promise<string> {
    const run = randomUUID();
    const job = randomUUID();
    await query(
      `INSERT INTO onceover.pull_runs (id, forge, project, number, head, job, started_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [run, pull.forge, pull.project, pull.number, head, job, startedBy],
    );
    await boss.send(QUEUE, { run }, { id: job, db: within(query) });
    return run;
  }

  /**
   * Cancels all unfinished review runs of a pull request. A server that works on such a run notices this at its next
   * heartbeat.
   */
  async function drop(query: Query, { forge, project, number }: PullName, message: string): Promise<void> {
    const rows = await query<{ job: string }>(
      `UPDATE onceover.pull_runs SET state = 'dropped', said = $4, ended_at = now()
       WHERE forge = $1 AND project = $2 AND number = $3 AND state IN ('waiting', 'running') RETURNING job`,
      [forge, project, number, message],
    );
    for (const { job } of rows) await boss.cancel(QUEUE, job, { db: within(query) });
  }

  return {
    /**
     * Stores a webhook and adds or cancels the review run that it asks for, in one transaction. If the delivery is
     * already stored, nothing changes.
     */
    accept: (
      keys: readonly string[],
      wish: { readonly kind: 'review' | 'closed'; pull: PullName; head: string } | null,
    ) =>
      database.transaction(async (query): Promise<Accepted> => {
        const newKeys = await query(
          'INSERT INTO onceover.deliveries (key) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING key',
          [keys],
        );
        if (newKeys.length < keys.length) return { kind: 'repetition' };
        if (wish === null) return { kind: 'noted' };
        await drop(query, wish.pull, wish.kind === 'closed' ? 'the pull request was closed' : 'a newer webhook came');
        if (wish.kind === 'closed') return { kind: 'noted' };
        return { kind: 'queued', run: await add(query, wish.pull, wish.head, 'webhook') };
      }),

    /** Starts a new review run of a pull request, because a person asks for it. */
    again: (pull: PullName, head: string, by: string) =>
      database.transaction(async (query) => {
        await drop(query, pull, 'it was started again');
        return add(query, pull, head, by);
      }),

    /** Cancels all unfinished review runs of a pull request, because a person asks for it. */
    stop: (pull: PullName, by: string) => database.transaction((query) => drop(query, pull, `${by} stopped it`)),

    /**
     * Takes the oldest review run from the queue. A new run of a pull request waits while another server still runs an
     * earlier one.
     */
    take: () =>
      database.transaction(async (query): Promise<TakenRun | 'none' | 'ended'> => {
        const [job] = await boss.fetch<{ run: string }>(QUEUE, { batchSize: 1, db: within(query) });
        if (job === undefined) return 'none';
        type Row = { forge: 'github' | 'gitlab'; project: string; number: number; head: string; tries: number };
        const [row] = await query<Row>(
          `UPDATE onceover.pull_runs SET state = 'running', tries = tries + 1, started_at = now()
           WHERE id = $1 AND job = $2 AND state IN ('waiting', 'running') RETURNING forge, project, number, head, tries`,
          [job.data.run, job.id],
        );
        if (row === undefined) {
          await boss.complete(QUEUE, job.id, null, { db: within(query) });
          return 'ended';
        }
        const { head, tries, ...pull } = row;
        return { id: job.data.run, job: job.id, retryCount: job.retryCount, pull, head, tries };
      }),

    /**
     * Renews this server's claim on the review runs that it works on. Returns the ids of those that were cancelled or
     * taken over by another server.
     */
    async beat(running: readonly TakenRun[]): Promise<ReadonlySet<string>> {
      if (running.length === 0) return new Set();
      await boss.touch(
        QUEUE,
        running.map(({ job, retryCount }) => ({ id: job, retryCount })),
        { db: within(database.query) },
      );
      const open = await database.query<{ id: string }>(
        `SELECT id FROM onceover.pull_runs AS r JOIN unnest($1::uuid[], $2::uuid[]) AS mine (run, own)
         ON r.id = mine.run AND r.job = mine.own WHERE state = 'running'`,
        [running.map(({ id }) => id), running.map(({ job }) => job)],
      );
      const isOpen = new Set(open.map(({ id }) => id));
      return new Set(running.flatMap(({ id }) => (isOpen.has(id) ? [] : [id])));
    },

    /**
     * Stores the result of a review run and removes its job, in one transaction. Returns false if the run no longer
     * belongs to this server.
     */
    end: (run: TakenRun, end: PullRunEnd, repository: number | null) =>
      database.transaction(async (query) => {
        const [row] = await query(
          `UPDATE onceover.pull_runs SET state = 'ended', verdict = $3, error = $4, said = $5, document = $6,
             repository = $7, ended_at = now()
           WHERE id = $1 AND job = $2 AND state = 'running' RETURNING id`,
          [run.id, run.job, end.verdict, end.error, withoutNul(end.said), end.document, repository],
        );
        if (row !== undefined) await boss.complete(QUEUE, run.job, null, { db: within(query) });
        return row !== undefined;
      }),

    /** Ends a taken review run that needs no result, for example because the pull request was closed. */
    dropTaken: (run: TakenRun, message: string) =>
      database.transaction(async (query) => {
        const [row] = await query(
          `UPDATE onceover.pull_runs SET state = 'dropped', said = $3, ended_at = now()
           WHERE id = $1 AND job = $2 AND state = 'running' RETURNING id`,
          [run.id, run.job, message],
        );
        if (row !== undefined) await boss.complete(QUEUE, run.job, null, { db: within(query) });
      }),

    /**
     * Puts a review run back into the queue, for another server or for a later attempt. `counts` says whether this
     * attempt counts towards the limit on tries.
     */
    putBack: (run: TakenRun, { afterSeconds, counts }: { readonly afterSeconds: number; readonly counts: boolean }) =>
      database.transaction(async (query) => {
        const job = randomUUID();
        const [open] = await query(
          `UPDATE onceover.pull_runs SET state = 'waiting', job = $3, tries = tries - $4
           WHERE id = $1 AND job = $2 AND state = 'running' RETURNING id`,
          [run.id, run.job, job, counts ? 0 : 1],
        );
        if (open === undefined) return;
        await boss.complete(QUEUE, run.job, null, { db: within(query) });
        await boss.send(QUEUE, { run: run.id }, { id: job, startAfter: afterSeconds, db: within(query) });
      }),

    /** Ends the review runs whose servers stopped too often, and deletes old deliveries and old runs. */
    tidy: (keepRunsDays: number) =>
      database.transaction(async (query) => {
        const dead = await boss.fetch<{ run: string }>(DEAD, { batchSize: 20, db: within(query) });
        for (const { id, data } of dead) {
          await query(
            `UPDATE onceover.pull_runs SET state = 'ended', verdict = 'error', error = 'server-died',
               said = 'the servers that ran it stopped several times', ended_at = now()
             WHERE id = $1 AND state IN ('waiting', 'running')`,
            [data.run],
          );
          await boss.complete(DEAD, id, null, { db: within(query) });
        }
        await query(
          `DELETE FROM onceover.deliveries WHERE key IN (SELECT key FROM onceover.deliveries
             WHERE received_at < now() - make_interval(days => $1) LIMIT 1000)`,
          [KEEP_DELIVERIES_DAYS],
        );
        await query(
          `DELETE FROM onceover.pull_runs WHERE id IN (SELECT id FROM onceover.pull_runs
             WHERE state IN ('ended', 'dropped') AND ended_at < now() - make_interval(days => $1) LIMIT 1000)`,
          [keepRunsDays],
        );
      }),

    /** Returns the newest review runs of one repository, or of all repositories if `repository` is `null`. */
    async list(repository: number | null): Promise<readonly ListedRun[]> {
      return database.query<ListedRun>(
        `SELECT id, forge, project, number, head, state, verdict, said, started_by,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created_at,
           to_char(ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS ended_at
         FROM onceover.pull_runs WHERE $1::bigint IS NULL OR repository = $1
         ORDER BY onceover.pull_runs.created_at DESC LIMIT $2`,
        [repository, MOST_LISTED],
      );
    },

    /** Returns a review run with its document; `null` if there is no such run. */
    async find(id: string): Promise<(ListedRun & { readonly document: string | null }) | null> {
      if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return null;
      const [run] = await database.query<ListedRun & { document: string | null }>(
        `SELECT id, forge, project, number, head, state, verdict, said, started_by, document,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS created_at,
           to_char(ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS ended_at
         FROM onceover.pull_runs WHERE id = $1`,
        [id],
      );
      return run ?? null;
    },
  };
}

/** Removes NUL characters, which PostgreSQL rejects in texts, and shortens the text. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '').slice(0, 4000);
}
