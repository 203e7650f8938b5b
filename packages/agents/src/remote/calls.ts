import { randomUUID } from 'node:crypto';
import type { AgentReply, Usage } from '@onceover/base/kernel/agent';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { within } from '@onceover/store/boss';
import type { Database, Query } from '@onceover/store/connect';
import type { PgBoss } from 'pg-boss';
import { priorityOf, queueName } from './decide-call.ts';
import { readAnswerText, readOffersText, readUsageText } from './json-call.ts';
import type { CallRequest, CallState, Offer, Urgency } from './types.ts';

/** The PostgreSQL notification channel that wakes workers when an agent call was added. */
export const NEW_CALL = 'onceover_calls';

/** A worker that was not seen for this many seconds counts as stopped. */
const WORKER_SECONDS = 30;

/** A client that was not seen for this many seconds no longer waits for its agent calls. */
export const WAITER_SECONDS = 30;

/** For how many seconds another client may use an answer to the same agent call. */
const REUSE_SECONDS = 15 * 60;

export type WantedCall = {
  readonly key: string;
  readonly request: CallRequest;
  readonly urgency: Urgency;
  /** Whether this client can use an existing answer. An answer that cannot be parsed, for example, is not accepted. */
  accepts(reply: AgentReply): boolean;
};

type Row = { readonly id: string; readonly job: string; readonly queue: string; readonly answer: string | null };

/** The progress of an agent call. `end` is `null` until the call has ended. */
export type CallProgress = {
  readonly id: string;
  readonly state: CallState;
  readonly doing: string | null;
  readonly usage: Usage | null;
  readonly end: AskEnd | null;
};

/**
 * The calls to agents that a client adds to the queue and waits for. Clients of one repository that want the same call
 * share it.
 */
export type ClientCalls = ReturnType<typeof openCalls>;

export function openCalls(database: Database, boss: PgBoss, repository: number) {
  const client = randomUUID();

  /**
   * Looks for an open or recently answered agent call with this key. If it is open, the client is added to those that
   * wait for it. Returns the call's id; `null` if there is none.
   */
  async function join(query: Query, { key, urgency, accepts }: Omit<WantedCall, 'request'>): Promise<string | null> {
    await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${repository}:${key}`]);
    const [open] = await query<Row>(
      `SELECT id, job, queue FROM onceover.calls
       WHERE repository = $1 AND key = $2 AND state IN ('waiting', 'running')`,
      [repository, key],
    );
    if (open !== undefined) {
      await query(
        `INSERT INTO onceover.call_waiters (call, client) VALUES ($1, $2)
         ON CONFLICT (call, client) DO UPDATE SET seen_at = now()`,
        [open.id, client],
      );
      // The open agent call may belong to a CI job. If the new client is a person at a terminal, raise the call's
      // priority.
      await query(
        `UPDATE onceover.calls SET priority = $2 WHERE id = $1 AND priority < $2 AND state = 'waiting' RETURNING id`,
        [open.id, priorityOf(urgency)],
      ).then(async ([row]) => {
        if (row === undefined) return;
        await boss.update(open.queue, undefined, { id: open.job, priority: priorityOf(urgency), db: within(query) });
      });
      return open.id;
    }
    const answeredCalls = await query<Row>(
      `SELECT id, answer FROM onceover.calls
       WHERE repository = $1 AND key = $2 AND state = 'answered' AND ended_at > now() - make_interval(secs => $3)
       ORDER BY ended_at DESC LIMIT 1`,
      [repository, key, REUSE_SECONDS],
    );
    const usable = answeredCalls.find(({ answer }) => {
      const end = readAnswerText(answer ?? '');
      return end?.ok === true && accepts(end.reply);
    });
    return usable?.id ?? null;
  }

  return {
    /**
     * Returns the id of an agent call with the same key to wait for, or whose answer can be used; `null` if there is
     * none.
     */
    find: (call: Omit<WantedCall, 'request'>) => database.transaction((query) => join(query, call)),

    /**
     * Adds an agent call to the queue unless another client has added the same call meanwhile. `isNew` is true if this
     * client added the call; only then does this client count its cost.
     */
    add: ({ request, ...call }: WantedCall) =>
      database.transaction(async (query) => {
        const openId = await join(query, call);
        if (openId !== null) return { id: openId, isNew: false };
        const id = randomUUID();
        const job = randomUUID();
        const queue = queueName(request);
        const priority = priorityOf(call.urgency);
        await query(
          `INSERT INTO onceover.calls (id, repository, key, queue, job, agent, priority, request)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [id, repository, call.key, queue, job, request.agent, priority, JSON.stringify(request)],
        );
        await query('INSERT INTO onceover.call_waiters (call, client) VALUES ($1, $2)', [id, client]);
        await boss.send(queue, { call: id }, { id: job, priority, db: within(query) });
        await query('SELECT pg_notify($1, $2)', [NEW_CALL, queue]);
        return { id, isNew: true };
      }),

    /**
     * Returns the progress of agent calls, and records that this client still waits for them. A call that is no longer
     * in the store counts as cancelled.
     */
    async progress(ids: readonly string[]): Promise<readonly CallProgress[]> {
      type Progress = Row & { readonly state: CallState; readonly doing: string | null; readonly usage: string | null };
      const rows = await database.query<Progress>(
        `WITH seen AS (
           UPDATE onceover.call_waiters SET seen_at = now()
           WHERE client = $2 AND call = ANY($1) AND seen_at < now() - interval '3 seconds')
         SELECT id, state, doing, usage, answer FROM onceover.calls WHERE id = ANY($1)`,
        [ids, client],
      );
      const missingIds = ids.filter((id) => !rows.some((row) => row.id === id));
      return [
        ...missingIds.map((id): CallProgress => ({ id, state: 'cancelled', doing: null, usage: null, end: null })),
        ...rows.map(({ id, state, doing, usage, answer }) => {
          const end = answer === null ? null : readAnswerText(answer);
          return { id, state, doing, usage: readUsageText(usage), end };
        }),
      ];
    },

    /** Stops waiting for an agent call. If no other client waits for it, the call is cancelled. */
    leave: (id: string) =>
      database.transaction(async (query) => {
        await query('DELETE FROM onceover.call_waiters WHERE call = $1 AND client = $2', [id, client]);
        await cancelUnwanted(query, boss, id);
      }),

    /** Returns the agents that running workers offer now. */
    offers: () => liveOffers(database.query),
  };
}

/** Cancels an agent call if no client waits for it. Returns whether the call was cancelled. */
export async function cancelUnwanted(query: Query, boss: PgBoss, id: string): Promise<boolean> {
  const [row] = await query<Row>(
    `UPDATE onceover.calls AS c SET state = 'cancelled', ended_at = now()
     WHERE id = $1 AND state IN ('waiting', 'running') AND NOT EXISTS (
       SELECT 1 FROM onceover.call_waiters WHERE call = c.id AND seen_at > now() - make_interval(secs => $2))
     RETURNING id, job, queue`,
    [id, WAITER_SECONDS],
  );
  if (row === undefined) return false;
  await boss.cancel(row.queue, row.job, { db: within(query) });
  return true;
}

/** Returns the agents that running workers offer, one entry per worker and agent. */
export async function liveOffers(query: Query): Promise<readonly Offer[]> {
  const rows = await query<{ offers: string }>(
    'SELECT offers FROM onceover.workers WHERE seen_at > now() - make_interval(secs => $1) ORDER BY started_at',
    [WORKER_SECONDS],
  );
  return rows.flatMap(({ offers }) => readOffersText(offers));
}
