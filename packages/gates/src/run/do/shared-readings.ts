import type { openQueue } from '@onceover/agents/dispatch/limits';
import { filesIn, type ReadingEnd, readForAll } from '@onceover/agents/dispatch/share-reading';
import { judgeHit, sessionUse } from '@onceover/agents/economy/session-use';
import { AGENT_TOKENS, expectedReads, groupReaders, type Reader, sharingPays } from '@onceover/agents/economy/sharing';
import { estimateTokens } from '@onceover/base/kernel/agent';
import type { SlotAnswer, SlotJob, SlotReading, UnassignableSlot } from '../ports.ts';
import type { RecordMetadata } from '../record-types.ts';
import { type ContinuedReading, canContinue, continueReading } from './continued-readings.ts';
import { type IterationContext, readingFingerprint } from './prepare-slot.ts';
import { gateSchema } from './prompt.ts';
import { entriesShown } from './prompt-diff.ts';

type Queue = ReturnType<typeof openQueue>;

type SharingReader = Reader & { readonly job: SlotJob };

/**
 * Reviewers that share one session, which reads the files for all of them. `continues`: the earlier such session to
 * continue; `null` if there is none.
 */
type ReadingGroup = { readonly jobs: readonly SlotJob[]; readonly continues: ContinuedReading | null };

/**
 * Returns a function that waits for the session that reads the files for a reviewer, and returns it; `null` if the
 * reviewer shares none. The first reviewer of a group that calls it starts the session. The others wait without taking
 * a place among the parallel calls.
 */
export async function openReadings(
  context: IterationContext,
  jobs: readonly (SlotJob | UnassignableSlot)[],
  queue: Queue,
): Promise<(job: SlotJob) => Promise<SlotReading | null>> {
  const groups = await groupsOf(context, jobs);
  const ends = new Map<ReadingGroup, Promise<Omit<SlotReading, 'leader' | 'isLeader'>>>();
  return async (job) => {
    const group = groups.find((readingGroup) => readingGroup.jobs.includes(job));
    const [leader] = group?.jobs ?? [];
    if (group === undefined || leader === undefined) return null;
    const reading = ends.get(group) ?? queue(() => readFor(context, group, leader));
    ends.set(group, reading);
    const { gate, slot } = leader;
    return { leader: { gate: gate.id, slot }, isLeader: job === leader, ...(await reading) };
  };
}

/**
 * Returns how the reviewer runs after another session has read the files for it. If that session cannot be copied, the
 * reviewer runs as planned.
 */
export function withSharedReading(job: SlotJob, reading: SlotReading): SlotJob {
  const { continued, end, isLeader } = reading;
  if (continued === null || end.reading === null) return { ...job, shared: reading };
  return {
    ...{ ...job, shared: reading, resumed: null, dispatch: { kind: 'fresh', why: 'reading-continued' } },
    cacheTtl: continued.ttl,
    // Record only for the first reviewer whether the session that reads the files was still in the provider's cache, so
    // that it is counted once.
    cacheNote: isLeader ? continued.note : null,
  };
}

/**
 * Returns the groups of reviewers for which one session should read the files, because that is cheaper than separate
 * sessions.
 */
async function groupsOf(
  context: IterationContext,
  jobs: readonly (SlotJob | UnassignableSlot)[],
): Promise<readonly ReadingGroup[]> {
  const { request, cacheHistory } = context;
  const groupJobs = (isEligible: (job: SlotJob) => boolean) => {
    const readers = jobs.flatMap((job): readonly SharingReader[] => {
      if ('trouble' in job || job.sharing === null || !isEligible(job)) return [];
      return [{ key: `${job.sharing} ${job.lastLook?.own?.base?.session.id ?? ''}`, review: job.gate.id, job }];
    });
    return groupReaders(readers, request.settings.shareReading).map((group) => group.map(({ job }) => job));
  };
  const continuedGroups: ReadingGroup[] = [];
  for (const group of groupJobs(canContinue)) {
    const continues = await continueReading(context, group);
    if (continues !== null) continuedGroups.push({ jobs: group, continues });
  }
  const continuedJobs = new Set(continuedGroups.flatMap((group) => group.jobs));
  const freshGroups = groupJobs((job) => job.dispatch.kind === 'fresh' && !continuedJobs.has(job)).filter((group) => {
    const stable = estimateTokens(group[0]?.fresh[0]?.stable.length ?? 0);
    const readEstimate = expectedReads(cacheHistory.reads, group[0]?.agent ?? '');
    return sharingPays(group.length, stable + AGENT_TOKENS, readEstimate);
  });
  return [...continuedGroups, ...freshGroups.map((group) => ({ jobs: group, continues: null }))];
}

/**
 * Lets one session read the files for all reviewers of a group. Reviewers outside the group whose prompts start alike
 * wait until the agent begins to answer, because the provider has cached that start then.
 */
async function readFor(
  context: IterationContext,
  { jobs, continues }: ReadingGroup,
  leader: SlotJob,
): Promise<Omit<SlotReading, 'leader' | 'isLeader'>> {
  const { ports, request, reviewers, budget } = context;
  const { agent } = leader;
  const readers = jobs.map(({ gate, slot }) => ({ gate: gate.id, slot }));
  const release = await context.prefixes.join(continues === null ? leader.prefix : null);
  ports.reporter.tell({ kind: 'reading-started', agent, readers });
  const facts = await reviewers.describe(agent);
  const ttl = continues?.ttl ?? leader.cacheTtl;
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
      stable: continues?.prompt.stable ?? leader.fresh[0]?.stable ?? '',
      given: continues === null ? leader.given : [],
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
  const prompt = continues?.prompt ?? leader.fresh[0];
  if (reading === null || prompt === undefined) return null;
  const opening = await ports.sessionPrompts.keep(prompt.stable);
  if (!opening.ok) return null;
  const { agent } = leader;
  const facts = await reviewers.describe(agent);
  const use = sessionUse(null, {
    ...{ usage, sessionUsage: reading.usedBefore, requests: reading.requests, at: ports.clock.now() },
    ...{ ttl: continues?.ttl ?? leader.cacheTtl, provider: facts.provider, promptLength: prompt.dynamic.length },
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
  if (!('fresh' in job)) return undefined;
  if (answer?.forked === true) return job.shared?.base ?? undefined;
  return answer?.dispatch === 'resumed' ? job.lastLook?.own?.base : undefined;
}
