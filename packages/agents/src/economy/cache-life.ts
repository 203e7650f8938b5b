import type { CacheNote, KeptSession, SessionCache } from '@onceover/base/kernel/agent';
import { type CacheRule, type CacheTtl, cacheRule } from './cache-rules.ts';

export const MINUTE_MS = 60_000;

/** A resumed call, and whether it found its session in the provider's cache (`hit`). */
export type SeenCache = {
  readonly agent: string;
  readonly model: string | null;
  readonly ttl: CacheTtl;
  readonly idleMs: number;
  readonly hit: boolean;
  readonly at: string;
};

/** The numbers of files that were opened for a reviewer in a new session. */
export type SeenReads = {
  readonly agent: string;
  /**
   * How many files the reviewer opened itself (`opened`), and how many another session opened for several reviewers
   * (`reading`, which is `null` if there was none).
   */
  readonly opened: number;
  readonly reading: number | null;
  /** How many files the reviewer opened although another session had already opened them for it. */
  readonly again: number;
};

/** How soon the same reviewer or fixing agent was called again: within 5 minutes, within an hour, or later or never. */
export type NextCall = 'soon' | 'within-hour' | 'later';

/**
 * Facts from earlier calls in this repository: cache hits and misses, oldest first, and the times between calls, newest
 * first. These times are separate for reviewers and fixing agents, because each waits while the other works.
 */
export type CacheHistory = {
  readonly seen: readonly SeenCache[];
  /** The numbers of files that reviewers opened in new sessions, oldest first. */
  readonly reads: readonly SeenReads[];
  readonly next: Readonly<Record<'reviewer' | 'fixer', readonly NextCall[]>>;
};

export const NO_CACHE_HISTORY: CacheHistory = { seen: [], reads: [], next: { reviewer: [], fixer: [] } };

/**
 * How long the provider keeps an unused cache entry. `from`: whether this was measured or comes from the table of
 * caching rules.
 */
export type CacheLife = { readonly minutes: number; readonly from: CacheNote['lifeFrom'] };

/** Older measurements are ignored, because providers change their caches. */
const MEASURED_FOR_MS = 14 * 24 * 60 * MINUTE_MS;

/** The minimum and maximum, in minutes, of a cache lifetime that comes from measurements. */
const LIFE_LIMITS = { least: 1, most: 24 * 60 };

/**
 * The number of cache misses in a row that shorten the assumed lifetime. Providers sometimes drop an entry early, so
 * one miss proves nothing.
 */
const MISSES_TO_SHORTEN = 2;

/**
 * Returns how long the provider caches a session: the lifetime in the table, corrected by the cache hits and misses of
 * the last two weeks. A hit after a longer pause extends the lifetime, and two misses in a row after a shorter pause
 * shorten it.
 */
export function cacheLife(
  tableMinutes: number,
  observations: readonly Omit<SeenCache, 'agent'>[],
  now: Date,
): CacheLife {
  let minutes = tableMinutes;
  let from: CacheNote['lifeFrom'] = 'table';
  let [longestHit, misses] = [0, 0];
  const recent = observations.filter(({ at }) => {
    const age = now.getTime() - Date.parse(at);
    return age >= 0 && age < MEASURED_FOR_MS;
  });
  for (const { idleMs, hit } of recent) {
    const idle = idleMs / MINUTE_MS;
    if (hit) {
      longestHit = Math.max(longestHit, idle);
      misses = 0;
      // The cache entry outlived this pause, so an equally long pause is safe next time.
      if (idle >= minutes) [minutes, from] = [Math.min(idle + 1, Math.max(LIFE_LIMITS.most, tableMinutes)), 'measured'];
    } else if (idle < minutes) {
      misses += 1;
      if (misses < MISSES_TO_SHORTEN) continue;
      const shorter = longestHit < idle ? Math.max(longestHit, idle / 2) : idle / 2;
      [minutes, from, misses] = [Math.max(LIFE_LIMITS.least, shorter), 'measured', 0];
    }
  }
  return { minutes: Math.floor(minutes), from };
}

/**
 * Returns how long the provider caches a session. Sessions stored by older versions of onceover only contain the
 * minutes that were assumed when they were last used.
 */
export function lifeOfSession(
  session: Pick<KeptSession, 'agent' | 'warmMinutes' | 'cache'>,
  { seen }: Pick<CacheHistory, 'seen'>,
  now: Date,
): CacheLife {
  const { cache } = session;
  if (cache === undefined) return { minutes: session.warmMinutes, from: 'table' };
  const rule = cacheRule(cache.provider, cache.model);
  const ownObservations = seen.filter(
    ({ agent, model, ttl }) =>
      agent === session.agent && model === cache.model && rule.lifeMinutes[ttl] === rule.lifeMinutes[cache.ttl],
  );
  return cacheLife(rule.lifeMinutes[cache.ttl], ownObservations, now);
}
/**
 * Before any call was measured, the assumed chance that only the one-hour cache survives the pause to the next call.
 * `weight`: how many measured calls this assumption counts as much as.
 */
const PRIOR = { chance: 0.2, weight: 1 };

/** The weight of a call relative to the next newer one, so that mainly the last ten calls count. */
const DECAY = 0.9;

/** The pause before this call counts double, because the next pause belongs to the same loop and will be similar. */
const OWN_PAUSE_WEIGHT = 2;

/**
 * Returns how long the provider should cache the prompt. With `auto`, the one-hour cache is requested if that is
 * probably cheaper: if the price of writing the prompt again, times the chance of a pause between 5 and 60 minutes, is
 * more than the extra price of caching for an hour. `pauseMs` is the pause before this call; `null` if there was none.
 */
export function cacheTtl(
  setting: 'auto' | CacheTtl,
  { write, read, lifeMinutes }: Pick<CacheRule, 'write' | 'read' | 'lifeMinutes'>,
  { next, pauseMs }: { readonly next: readonly NextCall[]; readonly pauseMs: number | null },
): CacheTtl {
  if (setting !== 'auto') return setting;
  if (lifeMinutes['1h'] <= lifeMinutes['5m']) return '5m';
  const ownSamples =
    pauseMs === null || Number.isNaN(pauseMs) ? [] : [{ is: nextCall(pauseMs), weight: OWN_PAUSE_WEIGHT }];
  const samples = [...ownSamples, ...next.map((is, at) => ({ is, weight: DECAY ** at }))];
  const total = samples.reduce((sum, { weight }) => sum + weight, PRIOR.weight);
  const hourWeight = samples.filter(({ is }) => is === 'within-hour').reduce((sum, { weight }) => sum + weight, 0);
  const chance = (hourWeight + PRIOR.weight * PRIOR.chance) / total;
  const higherPrice = write['1h'] - write['5m'];
  return chance * (write['1h'] - read) > higherPrice ? '1h' : '5m';
}

/** Returns the cache lifetime to request. A session that is still cached keeps its lifetime. */
export function ttlOfCall(
  setting: 'auto' | CacheTtl,
  chosenTtl: CacheTtl,
  resumedSession: { readonly cacheExpired: boolean; readonly cache?: SessionCache | undefined } | null,
): CacheTtl {
  return setting === 'auto' && resumedSession?.cacheExpired === false
    ? (resumedSession.cache?.ttl ?? chosenTtl)
    : chosenTtl;
}

/** Returns which cache lifetime is needed to survive a pause. */
export function nextCall(pauseMs: number): NextCall {
  if (pauseMs <= 5 * MINUTE_MS) return 'soon';
  return pauseMs <= 60 * MINUTE_MS ? 'within-hour' : 'later';
}
