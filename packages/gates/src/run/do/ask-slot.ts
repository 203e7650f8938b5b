import { type Answers, answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { converse } from '@onceover/agents/dispatch/converse';
import { readAnswer } from '@onceover/agents/dispatch/read-answer';
import { filesIn, type SharedReading } from '@onceover/agents/dispatch/share-reading';
import { openedAgain } from '@onceover/agents/economy/handover';
import { judgeHit, openingOnce, type SessionUse, sessionUse } from '@onceover/agents/economy/session-use';
import { addUsage, type KeptSession, newTokens, type Usage } from '@onceover/base/kernel/agent';
import type { AskSubject } from '@onceover/base/kernel/ports';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import type { Disposition } from '../../findings/types.ts';
import type { SlotAnswer, SlotJob, SlotReading } from '../ports.ts';
import { type IterationContext, slotFingerprint } from './prepare-slot.ts';
import { forkedGatePrompt, gateSchema } from './prompt.ts';
import { entriesShown } from './prompt-diff.ts';

type GateAnswer = Answers['gate'];

/** Calls the reviewer for each part of the change and joins the answers. Stops at the first part without an answer. */
export async function askSlot(context: IterationContext, job: SlotJob, onBegin: () => void): Promise<SlotAnswer> {
  const [first, ...otherParts] = job.fresh;
  if (first === undefined) throw new Error('a slot without a prompt');
  let answer = await askPart(context, job, first, onBegin);
  for (const part of otherParts) {
    if (answer.trouble !== null) return answer;
    answer = joinParts(answer, await askPart(context, { ...job, resumed: null }, part, onBegin));
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
export function answerWithoutReview({ agent, dispatch, shared }: SlotJob): SlotAnswer | null {
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
      ...{ agent, model, dispatch: dispatch.kind, forked: false, ...emptyFields, raw: '' },
      ...{ answer: null, trouble: { kind: 'agent', agent, failure } },
    },
    shared,
  );
}

/** Returns the figures of a forked session as if the reviewer had read the same files in a session of its own. */
function asIfAlone(
  use: SessionUse,
  reading: SharedReading | null,
  forkFigures: { readonly usage: Usage | null; readonly opened: readonly string[]; readonly promptLength: number },
): SessionUse {
  const readTokens = reading?.freshTokens ?? null;
  const { usage, opened, promptLength } = forkFigures;
  const totalTokens =
    readTokens === null && usage === null ? null : (readTokens ?? 0) + (usage === null ? 0 : newTokens(usage));
  const freshTokens = totalTokens ?? use.freshTokens;
  const repeatedFileCount = reading === null ? 0 : openedAgain(opened, filesIn(reading)).length;
  const { cache } = use;
  if (repeatedFileCount === 0 || cache?.opening == null) return { ...use, freshTokens };
  const opening = openingOnce(cache.opening, { again: repeatedFileCount / new Set(opened).size, promptLength });
  const repeatedTokens = cache.opening.uncached - opening.uncached;
  return { ...use, freshTokens: Math.max(0, (freshTokens ?? 0) - repeatedTokens), cache: { ...cache, opening } };
}

async function askPart(
  context: IterationContext,
  job: SlotJob,
  prompt: ComposedPrompt,
  onBegin: () => void,
): Promise<SlotAnswer> {
  const { ports, request, reviewers, budget } = context;
  const { agent, others, shared } = job;
  const reading = shared?.end.reading ?? null;
  const fork =
    reading === null
      ? null
      : {
          // The reviewer continues in a copy (fork) of a session, so its prompt starts like the first prompt of that
          // session.
          prompt: forkedGatePrompt({ ...prompt, stable: shared?.continued?.opening ?? prompt.stable }),
          session: { ...reading, id: reading.sessionId },
          forks: true,
        };
  // Assumes that the reviewer works as in its last session: if it answered with one request then, it will probably do
  // so again.
  const answersAtOnce = job.lastLook?.own?.session?.cache?.opening?.requests === 1;
  // Subtract the time that another session took to read files for this reviewer, so that the two time limits do not add
  // up.
  const timeoutSeconds = Math.max(1, Math.ceil(job.timeoutSeconds - (shared?.end.durationMs ?? 0) / 1000));
  const slotRef = { gate: job.gate.id, slot: job.slot };
  const { last, ...end } = await converse(
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
      ...{ kind: 'gate', agent, others, fresh: prompt, resumed: job.resumed ?? fork },
      options: {
        schema: answerSchema('gate'),
        cacheTtl: job.cacheTtl,
        ...(fork === null ? {} : { answersAtOnce }),
        timeoutSeconds,
        idleSeconds: request.settings.idleTimeoutSeconds,
      },
    },
  );
  const raw = last?.text ?? '';
  const openedFiles = last?.filesRead ?? null;
  const resumedSession = end.dispatch === 'resumed' && job.resumed !== null ? job.resumed.session : null;
  // If the reviewer got several questions, the usage does not show what the first one found in the cache.
  const requests = end.exchanges.length === 1 ? (last?.requests ?? null) : null;
  const isCacheHit = resumedSession === null ? null : judgeHit(resumedSession, { usage: end.usage, requests });
  const cache =
    job.cacheNote === null ? null : { ...job.cacheNote, hit: resumedSession === null ? job.cacheNote.hit : isCacheHit };
  const answerDetails = { opened: openedFiles, raw, cache };
  // A session that saw only one part of the change cannot be resumed for the whole change.
  if (end.answer === null || last === null || last.sessionId === null || job.fresh.length > 1) {
    return { ...end, session: null, ...answerDetails };
  }
  const facts = await reviewers.describe(end.agent);
  const use = sessionUse(resumedSession, {
    usage: end.usage,
    sessionUsage: last.sessionUsage,
    requests: last.requests ?? null,
    at: ports.clock.now(),
    ttl: job.cacheTtl,
    provider: facts.provider,
    model: end.model ?? facts.usualModel ?? null,
    promptLength: (resumedSession === null ? prompt : (job.resumed?.prompt ?? prompt)).dynamic.length,
  });
  const forkFigures = { usage: end.usage, opened: openedFiles ?? [], promptLength: fork?.prompt.dynamic.length ?? 0 };
  const sessionFields = {
    id: last.sessionId,
    saw: job.tree,
    shown: entriesShown(job.gate.entries),
    ...(end.forked ? asIfAlone(use, reading, forkFigures) : use),
  };
  if (resumedSession !== null) return { ...end, session: { ...resumedSession, ...sessionFields }, ...answerDetails };
  const opening = await ports.sessionPrompts.keep((end.forked ? fork?.prompt : prompt)?.stable ?? prompt.stable);
  if (!opening.ok) return { ...end, session: null, ...answerDetails };
  const session: KeptSession = {
    ...sessionFields,
    agent: end.agent,
    model: facts.model,
    version: facts.version,
    toolsDigest: slotFingerprint(facts, job.gate),
    firstPromptLength: prompt.length,
    stableDigest: opening.value,
  };
  return { ...end, session, ...answerDetails };
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
