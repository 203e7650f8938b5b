import type { openQueue } from '@onceover/agents/dispatch/limits';
import { filesIn, type ReadingEnd, readForAll } from '@onceover/agents/dispatch/share-reading';
import { judgeHit, sessionUse } from '@onceover/agents/economy/session-use';
import type { ContinuedReading, PlannedReading } from '@onceover/agents/economy/types';
import { lastReview } from '../decide/last-review.ts';
import type { SlotAnswer, SlotJob, SlotReading, UnassignableSlot } from '../ports.ts';
import type { RecordMetadata } from '../record-types.ts';
import { type IterationContext, readingFingerprint } from './iteration.ts';
import { gateSchema } from './prompt.ts';
import { entriesShown } from './prompt-diff.ts';

type Queue = ReturnType<typeof openQueue>;

/**
 * Returns a function that waits for the session that reads the files for a reviewer, and returns it; `null` if the
 * reviewer shares none. The first reviewer of a group that calls it starts the session. The others wait without taking
 * a place among the parallel calls.
 */
export function openReadings(
  context: IterationContext,
  jobs: readonly SlotJob[],
  queue: Queue,
): (job: SlotJob) => Promise<SlotReading | null> {
  const ends = new Map<PlannedReading, Promise<Omit<SlotReading, 'leader' | 'isLeader'>>>();
  return async (job) => {
    const { reading } = job.reuse;
    if (reading === null) return null;
    const group = jobs.filter(({ reuse }) => reuse.reading === reading);
    const [leader] = group;
    if (leader === undefined) return null;
    const end = ends.get(reading) ?? queue(() => readFor(context, group, leader, reading.continues));
    ends.set(reading, end);
    const { gate, slot } = leader;
    return { leader: { gate: gate.id, slot }, isLeader: job === leader, ...(await end) };
  };
}

/**
 * Returns how the reviewer runs after another session has read the files for it. If that session cannot be copied, the
 * reviewer runs as planned.
 */
export function withSharedReading(job: SlotJob, reading: SlotReading): SlotJob {
  const { continued, end, isLeader } = reading;
  const ready = { ...job, shared: reading };
  if (continued === null || end.reading === null) return ready;
  // Record only for the first reviewer whether the session that reads the files was still in the provider's cache, so
  // that it is counted once.
  const note = isLeader ? continued.note : null;
  const dispatch = { kind: 'fresh', why: 'reading-continued' } as const;
  return { ...ready, reuse: { ...job.reuse, resumed: null, dispatch, ttl: continued.ttl, note } };
}

/**
 * Lets one session read the files for all reviewers of a group. Reviewers outside the group whose prompts start alike
 * wait until the agent begins to answer, because the provider has cached that start then.
 */
