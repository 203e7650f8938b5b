import type { BaseReading, PastReview, ReuseJob } from '@onceover/agents/economy/types';
import type { ReviewerFacts } from '@onceover/base/kernel/ports';
import type { DiffSection } from '@onceover/base/kernel/repository';
import type { RunReason } from '../../gate-types.ts';
import type { GateState } from '../decide/gate-state.ts';
import { lastReview } from '../decide/last-review.ts';
import type { RecordMetadata, SlotRecord } from '../record-types.ts';
import { readDelta } from './delta-prompt.ts';
import { type IterationContext, readingFingerprint, slotFingerprint } from './iteration.ts';
import { filesOpenedBefore } from './opened-before.ts';
import { continuedReadingPrompt, forkedGatePrompt, GATE_ENGINE, resumedGatePrompt, type SlotPast } from './prompt.ts';

/** A reviewer that will run, with its agent and its prompts for a new session. */
type ReuseSubject = {
  readonly slot: number;
  readonly why: RunReason;
  readonly agent: string;
  readonly agentFacts: ReviewerFacts;
  readonly parts: readonly DiffSection[];
  readonly past: SlotPast;
  readonly compose: ReuseJob['compose'];
};

/** The number of earlier reviews from which the next one is estimated. */
const MOST_REVIEWS = 4;

/** Returns the facts that decide which session and which prompt a reviewer gets. */
export async function readReuse(
  context: IterationContext,
  state: GateState,
  { slot, why, agent, agentFacts, parts, past, compose }: ReuseSubject,
): Promise<ReuseJob> {
  const { gate } = state;
  const { model, version, sharesPrefix, provider, usualModel = null } = agentFacts;
  const isAskedFor = why === 'asked-for' || why === 'certify';
  const openingLength = GATE_ENGINE.length + parts.reduce((sum, { text }) => sum + text.length, 0);
  const lastLook = lastReview(state, slot);
  const canShare = parts.length === 1 && agentFacts.forksCached && agentFacts.canFork();
  const canResume = lastLook?.own?.session?.agent === agent && (await agentFacts.canResume());
  const mayResume = canResume && !isAskedFor && parts.length === 1;
  return {
    review: gate.id,
    content: gate.content,
    now: { agent, model, version, toolsDigest: slotFingerprint(agentFacts, gate) },
    agent: {
      ...{ canResume, canShare, readingDigest: readingFingerprint(agentFacts), sharesPrefix, provider, usualModel },
    },
    wanted: isAskedFor ? 'fresh' : 'any',
    openingLength,
    openedBefore: parts.length > 1 || isAskedFor ? [] : await filesOpenedBefore(context, gate, agent),
    past: lastLook === null ? null : await readPast(context, state, lastLook, { past, canShare, mayResume }),
    compose,
    composeFork: forkedGatePrompt,
  };
}

/** Returns a reviewer's last review, and the changes that its session does not know yet. */
async function readPast(
  context: IterationContext,
  { gate, cycle }: GateState,
  { slot, timestamp, own }: SlotRecord,
  { past, canShare, mayResume }: { readonly past: SlotPast; readonly canShare: boolean; readonly mayResume: boolean },
): Promise<PastReview> {
  const reviews = cycle.filter((record) => record.slot === slot);
  const resumedReviews = reviews
    .filter((record) => record.own?.dispatch === 'resumed' && record.own.opened !== undefined)
    .slice(-MOST_REVIEWS)
    .map((record) => ({ handed: record.own?.handed ?? [], opened: record.own?.opened ?? [] }));
  const seen = reviews.flatMap((record) => filesSeen(record.own));
  const session = own?.session ?? null;
  // The whole files are needed only if the session can be resumed.
  const inSession = seenInSession(reviews);
  const reads = { earlier: resumedReviews, seen: mayResume ? seen : [], inSession };
  return {
    at: timestamp,
    sawThisContent: own?.content === gate.content,
    session,
    delta:
      session === null
        ? null
        : await readDelta(context, gate, session, reads, (opening, delta) => resumedGatePrompt(opening, delta, past)),
    ...{ resumedReviews, seen, isFork: own?.reading !== undefined },
    base: own?.base === undefined || !canShare ? null : await readBase(context, gate, own.base),
  };
}

async function readBase(
  context: IterationContext,
  gate: GateState['gate'],
  { session, opened }: NonNullable<RecordMetadata['base']>,
): Promise<BaseReading> {
  const reads = { earlier: [], seen: opened, inSession: opened };
  const delta = await readDelta(context, gate, session, reads, continuedReadingPrompt);
  return { session, opened, delta: 'lost' in delta ? null : delta };
}

/**
 * Returns the files that the reviewer opened itself, those that another session opened for it, and those that its
 * prompt showed in full.
 */
function filesSeen(metadata: RecordMetadata | null): readonly string[] {
  return [...(metadata?.opened ?? []), ...(metadata?.handed ?? []), ...(metadata?.reading?.opened ?? [])];
}

/**
 * Returns the files that the session of the last review has seen since it began; `null` if the agent did not report them
 * in one of its reviews.
 */
function seenInSession(reviews: readonly SlotRecord[]): readonly string[] | null {
  const calls = reviews.filter(({ own }) => own !== null && own.dispatch !== 'none');
  const first = calls.findLastIndex(({ own }) => own?.dispatch === 'fresh');
  const inSession = calls.slice(Math.max(0, first));
  const isReported = inSession.every(({ own }) => own?.opened !== undefined);
  return isReported ? [...new Set(inSession.flatMap(({ own }) => filesSeen(own)))] : null;
}
