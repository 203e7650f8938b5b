import { estimateTokens, type KeptSession } from '@onceover/base/kernel/agent';
import { digestOf } from '@onceover/base/kernel/ids';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import { cacheTtl } from './cache-life.ts';
import { cachePrices, cacheRule } from './cache-rules.ts';
import { type SessionPlan, withWholeFiles } from './plan-session.ts';
import { deltaLimit } from './resume.ts';
import { costAfterCacheExpiry, costWhileCached, readAgain } from './session-cost.ts';
import {
  AGENT_TOKENS,
  continuingPays,
  expectedReads,
  groupReaders,
  type Reader,
  sharingPays,
  tokensPerFile,
} from './sharing.ts';
import type { ContinuedReading, PlannedReading, ReuseHistory, ReuseJob, SessionDelta } from './types.ts';

export type PlannedJob = { readonly job: ReuseJob; readonly plan: SessionPlan };

/** Returns the sessions that should read files for several jobs, because that is cheaper than separate sessions. */
export function planReadings(planned: readonly PlannedJob[], history: ReuseHistory): readonly PlannedReading[] {
  const groupsOf = (isEligible: (one: PlannedJob) => boolean) => {
    const readers = planned.flatMap((one): readonly (Reader & { readonly one: PlannedJob })[] => {
      const key = sharingKey(one);
      if (key === null || !isEligible(one)) return [];
      return [{ key: `${key} ${one.job.past?.base?.session.id ?? ''}`, review: one.job.review, one }];
    });
    return groupReaders(readers, history.shareReading).map((group) => group.map(({ one }) => one));
  };
  const continued = groupsOf(canContinue).flatMap((group): readonly PlannedReading[] => {
    const continues = continueReading(group, history);
    return continues === null ? [] : [{ jobs: group.map(({ job }) => job), continues }];
  });
  const continuedJobs = new Set(continued.flatMap(({ jobs }) => jobs));
  const fresh = groupsOf(({ job, plan }) => plan.dispatch.kind === 'fresh' && !continuedJobs.has(job));
  const sharing = fresh.filter((group) => newReadingPays(group, history));
  return [...continued, ...sharing.map((group) => ({ jobs: group.map(({ job }) => job), continues: null }))];
}

/**
 * Returns a key that is the same for all jobs that can share one session that reads the files; `null` if this job cannot
 * share one.
 */
function sharingKey({ job: { agent, now }, plan: { fresh } }: PlannedJob): string | null {
  const [only] = fresh;
  if (only === undefined || fresh.length > 1 || !agent.canShare) return null;
  return digestOf([now.agent, now.model, now.version, agent.readingDigest, only.stable]);
}

/**
 * Whether a job could start from an earlier session that read files for several jobs, in place of its own session. It can
 * if its own session would be resumed, or has expired from the cache.
 */
function canContinue({ job, plan: { dispatch } }: PlannedJob): boolean {
  return job.past?.base != null && (dispatch.kind === 'resumed' || dispatch.why === 'resume-dearer');
}

function newReadingPays(group: readonly PlannedJob[], { cache }: ReuseHistory): boolean {
  const [leader] = group;
  if (leader === undefined) return false;
  const { agent, now } = leader.job;
  const rule = cacheRule(agent.provider, now.model ?? agent.usualModel);
  const reads = expectedReads(cache.reads, now.agent);
  return sharingPays(group.length, stableTokens(leader.plan.fresh[0]), reads, cachePrices(rule, leader.plan.ttl));
}

function stableTokens(prompt: ComposedPrompt | undefined): number {
  return estimateTokens(prompt?.stable.length ?? 0) + AGENT_TOKENS;
}

type SharedBase = Pick<ContinuedReading['base'], 'session' | 'opened'> & { readonly delta: SessionDelta };

/**
 * Returns how to continue the earlier session that read files for all these jobs. Returns `null` if that is impossible,
 * or not cheaper than running each job as planned.
 */
