import { type Answers, answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { type ConverseEnd, converse } from '@onceover/agents/dispatch/converse';
import { readAnswer } from '@onceover/agents/dispatch/read-answer';
import { filesIn, type SharedReading } from '@onceover/agents/dispatch/share-reading';
import { openedAgain } from '@onceover/agents/economy/handover';
import { judgeHit, openingOnce, type SessionUse, sessionUse } from '@onceover/agents/economy/session-use';
import {
  addUsage,
  type CacheNote,
  type KeptSession,
  newTokens,
  type RequestFigures,
  type Usage,
} from '@onceover/base/kernel/agent';
import type { AskSubject } from '@onceover/base/kernel/ports';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { Disposition } from '../../findings/types.ts';
import type { SlotAnswer, SlotJob, SlotReading } from '../ports.ts';
import { type IterationContext, slotFingerprint } from './iteration.ts';
import { forkedGatePrompt, gateSchema } from './prompt.ts';
import { entriesShown } from './prompt-diff.ts';

type GateAnswer = Answers['gate'];

/** Calls the reviewer for each part of the change and joins the answers. Stops at the first part without an answer. */
export async function askSlot(context: IterationContext, job: SlotJob, onBegin: () => void): Promise<SlotAnswer> {
  const [first, ...otherParts] = job.reuse.fresh;
  if (first === undefined) throw new Error('a slot without a prompt');
  let answer = await askPart(context, job, first, onBegin);
  for (const part of otherParts) {
    if (answer.trouble !== null) return answer;
    answer = joinParts(answer, await askPart(context, newSession(job), part, onBegin));
  }
  return withReading(answer, job.shared);
}

/**
 * Adds the calls of the session that read files for several reviewers to this reviewer, if their cost is charged to it.
 */
function withReading(answer: SlotAnswer, sharedReading: SlotReading | undefined): SlotAnswer {
  if (sharedReading?.isLeader !== true) return answer;
  const { end } = sharedReading;
  return {
    ...answer,
    usage: addUsage(end.usage, answer.usage),
    requests: end.requests + answer.requests,
    durationMs: end.durationMs + answer.durationMs,
    exchanges: [...end.exchanges, ...answer.exchanges],
  };
}

/**
 * Returns the answer of a reviewer that was stopped after another session had read files for it. It has no verdict, but
 * the calls of that session have to be counted.
 */
export function answerWithoutReview({ agent, reuse, shared }: SlotJob): SlotAnswer | null {
  if (shared?.isLeader !== true || shared.end.requests === 0) return null;
  const failure = { kind: 'cancelled' } as const;
  const emptyFields = {
    usage: null,
    requests: 0,
    durationMs: 0,
    exchanges: [],
    session: null,
    opened: null,
    cache: null,
  };
  const { model } = shared.end;
  return withReading(
    {
      ...{ agent, model, dispatch: reuse.dispatch.kind, forked: false, ...emptyFields, raw: '' },
      ...{ answer: null, trouble: { kind: 'agent', agent, failure } },
    },
    shared,
  );
}

function newSession(job: SlotJob): SlotJob {
  return { ...job, reuse: { ...job.reuse, resumed: null } };
}

/** A session that read the files, of which a reviewer gets a copy (fork), with the reviewer's prompt for it. */
type Fork = { readonly prompt: ComposedPrompt; readonly reading: SharedReading };

/** How a conversation with a reviewer ended, without the last reply. */
type AskedEnd = Omit<ConverseEnd<Answers['gate']>, 'last'>;

type LastReply = ConverseEnd<Answers['gate']>['last'];

async function askPart(
  context: IterationContext,
  job: SlotJob,
  prompt: ComposedPrompt,
  onBegin: () => void,
): Promise<SlotAnswer> {
  const fork = forkFor(job, prompt);
  const { last, ...end } = await callReviewer(context, job, { prompt, fork, onBegin });
  const { resumed } = job.reuse;
  const resumedSession = end.dispatch === 'resumed' && resumed !== null ? resumed.session : null;
  const reply = { end, last, resumedSession };
  return {
    ...end,
    session: await sessionAfter(context, job, { ...reply, prompt, fork }),
    opened: last?.filesRead ?? null,
    raw: last?.text ?? '',
    cache: cacheNoteAfter(job, reply),
  };
}

function forkFor({ shared }: SlotJob, prompt: ComposedPrompt): Fork | null {
  const reading = shared?.end.reading ?? null;
  if (reading === null) return null;
  // The reviewer continues in a copy (fork) of a session, so its prompt starts like the first prompt of that session.
  return { prompt: forkedGatePrompt({ ...prompt, stable: shared?.continued?.opening ?? prompt.stable }), reading };
}

/** Asks the reviewer in its session, in a fork, or in a new session, until there is an answer or no further try. */
function callReviewer(
  context: IterationContext,
  job: SlotJob,
  { prompt, fork, onBegin }: { readonly prompt: ComposedPrompt; readonly fork: Fork | null; onBegin(): void },
): Promise<ConverseEnd<Answers['gate']>> {
  const { ports, request, reviewers, budget } = context;
  const { agent, others, reuse, shared } = job;
  const slotRef = { gate: job.gate.id, slot: job.slot };
  const forked =
    fork === null
      ? null
      : { prompt: fork.prompt, session: { ...fork.reading, id: fork.reading.sessionId }, forks: true };
  return converse(
    {
      ...{ reviewers, budget, clock: ports.clock, cooldowns: ports.cooldowns },
      async send(name, question) {
        const schema = gateSchema(await reviewers.describe(name));
        const reply = await reviewers.ask(
          name,
          { ...question, schema, trees: context.trees },
          {
            stop: request.stop,
            watch: (doing, usage) => ports.reporter.tell({ kind: 'slot-active', ...slotRef, doing, usage }),
            begun: onBegin,
            subject: subjectOf(context, job),
          },
        );
        onBegin();
        return reply;
      },
      askingAgain: (retry) => ports.reporter.tell({ kind: 'slot-asked-again', ...slotRef, ...retry }),
    },
    {
      ...{ kind: 'gate', agent, others, fresh: prompt, resumed: reuse.resumed ?? forked },
      options: {
        schema: answerSchema('gate'),
        cacheTtl: reuse.ttl,
        ...(fork === null ? {} : { answersAtOnce: reuse.answersAtOnce }),
        // Subtract the time that another session took to read files for this reviewer, so that the two time limits do
        // not add up.
        timeoutSeconds: Math.max(1, Math.ceil(job.timeoutSeconds - (shared?.end.durationMs ?? 0) / 1000)),
        idleSeconds: request.settings.idleTimeoutSeconds,
      },
    },
  );
}

type SlotReply = {
  readonly end: AskedEnd;
  readonly last: LastReply;
  /** The session that was resumed; `null` if the answer comes from a new or a forked session. */
  readonly resumedSession: KeptSession | null;
};

/** Returns what was assumed about the provider's cache, and whether the session really was in it. */
function cacheNoteAfter({ reuse: { note } }: SlotJob, { end, last, resumedSession }: SlotReply): CacheNote | null {
  if (note === null || resumedSession === null) return note;
  return { ...note, hit: judgeHit(resumedSession, { usage: end.usage, requests: firstRequests(end, last) }) };
}

// If the reviewer got several questions, the usage does not show what the first one found in the cache.
function firstRequests({ exchanges }: AskedEnd, last: LastReply): RequestFigures | null {
  return exchanges.length === 1 ? (last?.requests ?? null) : null;
}

/** Returns the session that the next review can resume; `null` if there is none. */
async function sessionAfter(
  { ports, reviewers }: IterationContext,
  job: SlotJob,
  {
    end,
    last,
    resumedSession,
    prompt,
    fork,
  }: SlotReply & { readonly prompt: ComposedPrompt; readonly fork: Fork | null },
): Promise<KeptSession | null> {
  const { fresh, resumed, ttl } = job.reuse;
  // A session that saw only one part of the change cannot be resumed for the whole change.
  if (end.answer === null || last === null || last.sessionId === null || fresh.length > 1) return null;
  const facts = await reviewers.describe(end.agent);
  const use = sessionUse(resumedSession, {
    ...{ usage: end.usage, sessionUsage: last.sessionUsage, requests: firstRequests(end, last) },
    ...{ at: ports.clock.now(), ttl, provider: facts.provider, model: end.model ?? facts.usualModel ?? null },
    promptLength: (resumedSession === null ? prompt : (resumed?.prompt ?? prompt)).dynamic.length,
  });
  const fields = { id: last.sessionId, saw: job.tree, shown: entriesShown(job.gate.entries) };
  if (resumedSession !== null) return { ...resumedSession, ...fields, ...use };
  const ownFork = end.forked ? fork : null;
  const opening = await ports.sessionPrompts.keep((ownFork?.prompt ?? prompt).stable);
  if (!opening.ok) return null;
  return {
    ...fields,
    ...(ownFork === null ? use : asIfAlone(use, ownFork, { usage: end.usage, opened: last.filesRead ?? [] })),
    ...{ agent: end.agent, model: facts.model, version: facts.version },
    toolsDigest: slotFingerprint(facts, job.gate),
    firstPromptLength: prompt.length,
    stableDigest: opening.value,
  };
}

/** Returns the figures of a forked session as if the reviewer had read the same files in a session of its own. */
function asIfAlone(
  use: SessionUse,
  { reading, prompt }: Fork,
  { usage, opened }: { readonly usage: Usage | null; readonly opened: readonly string[] },
): SessionUse {
  const { freshTokens: readTokens } = reading;
  const ownTokens = usage === null ? null : newTokens(usage);
  const freshTokens =
    readTokens === null && ownTokens === null ? use.freshTokens : (readTokens ?? 0) + (ownTokens ?? 0);
  const repeatedFileCount = openedAgain(opened, filesIn(reading)).length;
  const { cache } = use;
  if (repeatedFileCount === 0 || cache?.opening == null) return { ...use, freshTokens };
  const again = repeatedFileCount / new Set(opened).size;
  const opening = openingOnce(cache.opening, { again, promptLength: prompt.dynamic.length });
  const repeatedTokens = cache.opening.uncached - opening.uncached;
  return { ...use, freshTokens: Math.max(0, (freshTokens ?? 0) - repeatedTokens), cache: { ...cache, opening } };
}

/**
 * Returns the content that a question to a reviewer is about. A reviewer that has judged the same content before should
 * give another opinion, so `asker` contains the number of its verdicts. With `--fresh`, no earlier answer is used.
 */
function subjectOf({ facts }: IterationContext, { gate, slot, state, why, tree }: SlotJob): AskSubject {
  const acceptance = state.slots.find((slotState) => slotState.slot === slot)?.shared;
  const verdicts = state.cycle.filter(
    (record) =>
      record.slot === slot &&
      (record.status === 'pass' || record.status === 'fail') &&
      record.own?.content === gate.content,
  );
  return {
    tree,
    baseTree: facts.comparison.baseTree,
    asker: `${gate.id}@${slot}:${verdicts.length}`,
    mayShare: why !== 'asked-for',
    isAudit: acceptance?.kind === 'refused' && acceptance.why === 'drawn-for-audit',
    accepts: (reply) => readAnswer('gate', reply).ok,
  };
}

function joinParts(a: SlotAnswer, b: SlotAnswer): SlotAnswer {
  return {
    ...b,
    session: null,
    usage: addUsage(a.usage, b.usage),
    requests: a.requests + b.requests,
    durationMs: a.durationMs + b.durationMs,
    exchanges: [...a.exchanges, ...b.exchanges],
    raw: `${a.raw}\n${b.raw}`,
    opened: a.opened === null || b.opened === null ? null : [...new Set([...a.opened, ...b.opened])],
    answer: a.answer === null || b.answer === null ? null : joinAnswers(a.answer, b.answer),
  };
}

/** Joins the answers to two parts of one change. The result passes only if both answers pass. */
export function joinAnswers(first: GateAnswer, second: GateAnswer): GateAnswer {
  const [a, b] = [withViolation(first), withViolation(second)];
  return {
    status: a.status === 'fail' || b.status === 'fail' ? 'fail' : 'pass',
    violations: [...a.violations, ...b.violations],
    previous: joinPrevious([...(a.previous ?? []), ...(b.previous ?? [])]),
    message: [a.message ?? '', b.message ?? ''].join(' ').trim(),
  };
}

/**
 * If the reviewer failed a part without naming a problem, its message is reported as the problem. Otherwise the failure
 * would be lost.
 */
function withViolation(answer: GateAnswer): GateAnswer {
  const namesProblem = answer.violations.length > 0 || (answer.previous ?? []).some(isStillOpen);
  if (answer.status === 'pass' || namesProblem) return answer;
  const issue = answer.message?.trim() || 'The reviewer failed a part of the change and did not say why.';
  return { ...answer, violations: [{ file: '', line: null, issue, priority: 'critical' }] };
}

/** Joins the reviewer's answers about earlier findings. If one answer calls a finding `open`, it is open. */
function joinPrevious(dispositions: NonNullable<GateAnswer['previous']>): NonNullable<GateAnswer['previous']> {
  const open = new Set(dispositions.filter(isStillOpen).map(({ id }) => id));
  return dispositions.filter((disposition) => isStillOpen(disposition) || !open.has(disposition.id));
}

function isStillOpen({ state }: Pick<Disposition, 'state'>): boolean {
  return state === 'open';
}
