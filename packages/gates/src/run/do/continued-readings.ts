import { cacheTtl } from '@onceover/agents/economy/cache-life';
import { type CacheTtl, cacheRule } from '@onceover/agents/economy/cache-rules';
import { deltaLimit } from '@onceover/agents/economy/resume';
import { costAfterCacheExpiry, costWhileCached, readAgain } from '@onceover/agents/economy/session-cost';
import { AGENT_TOKENS, continuingPays, expectedReads, tokensPerFile } from '@onceover/agents/economy/sharing';
import { type CacheNote, estimateTokens, type KeptSession } from '@onceover/base/kernel/agent';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { SlotJob } from '../ports.ts';
import type { RecordMetadata } from '../record-types.ts';
import { showWholeFiles } from './handed-files.ts';
import { deltaPrompt, type IterationContext, readingFingerprint } from './prepare-slot.ts';
import { continuedReadingPrompt, forkedGatePrompt } from './prompt.ts';

/**
 * An earlier reading (a session that read files for several reviewers), with the prompt that shows it the later
 * changes.
 */
export type ContinuedReading = {
  readonly base: NonNullable<RecordMetadata['base']>;
  readonly prompt: ComposedPrompt;
  /** Whether the provider no longer has the earlier session, which read files for several reviewers, in its cache. */
  readonly isExpired: boolean;
  readonly note: CacheNote;
  /** How long the provider should cache the calls that continue the earlier session. */
  readonly ttl: CacheTtl;
};

/**
 * Whether a reviewer could start from an earlier session that read files for several reviewers, in place of its own
 * session. It can if its own session would be resumed, or has expired from the cache.
 */
export function canContinue({ dispatch, lastLook }: SlotJob): boolean {
  if (lastLook?.own?.base === undefined) return false;
  return dispatch.kind === 'resumed' || dispatch.why === 'resume-dearer';
}

/**
 * Returns how to continue the earlier session that read files for all these reviewers. Returns `null` if that is
 * impossible, or not cheaper than running each reviewer as planned.
 */
export async function continueReading(
  context: IterationContext,
  jobs: readonly SlotJob[],
): Promise<ContinuedReading | null> {
  const [leader] = jobs;
  const base = leader?.lastLook?.own?.base;
  if (leader === undefined || base === undefined) return null;
  const { session } = base;
  const agentFacts = await context.reviewers.describe(leader.agent);
  const isSame =
    session.agent === leader.agent &&
    session.model === agentFacts.model &&
    session.version === agentFacts.version &&
    session.toolsDigest === readingFingerprint(agentFacts);
  if (!isSame) return null;
  const delta = await deltaPrompt(context, leader.gate, session, continuedReadingPrompt);
  if (!delta.ok || delta.sections.length === 0) return null;
  if (delta.prompt.dynamic.length > deltaLimit(session)) return null;
  const reviewHistory = { earlier: [], seen: base.opened, sessions: jobs.length };
  const { prompt } = await showWholeFiles(context, leader.gate, delta, reviewHistory);
  const cache = cacheOf(context, leader, session, prompt);
  const readEstimate = expectedReads(context.cacheHistory.reads, leader.agent);
  const readers = jobs.map((job) => ({
    alone: costAlone(job),
    ownTokens: estimateTokens(job.fresh[0] === undefined ? 0 : forkedGatePrompt(job.fresh[0]).dynamic.length),
  }));
  const startsAnew = jobs.every(({ dispatch }) => dispatch.kind === 'fresh');
  const stableTokens = estimateTokens(leader.fresh[0]?.stable.length ?? 0) + AGENT_TOKENS;
  const contextTokens = session.contextTokens ?? estimateTokens(session.firstPromptLength);
  const opening = startsAnew ? (session.cache?.opening ?? null) : null;
  const newReading =
    opening === null
      ? null
      : { ...opening, cached: opening.shared + readAgain(opening, leader.given.length), stableTokens };
  const startTokens = estimateTokens(prompt.stable.length) + AGENT_TOKENS;
  const pays = continuingPays({
    ...{ contextTokens, again: readEstimate.again },
    fileTokens: tokensPerFile({ contextTokens, startTokens }, base.opened.length),
    ...{ isExpired: cache.isExpired, deltaTokens: estimateTokens(prompt.dynamic.length) },
    prices: { read: cache.rule.read, write: cache.rule.write[cache.ttl] },
    ...{ readers, newReading },
  });
  return pays ? { base, prompt, isExpired: cache.isExpired, note: cache.note, ttl: cache.ttl } : null;
}

/**
 * Returns what is known about the provider's cache of a session that read files for several reviewers, and the cache
 * lifetime to request now.
 */
function cacheOf(
  { ports, request, cacheHistory }: IterationContext,
  { lastLook }: SlotJob,
  session: KeptSession,
  prompt: ComposedPrompt,
) {
  const rule = cacheRule(session.cache?.provider ?? null, session.cache?.model ?? null);
  const { cacheTtl: setting } = request.settings;
  const now = ports.clock.now();
  const pauseMs = lastLook === null ? null : now.getTime() - Date.parse(lastLook.timestamp);
  const chosenTtl = cacheTtl(setting, rule, { next: cacheHistory.next.reviewer, pauseMs });
  const lengths = { delta: prompt.dynamic.length, fresh: session.firstPromptLength };
  const { cacheExpired, note } = costAfterCacheExpiry(session, lengths, { now, ttl: chosenTtl, history: cacheHistory });
  // The next round starts from the original session again, not from this continuation, so the continuation is needed
  // only for a short time.
  const ttl = setting === 'auto' && !cacheExpired ? '5m' : chosenTtl;
  return { rule, isExpired: cacheExpired, note, ttl };
}

/** Returns the estimated cost of calling a reviewer as planned, without a session that reads files for it. */
function costAlone({ dispatch, resumed, cacheNote, cacheTtl: ttl }: SlotJob): number {
  const estimate = cacheNote?.estimate ?? null;
  if (dispatch.kind === 'fresh') return estimate?.fresh ?? 0;
  if (estimate !== null) return estimate.resumed;
  if (resumed === null) return 0;
  return costWhileCached(resumed.session, resumed.prompt.dynamic.length, resumed.reopens, ttl);
}
