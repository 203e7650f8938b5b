import { randomUUID } from 'node:crypto';
import { notCalled } from '@onceover/agents/adapters/call-agent';
import { cancelUnwanted, liveOffers, NEW_CALL, WAITER_SECONDS } from '@onceover/agents/remote/calls';
import { queueName } from '@onceover/agents/remote/decide-call';
import { answerText, readRequestText } from '@onceover/agents/remote/json-call';
import type { AccountLimits, CallRequest, Offer } from '@onceover/agents/remote/types';
import { totalTokens, type Usage } from '@onceover/base/kernel/agent';
import type { AskEnd } from '@onceover/base/kernel/ports';
import { DEAD_QUEUE, within } from '@onceover/store/boss';
import type { Database, Query } from '@onceover/store/connect';
import type { PgBoss } from 'pg-boss';
import { type AccountUse, decideTake, type TakeDecision } from './decide-limits.ts';

/** An agent call that this worker has taken. `start` is the id of this attempt in the table `call_starts`. */
export type TakenCall = {
  readonly id: string;
  readonly start: string;
  readonly repository: number;
  readonly queue: string;
  readonly job: { readonly id: string; readonly retryCount: number };
  /** The request; `null` if this version of onceover cannot read it. */
  readonly request: CallRequest | null;
};

type Taking =
  | { readonly kind: 'taken'; readonly call: TakenCall }
  /** The queue is empty. */
  | { readonly kind: 'none' }
  /** The job's agent call had already ended; the queue may have more jobs. */
  | { readonly kind: 'ended' }
  | Extract<TakeDecision, { kind: 'wait' }>;

/**
 * How many workers may stop while they run the agent of a call. The provider charges for each of these attempts, so the
 * limit is low. Workers that stop before the agent starts cost nothing; only `MOST_RETRIES` limits those.
 */
const MOST_LOST_STARTS = 6;

/** The outcome that is stored while the agent of an attempt is running. If the worker stops, this outcome remains. */
const CALLING = 'calling';

/** Reads and writes the agent calls that a worker takes from the queue. */
export type TakenCalls = ReturnType<typeof openTakenCalls>;

