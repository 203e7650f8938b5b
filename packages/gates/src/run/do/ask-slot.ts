import { type Answers, answerSchema } from '@onceover/agents/dispatch/answer-schemas';
import { converse } from '@onceover/agents/dispatch/converse';
import { openedAgain } from '@onceover/agents/dispatch/decide-handover';
import type { ComposedPrompt } from '@onceover/agents/dispatch/prompt';
import { readAnswer } from '@onceover/agents/dispatch/read-answer';
import { judgeHit, openingOnce, type SessionUse, sessionUse } from '@onceover/agents/dispatch/session-use';
import { filesIn, type SharedReading } from '@onceover/agents/dispatch/share-reading';
import { addUsage, type KeptSession, newTokens, type Usage } from '@onceover/base/kernel/agent';
import type { AskSubject } from '@onceover/base/kernel/ports';
import type { Disposition } from '../../findings/types.ts';
import type { SlotAnswer, SlotJob, SlotReading } from '../ports.ts';
import { type IterationContext, slotFingerprint } from './prepare-slot.ts';
import { forkedGatePrompt, gateSchema } from './prompt.ts';
import { entriesShown } from './prompt-diff.ts';

type GateAnswer = Answers['gate'];

/** Calls the reviewer for each part of the change and joins the answers. Stops at the first part without an answer. */
export async function askSlot(context: IterationContext, job: SlotJob, begun: () => void): Promise<SlotAnswer> {
  const [first, ...more] = job.fresh;
  if (first === undefined) throw new Error('a slot without a prompt');
  let whole = await askPart(context, job, first, begun);
  for (const part of more) {
    if (whole.trouble !== null) return whole;
    whole = joinParts(whole, await askPart(context, { ...job, resumed: null }, part, begun));
  }
  return withReading(whole, job.shared);
}

/**
 * Adds the calls of the session that read files for several reviewers to this reviewer, if their cost is charged to it.
 */
function withReading(answer: SlotAnswer, shared: SlotReading | undefined): SlotAnswer {
  if (shared?.isLeader !== true) return answer;
  const { end } = shared;
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
  const nothing = { usage: null, requests: 0, durationMs: 0, exchanges: [], session: null, opened: null, cache: null };
  const { model } = shared.end;
  return withReading(
    {
      ...{ agent, model, dispatch: dispatch.kind, forked: false, ...nothing, raw: '' },
      ...{ answer: null, trouble: { kind: 'agent', agent, failure } },
    },
    shared,
  );
}

/** Returns the figures of a forked session as if the reviewer had read the same files in a session of its own. */
function asIfAlone(
  use: SessionUse,
  reading: SharedReading | null,
  own: { readonly usage: Usage | null; readonly opened: readonly string[]; readonly promptLength: number },
): SessionUse {
  const read = reading?.freshTokens ?? null;
  const { usage, opened, promptLength } = own;
  const whole = read === null && usage === null ? null : (read ?? 0) + (usage === null ? 0 : newTokens(usage));
  const freshTokens = whole ?? use.freshTokens;
  const twice = reading === null ? 0 : openedAgain(opened, filesIn(reading)).length;
  const { cache } = use;
  if (twice === 0 || cache?.opening == null) return { ...use, freshTokens };
  const opening = openingOnce(cache.opening, { again: twice / new Set(opened).size, promptLength });
  const repeated = cache.opening.uncached - opening.uncached;
  return { ...use, freshTokens: Math.max(0, (freshTokens ?? 0) - repeated), cache: { ...cache, opening } };
}

