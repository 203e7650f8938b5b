import { type Answers, answerSchema } from '../../dispatch/answer-schemas.ts';
import { converse } from '../../dispatch/converse.ts';
import { cacheTtl, sessionUse } from '../../dispatch/decide-resume.ts';
import type { ComposedPrompt } from '../../dispatch/prompt.ts';
import { addUsage, type KeptSession } from '../../kernel/agent.ts';
import type { SlotAnswer, SlotJob } from '../ports.ts';
import type { Disposition } from '../types.ts';
import { type IterationContext, slotFingerprint } from './prepare-slot.ts';
import { entriesShown } from './prompt-diff.ts';

type GateAnswer = Answers['gate'];

/** Calls a slot's reviewer for each part of the change and joins the answers. Stops at a part without an answer. */
export async function askSlot(context: IterationContext, job: SlotJob, begun: () => void): Promise<SlotAnswer> {
  const [first, ...more] = job.fresh;
  if (first === undefined) throw new Error('a slot without a prompt');
  let whole = await askPart(context, job, first, begun);
  for (const part of more) {
    if (whole.trouble !== null) return whole;
    whole = joinParts(whole, await askPart(context, { ...job, resumed: null }, part, begun));
  }
  return whole;
}

async function askPart(
  context: IterationContext,
  job: SlotJob,
  prompt: ComposedPrompt,
  begun: () => void,
): Promise<SlotAnswer> {
  const { ports, request, reviewers, budget } = context;
  const { agent, others, resumed, timeoutSeconds } = job;
  const slotRef = { gate: job.gate.id, slot: job.slot };
  const sinceLastReview = ports.clock.now().getTime() - Date.parse(job.lastLook?.timestamp ?? '');
  const ttl = cacheTtl(request.settings.cacheTtl, sinceLastReview);
  const { last, ...end } = await converse(
    {
      ...{ reviewers, budget, clock: ports.clock, coolings: ports.coolings },
      async send(name, question) {
        const sent = await reviewers.ask(name, question, {
          stop: request.stop,
          watch: (doing, usage) => ports.reporter.tell({ kind: 'slot-active', ...slotRef, doing, usage }),
          begun,
        });
        begun();
        return sent;
      },
      askingAgain: (again) => ports.reporter.tell({ kind: 'slot-asked-again', ...slotRef, ...again }),
    },
    {
      ...{ kind: 'gate', agent, others, fresh: prompt, resumed },
      options: {
        schema: answerSchema('gate'),
        cacheTtl: ttl,
        timeoutSeconds,
        idleSeconds: request.settings.idleTimeoutSeconds,
      },
    },
  );
  const raw = last?.text ?? '';
  const filesRead = last?.filesRead ?? null;
  // A session that saw one part of the change cannot be resumed for the whole change.
  if (end.answer === null || last === null || last.sessionId === null || job.fresh.length > 1) {
    return { ...end, session: null, raw, filesRead };
  }
  const facts = await reviewers.describe(end.agent);
  const kept = end.dispatch === 'resumed' && resumed !== null ? resumed.session : null;
  const now = {
    id: last.sessionId,
    saw: job.tree,
    shown: entriesShown(job.gate.entries),
    ...sessionUse(kept, {
      usage: end.usage,
      sessionUsage: last.sessionUsage,
      at: ports.clock.now(),
      warmMinutes: facts.warmMinutes[ttl],
    }),
  };
  if (kept !== null) return { ...end, session: { ...kept, ...now }, raw, filesRead };
  const opening = await ports.openings.keep(prompt.stable);
  if (!opening.ok) return { ...end, session: null, raw, filesRead };
  const session: KeptSession = {
    ...now,
    agent: end.agent,
    model: facts.model,
    version: facts.version,
    toolsDigest: slotFingerprint(facts, job.gate),
    firstPromptLength: prompt.length,
    stableDigest: opening.value,
  };
  return { ...end, session, raw, filesRead };
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
    filesRead: a.filesRead === null || b.filesRead === null ? null : [...new Set([...a.filesRead, ...b.filesRead])],
    answer: a.answer === null || b.answer === null ? null : joinAnswers(a.answer, b.answer),
  };
}

/** Joins the answers to two parts of one change. The result passes only if both parts pass. */
export function joinAnswers(first: GateAnswer, second: GateAnswer): GateAnswer {
  const [a, b] = [withViolation(first), withViolation(second)];
  return {
    status: a.status === 'fail' || b.status === 'fail' ? 'fail' : 'pass',
    violations: [...a.violations, ...b.violations],
    previous: joinPrevious([...(a.previous ?? []), ...(b.previous ?? [])]),
    message: [a.message ?? '', b.message ?? ''].join(' ').trim(),
  };
}

/** If the reviewer failed a part without naming a problem, adds its message as a violation, to keep the failure. */
function withViolation(answer: GateAnswer): GateAnswer {
  const namesProblem = answer.violations.length > 0 || (answer.previous ?? []).some(isStillOpen);
  if (answer.status === 'pass' || namesProblem) return answer;
  const issue = answer.message?.trim() || 'The reviewer failed a part of the change and did not say why.';
  return { ...answer, violations: [{ file: '', line: null, issue, priority: 'critical' }] };
}

/** Joins the reviewer's answers about earlier findings. A finding that one of the answers calls `open` is open. */
function joinPrevious(all: NonNullable<GateAnswer['previous']>): NonNullable<GateAnswer['previous']> {
  const open = new Set(all.filter(isStillOpen).map(({ id }) => id));
  return all.filter((one) => isStillOpen(one) || !open.has(one.id));
}

function isStillOpen({ state }: Pick<Disposition, 'state'>): boolean {
  return state === 'open';
}