export function openTakenCalls(database: Database, boss: PgBoss, worker: string, heartbeatSeconds: number) {
  async function usedBy(query: Query, account: string): Promise<{ use: AccountUse; limits: AccountLimits; now: Date }> {
    type Limits = { calls_at_once: number | null; calls_per_minute: number | null; tokens_per_minute: string | null };
    const [row] = await query<Limits & { cooldown_until: Date | null; now: Date }>(
      `SELECT calls_at_once, calls_per_minute, tokens_per_minute, cooldown_until, now() AS now
       FROM onceover.accounts WHERE name = $1`,
      [account],
    );
    const limits = {
      callsAtOnce: row?.calls_at_once ?? null,
      callsPerMinute: row?.calls_per_minute ?? null,
      tokensPerMinute: row?.tokens_per_minute == null ? null : Number(row.tokens_per_minute),
    };
    const isLimited = Object.values(limits).some((limit) => limit !== null);
    // The row lock makes the limits exact: two workers cannot count the agent calls of an account at the same time.
    if (isLimited) await query('SELECT 1 FROM onceover.accounts WHERE name = $1 FOR NO KEY UPDATE', [account]);
    type Start = { started_at: Date; ended_at: Date | null; tokens: string | null; is_running: boolean };
    const starts = !isLimited
      ? []
      : await query<Start>(
          `SELECT started_at, ended_at, tokens,
                  ended_at IS NULL AND beat_at > now() - make_interval(secs => $2) AS is_running
           FROM onceover.call_starts
           WHERE account = $1 AND (ended_at IS NULL OR started_at > now() - interval '1 minute'
             OR ended_at > now() - interval '1 minute')
           ORDER BY started_at`,
          [account, heartbeatSeconds],
        );
    const now = row?.now ?? new Date();
    const isRecent = (at: Date) => now.getTime() - at.getTime() < 60_000;
    const recentEnds = starts.flatMap(({ ended_at: at, tokens }) =>
      at !== null && isRecent(at) ? [{ at, tokens: Number(tokens ?? 0) }] : [],
    );
    const use: AccountUse = {
      running: starts.filter((start) => start.is_running).length,
      started: starts.map(({ started_at }) => started_at).filter(isRecent),
      ended: recentEnds.sort((a, b) => a.at.getTime() - b.at.getTime()),
      cooldownUntil: row?.cooldown_until ?? null,
    };
    return { use, limits, now };
  }

  return {
    /** Stores the worker with its agents, and the limits of their accounts. */
    async register(name: string, offers: readonly Offer[], limits: ReadonlyMap<string, AccountLimits>): Promise<void> {
      await database.transaction(async (query) => {
        await query(
          `INSERT INTO onceover.workers (id, name, offers) VALUES ($1, $2, $3)
           ON CONFLICT (id) DO UPDATE SET seen_at = now(), offers = excluded.offers`,
          [worker, name, JSON.stringify(offers)],
        );
        for (const account of new Set(offers.map((offer) => offer.account))) {
          const { callsAtOnce = null, callsPerMinute = null, tokensPerMinute = null } = limits.get(account) ?? {};
          await query(
            `INSERT INTO onceover.accounts (name, calls_at_once, calls_per_minute, tokens_per_minute)
             VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE SET calls_at_once = excluded.calls_at_once,
               calls_per_minute = excluded.calls_per_minute, tokens_per_minute = excluded.tokens_per_minute`,
            [account, callsAtOnce, callsPerMinute, tokensPerMinute],
          );
        }
      });
    },

    /** Takes the most urgent agent call for an agent, if the limits of the agent's account allow another call. */
    take: (offer: Offer): Promise<Taking> =>
      database.transaction(async (query): Promise<Taking> => {
        const { use, limits, now } = await usedBy(query, offer.account);
        const decision = decideTake(limits, use, now);
        if (decision.kind === 'wait') return decision;
        const queue = queueName(offer);
        const [job] = await boss.fetch<{ call: string }>(queue, { batchSize: 1, db: within(query) });
        if (job === undefined) return { kind: 'none' };
        // A retry means that the agent call's earlier worker stopped. Give up if that happened too often while the
        // agent was running.
        if (job.retryCount > 0 && (await lostStarts(query, job.data.call)) >= MOST_LOST_STARTS) {
          await failLost(query, job.data.call);
          await boss.complete(queue, job.id, null, { db: within(query) });
          return { kind: 'ended' };
        }
        const [call] = await query<{ repository: string; request: string }>(
          `UPDATE onceover.calls SET state = 'running', started_at = now(), doing = NULL, usage = NULL
           WHERE id = $1 AND state IN ('waiting', 'running') RETURNING repository, request`,
          [job.data.call],
        );
        if (call === undefined) {
          await boss.complete(queue, job.id, null, { db: within(query) });
          return { kind: 'ended' };
        }
        const [start] = await query<{ id: string }>(
          'INSERT INTO onceover.call_starts (call, agent, account, worker) VALUES ($1, $2, $3, $4) RETURNING id',
          [job.data.call, offer.agent, offer.account, worker],
        );
        const { id, retryCount } = job;
        return {
          kind: 'taken',
          call: {
            id: job.data.call,
            start: start?.id ?? '0',
            repository: Number(call.repository),
            queue,
            job: { id, retryCount },
            request: readRequestText(call.request),
          },
        };
      }),

    /**
     * Records that the agent starts now. If the worker stops after this, the provider may have charged for the agent
     * call.
     */
    calling: ({ start }: Pick<TakenCall, 'start'>) =>
      database.query('UPDATE onceover.call_starts SET outcome = $2 WHERE id = $1 AND ended_at IS NULL', [
        start,
        CALLING,
      ]),

    /**
     * Records that the worker is alive, and what its agents are doing. Returns the agent calls that this worker should
     * stop, because they were cancelled or another worker answered them.
     */
    async beat(
      running: readonly TakenCall[],
      news: ReadonlyMap<string, { readonly doing: string | null; readonly usage: Usage | null }>,
    ): Promise<ReadonlySet<string>> {
      const ids = running.map(({ id }) => id);
      await database.query('UPDATE onceover.workers SET seen_at = now() WHERE id = $1', [worker]);
      if (ids.length === 0) return new Set();
      await database.query('UPDATE onceover.call_starts SET beat_at = now() WHERE id = ANY($1)', [
        running.map(({ start }) => start),
      ]);
      for (const [id, { doing, usage }] of news) {
        await database.query(`UPDATE onceover.calls SET doing = $2, usage = $3 WHERE id = $1 AND state = 'running'`, [
          id,
          doing,
          usage === null ? null : JSON.stringify(usage),
        ]);
      }
      for (const queue of new Set(running.map((call) => call.queue))) {
        const jobs = running.filter((call) => call.queue === queue).map(({ job }) => job);
        await boss.touch(queue, jobs, { db: within(database.query) });
      }
      const open = await database.query<{ id: string }>(
        `SELECT id FROM onceover.calls WHERE id = ANY($1) AND state IN ('waiting', 'running')`,
        [ids],
      );
      const isOpen = new Set(open.map(({ id }) => id));
      return new Set(ids.filter((id) => !isOpen.has(id)));
    },

    /**
     * Stores the answer of an agent call and removes its job, in one transaction. If a call gets several answers, the
     * first one counts.
     */
    end: (call: Pick<TakenCall, 'id' | 'start'>, end: AskEnd) =>
      database.transaction(async (query) => {
        const [row] = await query<{ queue: string; job: string }>(
          `UPDATE onceover.calls SET state = $2, answer = $3, ended_at = now()
           WHERE id = $1 AND state IN ('waiting', 'running') RETURNING queue, job`,
          [call.id, end.ok ? 'answered' : 'failed', answerText(end)],
        );
        await endStart(query, call.start, end);
        if (row !== undefined)
          await boss.complete(row.queue, row.job, null, { includeQueued: true, db: within(query) });
      }),

    /** Puts an agent call back into the queue, for another worker or for a later attempt. */
    putBack: (call: TakenCall, end: AskEnd) =>
      database.transaction(async (query) => {
        await endStart(query, call.start, end);
        const job = randomUUID();
        const [open] = await query<{ priority: number }>(
          `UPDATE onceover.calls SET state = 'waiting', job = $2, doing = NULL, usage = NULL
           WHERE id = $1 AND state = 'running' AND job = $3 RETURNING priority`,
          [call.id, job, call.job.id],
        );
        if (open === undefined) return;
        await boss.complete(call.queue, call.job.id, null, { db: within(query) });
        await boss.send(call.queue, { call: call.id }, { id: job, priority: open.priority, db: within(query) });
        await query('SELECT pg_notify($1, $2)', [NEW_CALL, call.queue]);
      }),

    /** Records that an account has reached a usage limit. No worker uses the account before the time `until`. */
    async cool(account: string, until: Date, message: string): Promise<void> {
      await database.query(
        'UPDATE onceover.accounts SET cooldown_until = greatest(cooldown_until, $2), cooldown_said = $3 WHERE name = $1',
        [account, until, message.replaceAll('\0', '').slice(0, 1000)],
      );
    },

    /** Returns how many other accounts offer the same agent and are not waiting for a usage limit to end. */
    async otherAccounts({ agent, made, account }: Offer): Promise<number> {
      const live = (await liveOffers(database.query)).filter((offer) => offer.agent === agent && offer.made === made);
      const otherAccounts = [...new Set(live.map((offer) => offer.account))].filter(
        (otherAccount) => otherAccount !== account,
      );
      const warm = await database.query(
        'SELECT 1 FROM onceover.accounts WHERE name = ANY($1) AND (cooldown_until IS NULL OR cooldown_until <= now())',
        [otherAccounts],
      );
      return warm.length;
    },

    /** Records the end of an attempt whose result is not needed, because the agent call has already ended. */
    drop: (call: TakenCall, end: AskEnd) => endStart(database.query, call.start, end),

    /** Gives up agent calls whose workers stopped too often, and cancels waiting calls whose clients are gone. */
    async tidy(): Promise<void> {
      await database.transaction(async (query) => {
        const dead = await boss.fetch<{ call: string }>(DEAD_QUEUE, { batchSize: 20, db: within(query) });
        for (const job of dead) {
          await failLost(query, job.data.call);
          await boss.complete(DEAD_QUEUE, job.id, null, { db: within(query) });
        }
        const abandonedCalls = await query<{ id: string }>(
          `SELECT id FROM onceover.calls AS c WHERE state = 'waiting'
             AND created_at < now() - make_interval(secs => $1) AND NOT EXISTS (
               SELECT 1 FROM onceover.call_waiters WHERE call = c.id AND seen_at > now() - make_interval(secs => $1))
           LIMIT 20 FOR UPDATE SKIP LOCKED`,
          [2 * WAITER_SECONDS],
        );
        for (const { id } of abandonedCalls) await cancelUnwanted(query, boss, id);
      });
    },

    /** Removes the worker from the list of workers. */
    leave: () => database.query('DELETE FROM onceover.workers WHERE id = $1', [worker]),
  };
}