async function readFor(
  context: IterationContext,
  jobs: readonly SlotJob[],
  leader: SlotJob,
  continues: ContinuedReading | null,
): Promise<Omit<SlotReading, 'leader' | 'isLeader'>> {
  const { ports, request, reviewers, budget } = context;
  const { agent } = leader;
  const readers = jobs.map(({ gate, slot }) => ({ gate: gate.id, slot }));
  const release = await context.prefixes.join(continues === null ? leader.reuse.prefix : null);
  ports.reporter.tell({ kind: 'reading-started', agent, readers });
  const facts = await reviewers.describe(agent);
  const ttl = continues?.ttl ?? leader.reuse.ttl;
  const end = await readForAll(
    {
      ...{ clock: ports.clock, budget },
      async send(name, question) {
        const reply = await reviewers.ask(
          name,
          { ...question, trees: context.trees },
          { stop: request.stop, watch: () => {}, begun: release },
        );
        release();
        return reply;
      },
    },
    {
      agent,
      stable: continues?.prompt.stable ?? leader.reuse.fresh[0]?.stable ?? '',
      given: continues === null ? leader.reuse.given : [],
      options: {
        schema: gateSchema(facts),
        cacheTtl: ttl,
        timeoutSeconds: Math.min(...jobs.map(({ timeoutSeconds }) => timeoutSeconds)),
        idleSeconds: request.settings.idleTimeoutSeconds,
      },
      ...(continues === null ? {} : { continues: { ...continues.base, dynamic: continues.prompt.dynamic } }),
    },
  );
  const files = end.reading === null ? null : filesIn(end.reading).length;
  const { why, usage, durationMs } = end;
  ports.reporter.tell({ kind: 'reading-ended', agent, readers, files, why, usage, durationMs });
  if (continues === null) return { end, continued: null, base: await keptReading(context, leader, end) };
  const { base, prompt, isExpired, note } = continues;
  const isCacheHit = end.reading === null ? null : judgeHit(base.session, { usage, requests: end.reading.requests });
  const continuation = { opening: prompt.stable, note: { ...note, hit: isCacheHit }, ttl };
  const renewedBase = { ...base, session: { ...base.session, lastUsedAt: ports.clock.now().toISOString() } };
  // If the earlier session had expired from the cache, the provider has cached it again only together with the changes
  // that this call added.
  const next = isExpired ? await keptReading(context, leader, end, continues) : null;
  return { end, continued: continuation, base: next ?? renewedBase };
}

/**
 * Returns a session that read files for several reviewers, in the form that later runs can continue; `null` if it
 * cannot be stored.
 */
async function keptReading(
  { ports, reviewers }: IterationContext,
  leader: SlotJob,
  { reading, usage, model }: ReadingEnd,
  continues: ContinuedReading | null = null,
): Promise<SlotReading['base']> {
  const prompt = continues?.prompt ?? leader.reuse.fresh[0];
  if (reading === null || prompt === undefined) return null;
  const opening = await ports.sessionPrompts.keep(prompt.stable);
  if (!opening.ok) return null;
  const { agent } = leader;
  const facts = await reviewers.describe(agent);
  const use = sessionUse(null, {
    ...{ usage, sessionUsage: reading.usedBefore, requests: reading.requests, at: ports.clock.now() },
    ...{ ttl: continues?.ttl ?? leader.reuse.ttl, provider: facts.provider, promptLength: prompt.dynamic.length },
    model: model ?? facts.usualModel ?? null,
  });
  return {
    opened: [...filesIn(reading)],
    session: {
      ...{ ...use, id: reading.sessionId, agent, model: facts.model, version: facts.version },
      toolsDigest: readingFingerprint(facts),
      freshTokens: reading.freshTokens,
      firstPromptLength: continues?.base.session.firstPromptLength ?? prompt.length,
      stableDigest: opening.value,
      saw: leader.tree,
      shown: [...entriesShown(leader.gate.entries)],
    },
  };
}

/**
 * Returns the session that read files for this reviewer and others, if the reviewer continued in a copy (fork) of it;
 * otherwise `undefined`.
 */
export function readingBehind(job: SlotJob | UnassignableSlot, answer: SlotAnswer | null): RecordMetadata['reading'] {
  const slotReading = 'shared' in job ? job.shared : undefined;
  const reading = slotReading?.end.reading ?? null;
  if (slotReading === undefined || reading === null || answer?.forked !== true) return undefined;
  const { gate, slot } = slotReading.leader;
  return { session: reading.sessionId, leader: `${gate}@${slot}`, opened: [...reading.opened] };
}

/**
 * Returns the session that read files for several reviewers and that this reviewer's next review can start from;
 * `undefined` if there is none.
 */
export function baseAfter(job: SlotJob | UnassignableSlot, answer: SlotAnswer | null): RecordMetadata['base'] {
  if (!('reuse' in job)) return undefined;
  if (answer?.forked === true) return job.shared?.base ?? undefined;
  return answer?.dispatch === 'resumed' ? lastReview(job.state, job.slot)?.own?.base : undefined;
}