function continueReading(group: readonly PlannedJob[], history: ReuseHistory): ContinuedReading | null {
  const [leader] = group;
  const base = leader === undefined ? null : usableBase(leader);
  if (leader === undefined || base === null) return null;
  const { session, opened } = base;
  const reads = { earlier: [], seen: opened, sessions: group.length };
  const { prompt } = withWholeFiles(base, reads, cacheOfBase(leader, session, base.delta.prompt, history).ttl);
  const cache = cacheOfBase(leader, session, prompt, history);
  const contextTokens = session.contextTokens ?? estimateTokens(session.firstPromptLength);
  const { isExpired, note, ttl } = cache;
  const pays = continuingPays({
    ...{ contextTokens, isExpired, again: expectedReads(history.cache.reads, leader.job.now.agent).again },
    fileTokens: tokensPerFile({ contextTokens, startTokens: stableTokens(prompt) }, opened.length),
    deltaTokens: estimateTokens(prompt.dynamic.length),
    prices: cachePrices(cache.rule, ttl),
    readers: group.map(({ job, plan }) => ({ alone: costAlone(plan), ownTokens: forkTokens(job, plan) })),
    newReading: newReadingOf(group, base),
  });
  return pays ? { base: { session, opened }, prompt, isExpired, note, ttl } : null;
}

/** Returns the earlier session, if the agent is still the same and the changes are short enough to show them to it. */
function usableBase({ job: { past, now, agent } }: PlannedJob): SharedBase | null {
  const base = past?.base;
  if (base == null || base.delta === null) return null;
  const { session, opened, delta } = base;
  const isSame =
    session.agent === now.agent &&
    session.model === now.model &&
    session.version === now.version &&
    session.toolsDigest === agent.readingDigest;
  if (!isSame || delta.sections.length === 0) return null;
  return delta.prompt.dynamic.length > deltaLimit(session) ? null : { session, opened, delta };
}

/** Returns what is known about the provider's cache of an earlier session, and the cache lifetime to request now. */
function cacheOfBase(
  { job: { past } }: PlannedJob,
  session: KeptSession,
  { dynamic }: ComposedPrompt,
  history: ReuseHistory,
) {
  const rule = cacheRule(session.cache?.provider ?? null, session.cache?.model ?? null);
  const pauseMs = past === null ? null : history.now.getTime() - Date.parse(past.at);
  const chosenTtl = cacheTtl(history.cacheTtl, rule, { next: history.cache.next.reviewer, pauseMs });
  const { cacheExpired, note } = costAfterCacheExpiry(
    session,
    { delta: dynamic.length, fresh: session.firstPromptLength },
    { now: history.now, ttl: chosenTtl, history: history.cache },
  );
  // The next round starts from the original session again, not from this continuation, so the continuation is needed
  // only for a short time.
  const ttl = history.cacheTtl === 'auto' && !cacheExpired ? '5m' : chosenTtl;
  return { rule, isExpired: cacheExpired, note, ttl } as const;
}

/** Returns the tokens of a new session that would read the files; `null` if a job would resume its own session. */
function newReadingOf(group: readonly PlannedJob[], { session }: SharedBase) {
  const [leader] = group;
  const opening = session.cache?.opening ?? null;
  const startsAnew = group.every(({ plan }) => plan.dispatch.kind === 'fresh');
  if (leader === undefined || opening === null || !startsAnew) return null;
  const { given, fresh } = leader.plan;
  const cached = opening.shared + readAgain(opening, given.length);
  return { ...opening, cached, stableTokens: stableTokens(fresh[0]) };
}

function forkTokens(job: ReuseJob, { fresh: [prompt] }: SessionPlan): number {
  return estimateTokens(prompt === undefined ? 0 : job.composeFork(prompt).dynamic.length);
}

/** Returns the estimated cost of calling a reviewer as planned, without a session that reads files for it. */
function costAlone({ dispatch, resumed, note, ttl }: SessionPlan): number {
  const estimate = note?.estimate ?? null;
  if (dispatch.kind === 'fresh') return estimate?.fresh ?? 0;
  if (estimate !== null) return estimate.resumed;
  if (resumed === null) return 0;
  return costWhileCached(resumed.session, resumed.prompt.dynamic.length, resumed.reopens, ttl);
}