/** Returns how many workers stopped while they were running the agent of this agent call. */
async function lostStarts(query: Query, call: string): Promise<number> {
  const [row] = await query<{ lost: number }>(
    `SELECT count(*)::int AS lost FROM onceover.call_starts WHERE call = $1 AND ended_at IS NULL AND outcome = $2`,
    [call, CALLING],
  );
  return row?.lost ?? 0;
}

/** Gives up an agent call: it fails because its workers stopped too often. */
async function failLost(query: Query, call: string): Promise<void> {
  await query(
    `UPDATE onceover.calls SET state = 'failed', answer = $2, ended_at = now()
     WHERE id = $1 AND state IN ('waiting', 'running')`,
    [call, answerText(WORKERS_DIED)],
  );
}

const WORKERS_DIED = notCalled({ kind: 'agent-error', said: 'the workers that called it stopped several times' });

async function endStart(query: Query, start: string, end: AskEnd): Promise<void> {
  const usage = end.ok ? end.reply.usage : end.usage;
  await query(
    `UPDATE onceover.call_starts SET ended_at = now(), outcome = $2, tokens = $3, usd = $4
     WHERE id = $1 AND ended_at IS NULL`,
    [start, end.ok ? 'answered' : end.failure.kind, usage === null ? null : totalTokens(usage), usage?.costUsd ?? null],
  );
}