async function askPart(
  context: IterationContext,
  job: SlotJob,
  prompt: ComposedPrompt,
  begun: () => void,
): Promise<SlotAnswer> {
  const { ports, request, reviewers, budget } = context;
  const { agent, others, shared } = job;
  const reading = shared?.end.reading ?? null;
  const forked =
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
        const sent = await reviewers.ask(
          name,
          { ...question, schema, trees: context.trees },
          {
            stop: request.stop,
            watch: (doing, usage) => ports.reporter.tell({ kind: 'slot-active', ...slotRef, doing, usage }),
            begun,
            subject: subjectOf(context, job),
          },
        );
        begun();
        return sent;
      },
      askingAgain: (again) => ports.reporter.tell({ kind: 'slot-asked-again', ...slotRef, ...again }),
    },
    {
      ...{ kind: 'gate', agent, others, fresh: prompt, resumed: job.resumed ?? forked },
      options: {
        schema: answerSchema('gate'),
        cacheTtl: job.cacheTtl,
        ...(forked === null ? {} : { answersAtOnce }),
        timeoutSeconds,
        idleSeconds: request.settings.idleTimeoutSeconds,
      },
    },
  );
  const raw = last?.text ?? '';
  const opened = last?.filesRead ?? null;
  const kept = end.dispatch === 'resumed' && job.resumed !== null ? job.resumed.session : null;
  // If the reviewer got several questions, the usage does not show what the first one found in the cache.
  const requests = end.exchanges.length === 1 ? (last?.requests ?? null) : null;
  const hit = kept === null ? null : judgeHit(kept, { usage: end.usage, requests });
  const cache = job.cacheNote === null ? null : { ...job.cacheNote, hit: kept === null ? job.cacheNote.hit : hit };
  const read = { opened, raw, cache };
  // A session that saw only one part of the change cannot be resumed for the whole change.
  if (end.answer === null || last === null || last.sessionId === null || job.fresh.length > 1) {
    return { ...end, session: null, ...read };
  }
  const facts = await reviewers.describe(end.agent);
  const use = sessionUse(kept, {
    usage: end.usage,
    sessionUsage: last.sessionUsage,
    requests: last.requests ?? null,
    at: ports.clock.now(),
    ttl: job.cacheTtl,
    provider: facts.provider,
    model: end.model ?? facts.usualModel ?? null,
    promptLength: (kept === null ? prompt : (job.resumed?.prompt ?? prompt)).dynamic.length,
  });
  const own = { usage: end.usage, opened: opened ?? [], promptLength: forked?.prompt.dynamic.length ?? 0 };
  const now = {
    id: last.sessionId,
    saw: job.tree,
    shown: entriesShown(job.gate.entries),
    ...(end.forked ? asIfAlone(use, reading, own) : use),
  };
  if (kept !== null) return { ...end, session: { ...kept, ...now }, ...read };
  const opening = await ports.sessionPrompts.keep((end.forked ? forked?.prompt : prompt)?.stable ?? prompt.stable);
  if (!opening.ok) return { ...end, session: null, ...read };
  const session: KeptSession = {
    ...now,
    agent: end.agent,
    model: facts.model,
    version: facts.version,
    toolsDigest: slotFingerprint(facts, job.gate),
    firstPromptLength: prompt.length,
    stableDigest: opening.value,
  };
  return { ...end, session, ...read };
}

/**
 * Returns the content that a question to a reviewer is about. A reviewer that has judged the same content before should
 * give another opinion, so `asker` contains the number of its verdicts. With `--fresh`, no earlier answer is used.
 */
function subjectOf({ facts }: IterationContext, { gate, slot, state, why, tree }: SlotJob): AskSubject {
  const shared = state.slots.find((one) => one.slot === slot)?.shared;
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
    isAudit: shared?.kind === 'refused' && shared.why === 'drawn-for-audit',
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
function joinPrevious(all: NonNullable<GateAnswer['previous']>): NonNullable<GateAnswer['previous']> {
  const open = new Set(all.filter(isStillOpen).map(({ id }) => id));
  return all.filter((one) => isStillOpen(one) || !open.has(one.id));
}

function isStillOpen({ state }: Pick<Disposition, 'state'>): boolean {
  return state === 'open';
}
