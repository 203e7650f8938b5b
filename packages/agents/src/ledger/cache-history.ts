import type { CacheNote } from '@onceover/base/kernel/agent';
import { type CacheHistory, type NextCall, nextCall, type SeenCache, type SeenReads } from '../economy/cache-life.ts';
import type { LedgerEntry } from './entries.ts';

/**
 * A call to a reviewer or a fixing agent. Calls with the same key belong to one series of reviews, so they could share
 * a session.
 */
type ReviewerCall = {
  readonly who: 'reviewer' | 'fixer';
  readonly key: string;
  readonly agent: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly cache: CacheNote | undefined;
};

const HOUR_MS = 60 * 60_000;

/** The number of calls from which the pauses between calls are estimated. */
const MOST_CALLS = 60;

/**
 * Returns the cache hits, cache misses and pauses between calls that the entries of the ledger (the log of all calls)
 * show. The entries must be sorted oldest first.
 */
export function cacheHistory(entries: readonly LedgerEntry[], now: Date): CacheHistory {
  const calls = entries.flatMap(callsIn);
  const nextOf = (caller: ReviewerCall['who']) =>
    nextCalls(
      calls.filter((call) => call.who === caller),
      now,
    )
      .reverse()
      .slice(0, MOST_CALLS);
  return {
    seen: calls.flatMap(seenIn),
    reads: readsIn(entries, now),
    next: { reviewer: nextOf('reviewer'), fixer: nextOf('fixer') },
  };
}

/** Only reviews of this period are used: older ones say little about how reviewers work now. */
const READS_FOR_MS = 14 * 24 * HOUR_MS;

function readsIn(entries: readonly LedgerEntry[], now: Date): readonly SeenReads[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== 'run' || now.getTime() - Date.parse(entry.at) > READS_FOR_MS) return [];
    return entry.slots.flatMap(({ agent, status, reads }) =>
      reads === undefined || status === 'error'
        ? []
        : [
            {
              ...{ agent, opened: reads.opened, reading: reads.reading ?? null },
              // In an entry without the number `again`, the opened files may include some that the other session had
              // not opened.
              again: reads.reading === undefined ? 0 : (reads.again ?? reads.opened),
            },
          ],
    );
  });
}

function callsIn(entry: LedgerEntry): readonly ReviewerCall[] {
  const endedAt = Date.parse(entry.at);
  const times = { startedAt: endedAt - entry.durationMs, endedAt };
  if (entry.kind === 'loop') {
    const { feature, phase, run, role, agent, cache } = entry;
    const key = JSON.stringify([feature, phase, run, role]);
    const caller = role.endsWith('-reviewer') ? 'reviewer' : 'fixer';
    return entry.status === 'error' ? [] : [{ who: caller, key, agent, cache, ...times }];
  }
  if (entry.kind !== 'run') return [];
  const { branch, scope, slots } = entry;
  return slots
    .filter(({ status }) => status !== 'error')
    .map(({ gate, slot, agent, cache }) => ({
      who: 'reviewer' as const,
      key: JSON.stringify([branch, scope, gate, slot]),
      agent,
      cache,
      ...times,
    }));
}

function seenIn({ agent, cache, endedAt }: ReviewerCall): readonly SeenCache[] {
  if (cache === undefined || cache.hit === null) return [];
  const { model, ttl, idleMs, hit } = cache;
  return [{ agent, model, ttl, idleMs, hit, at: new Date(endedAt).toISOString() }];
}

/**
 * Returns how soon each call was followed by the next one with the same key. Leaves out recent calls, because the next
 * one may still come.
 */
function nextCalls(calls: readonly ReviewerCall[], now: Date): NextCall[] {
  return calls.flatMap(({ key, endedAt }, at) => {
    const next = calls.slice(at + 1).find((laterCall) => laterCall.key === key);
    if (next !== undefined) return [nextCall(Math.max(0, next.startedAt - endedAt))];
    return now.getTime() - endedAt > HOUR_MS ? ['later' as const] : [];
  });
}
