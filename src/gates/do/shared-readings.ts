import { expectedReads, groupReaders, type Reader, sharingPays } from '../../dispatch/decide-sharing.ts';
import type { openQueue } from '../../dispatch/limits.ts';
import { type ReadingEnd, readForAll } from '../../dispatch/share-reading.ts';
import { estimateTokens } from '../../kernel/agent.ts';
import type { SlotAnswer, SlotJob, SlotReading, UnassignableSlot } from '../ports.ts';
import type { RecordMetadata, SlotRecord } from '../record-types.ts';
import type { IterationContext } from './prepare-slot.ts';
import { gateSchema } from './prompt.ts';

type Queue = ReturnType<typeof openQueue>;

type SharingReader = Reader & { readonly job: SlotJob };

/**
 * Returns a function that gives the shared reading of a slot, after it has ended; `null` if the slot shares none. The
 * first slot of a group that asks starts the reading, and the others wait for it without taking a place in the queue.
 */
export function openReadings(
  context: IterationContext,
  jobs: readonly (SlotJob | UnassignableSlot)[],
  queue: Queue,
): (job: SlotJob) => Promise<SlotReading | null> {
  const groups = groupsOf(context, jobs);
  const ends = new Map<readonly SlotJob[], Promise<ReadingEnd>>();
  return async (job) => {
    const group = groups.find((one) => one.includes(job));
    const [leader] = group ?? [];
    if (group === undefined || leader === undefined) return null;
    const started = ends.get(group) ?? queue(() => readFor(context, group, leader));
    ends.set(group, started);
    const { gate, slot } = leader;
    return { leader: { gate: gate.id, slot }, isLeader: job === leader, end: await started };
  };
}

/** Returns the groups of slots that share a reading, because that is cheaper than separate sessions. */
function groupsOf(
  { request, facts }: IterationContext,
  jobs: readonly (SlotJob | UnassignableSlot)[],
): readonly (readonly SlotJob[])[] {
  const readers = jobs.flatMap((job): readonly SharingReader[] =>
    'trouble' in job || job.sharing === null ? [] : [{ key: job.sharing, review: job.gate.id, job }],
  );
  return groupReaders(readers, request.settings.shareReading)
    .map((group) => group.map(({ job }) => job))
    .filter((group) => {
      const stable = estimateTokens(group[0]?.fresh[0]?.stable.length ?? 0);
      const opened = openedBefore(facts.past.slots, group[0]?.agent ?? '');
      return sharingPays(group.length, stable + AGENT_TOKENS, expectedReads(opened));
    });
}

/** Tokens that an agent adds to a prompt: its tools and its own instructions. */
const AGENT_TOKENS = 2500;

const MOST_REVIEWS = 12;

/** Returns how many files the last reviewers with a new session of this agent opened, if the records say it. */
function openedBefore(records: readonly SlotRecord[], agent: string): readonly number[] {
  return records
    .filter(({ adapter, own }) => adapter === agent && own?.dispatch === 'fresh' && own.opened !== undefined)
    .slice(-MOST_REVIEWS)
    .map(({ own }) => new Set([...(own?.opened ?? []), ...(own?.reading?.opened ?? [])]).size);
}

/** Runs the reading of a group. Reviewers that only share its prompt's start wait until its agent begins to answer. */
async function readFor(context: IterationContext, group: readonly SlotJob[], leader: SlotJob): Promise<ReadingEnd> {
  const { ports, request, reviewers, budget } = context;
  const { agent } = leader;
  const readers = group.map(({ gate, slot }) => ({ gate: gate.id, slot }));
  const begun = await context.prefixes.join(leader.prefix);
  ports.reporter.tell({ kind: 'reading-started', agent, readers });
  const end = await readForAll(
    {
      ...{ clock: ports.clock, budget },
      async send(name, question) {
        const sent = await reviewers.ask(name, question, { stop: request.stop, watch: () => {}, begun });
        begun();
        return sent;
      },
    },
    {
      agent,
      stable: leader.fresh[0]?.stable ?? '',
      options: {
        schema: gateSchema(await reviewers.describe(agent)),
        cacheTtl: leader.cacheTtl,
        timeoutSeconds: Math.min(...group.map(({ timeoutSeconds }) => timeoutSeconds)),
        idleSeconds: request.settings.idleTimeoutSeconds,
      },
    },
  );
  const files = end.reading?.opened.length ?? null;
  const { why, usage, durationMs } = end;
  ports.reporter.tell({ kind: 'reading-ended', agent, readers, files, why, usage, durationMs });
  return end;
}

/** Returns the shared reading that an answer starts from; `undefined` if it does not come from a fork of one. */
export function readingBehind(job: SlotJob | UnassignableSlot, answer: SlotAnswer | null): RecordMetadata['reading'] {
  const shared = 'shared' in job ? job.shared : undefined;
  const reading = shared?.end.reading ?? null;
  if (shared === undefined || reading === null || answer?.forked !== true) return undefined;
  const { gate, slot } = shared.leader;
  return { session: reading.sessionId, leader: `${gate}@${slot}`, opened: [...reading.opened] };
}
