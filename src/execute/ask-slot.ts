import type { AgentFailure, AgentReply, Exchange } from '../domain/agent.ts';
import type { AskEnd, Question } from '../domain/ports.ts';
import type { KeptSession, SlotTrouble } from '../domain/record.ts';
import { addUsage, newTokens, type Usage } from '../domain/usage.ts';
import { advance, type DispatchState, startDispatch } from '../plan/advance.ts';
import { cacheTtl } from '../plan/cache-ttl.ts';
import { shownEntries } from '../plan/shown.ts';
import { answerSchema, strictSchema } from '../prompt/answer-schema.ts';
import type { Answers } from '../prompt/answers.ts';
import type { ComposedPrompt } from '../prompt/compose.ts';
import { repairPrompt, wholeRepairPrompt } from '../prompt/gate.ts';
import { joinAnswers } from '../prompt/joined-answers.ts';
import { keepFail } from '../prompt/kept-refusal.ts';
import { readAnswer } from '../prompt/read-answer.ts';
import { tellUnreadable } from '../text/agent-failure.ts';
import type { Budget } from './budget.ts';
import { coolAgent } from './cool.ts';
import { exchangeOf } from './exchange.ts';
import { openedWith, type Wave } from './prepare-slot.ts';
import type { SlotJob } from './slot-job.ts';

/** What came of asking a slot. */
export type SlotAnswer = {
  /** Who gave the answer, or was asked last. */
  readonly agent: string;
  /** Its model, where the settings or the agent named it. */
  readonly model: string | null;
  readonly dispatch: 'fresh' | 'resumed';
  readonly answer: Answers['gate'] | null;
  readonly trouble: SlotTrouble | null;
  readonly session: KeptSession | null;
  readonly usage: Usage | null;
  readonly durationMs: number;
  /** What was sent and said, for the log. */
  readonly exchanges: readonly Exchange[];
  readonly raw: string;
};

/** Asks a slot until it answers or nobody is left to ask: each part of the change, one after the other. */
export async function askSlot(wave: Wave, job: SlotJob, budget: Budget, begun: () => void): Promise<SlotAnswer> {
  const [first, ...more] = job.fresh;
  if (first === undefined) throw new Error('a slot without a prompt');
  let whole = await askOnce(wave, job, first, budget, begun);
  for (const part of more) {
    if (whole.trouble !== null) return whole;
    whole = join(whole, await askOnce(wave, { ...job, resumed: null }, part, budget, begun));
  }
  return whole;
}

async function askOnce(
  wave: Wave,
  job: SlotJob,
  prompt: ComposedPrompt,
  budget: Budget,
  begun: () => void,
): Promise<SlotAnswer> {
  let state = startDispatch(job.agent, job.resumed === null ? 'fresh' : 'resumed', job.others);
  const exchanges: Exchange[] = [];
  let usage: Usage | null = null;
  let durationMs = 0;
  let last: AgentReply | null = null;
  let because: AgentFailure | null = null;
  let model: string | null = null;
  const end = (rest: Pick<SlotAnswer, 'answer' | 'trouble' | 'session'>): SlotAnswer => ({
    agent: state.agent,
    model,
    dispatch: state.asked,
    usage,
    durationMs,
    exchanges,
    raw: last?.text ?? '',
    ...rest,
  });
  for (;;) {
    const over = budget.spend();
    if (over !== null) return end({ answer: null, trouble: { kind: 'budget', what: over }, session: null });
    const question = await questionFor(wave, job, prompt, state, last, because);
    const tookOver = await wave.prefixes.join(await takeoverPrefix(wave, state, question));
    const asked = await wave.reviewers.ask(state.agent, question, {
      stop: wave.request.stop,
      watch(doing, used) {
        begun();
        tookOver();
        wave.ports.reporter.tell({ kind: 'slot-active', gate: job.gate.id, slot: job.slot, doing, usage: used });
      },
    });
    begun();
    tookOver();
    model = (asked.ok ? asked.model : null) ?? (await wave.reviewers.describe(state.agent)).model;
    const used = asked.ok ? asked.reply.usage : asked.usage;
    usage = addUsage(usage, used);
    if (asked.ok || used !== null) budget.used(state.agent, used);
    durationMs += asked.durationMs;
    const event = readEnd(asked, state.mode === 'repair' ? last : null);
    if (asked.ok) last = asked.reply;
    exchanges.push(exchangeOf(state, question, asked, event.kind === 'failed' ? event.failure : null));
    const step = advance(state, event);
    if (step.kind === 'done') {
      return end({
        answer: step.answer,
        trouble: null,
        session: await sessionOf(wave, job, prompt, state, asked, usage),
      });
    }
    for (const note of step.notes) {
      const failure = step.kind === 'ask' ? step.because : step.failure;
      if (note.kind === 'cooling' && failure.kind === 'limit') await coolAgent(wave.ports, note.agent, failure);
    }
    if (step.kind === 'error') {
      return end({
        answer: null,
        trouble: { kind: 'agent', agent: state.agent, failure: step.failure },
        session: null,
      });
    }
    ({ because } = step);
    wave.ports.reporter.tell({
      kind: 'slot-asked-again',
      gate: job.gate.id,
      slot: job.slot,
      agent: step.state.agent,
      mode: step.state.agent !== state.agent ? 'other-agent' : step.state.mode === 'repair' ? 'repair' : 'fresh',
      because: step.because,
    });
    if (step.state.mode !== 'repair') last = null;
    ({ state } = step);
  }
}

/**
 * What several slots share that the same agent takes over. They wait for each other alone, for all of them are being asked:
 * whoever waited for a slot that is still in the queue would keep its place from it.
 */
async function takeoverPrefix(wave: Wave, state: DispatchState, question: Question): Promise<string | null> {
  if (!state.failedOver || state.mode !== 'fresh') return null;
  const { sharesPrefix } = await wave.reviewers.describe(state.agent);
  return sharesPrefix ? `took over\0${state.agent}\0${question.stable}` : null;
}

function readEnd(asked: AskEnd, repairs: AgentReply | null) {
  if (!asked.ok) return { kind: 'failed', failure: asked.failure } as const;
  const read = readAnswer('gate', asked.reply);
  if (!read.ok) return { kind: 'failed', failure: read.failure } as const;
  return { kind: 'answered', answer: repairs === null ? read.answer : keepFail(repairs, read.answer) } as const;
}

async function questionFor(
  wave: Wave,
  job: SlotJob,
  prompt: ComposedPrompt,
  state: DispatchState,
  last: AgentReply | null,
  because: AgentFailure | null,
): Promise<Question> {
  const schema = answerSchema('gate');
  const common = {
    schema,
    strictSchema: strictSchema(schema),
    cacheTtl: ttlOf(wave, job),
    timeoutSeconds: job.timeoutSeconds,
    idleSeconds: wave.request.settings.idleTimeoutSeconds,
  };
  const resumed = state.asked === 'resumed' && job.resumed !== null ? job.resumed : null;
  const base = resumed === null ? prompt : resumed.prompt;
  if (state.mode === 'repair') {
    const why = because === null ? '' : tellUnreadable(because);
    const sessionId = last?.sessionId ?? null;
    const canGoOn = sessionId !== null && (await (await wave.reviewers.describe(state.agent)).canResume());
    if (canGoOn) {
      const usedBefore = last?.sessionUsage ?? null;
      return { ...common, stable: base.stable, dynamic: repairPrompt(why), sessionId, usedBefore };
    }
    const dynamic = wholeRepairPrompt(prompt.dynamic, why);
    return { ...common, stable: prompt.stable, dynamic, sessionId: null, usedBefore: null };
  }
  if (resumed === null) {
    return { ...common, stable: prompt.stable, dynamic: prompt.dynamic, sessionId: null, usedBefore: null };
  }
  const { id, usedBefore } = resumed.session;
  return { ...common, stable: base.stable, dynamic: base.dynamic, sessionId: id, usedBefore };
}

/** One hour where the settings say so, or where the rounds of this slot are more than five minutes apart. */
function ttlOf(wave: Wave, job: SlotJob): '5m' | '1h' {
  const before = Date.parse(job.lastLook?.timestamp ?? '');
  return cacheTtl(wave.request.settings.cacheTtl, wave.ports.clock.now().getTime() - before);
}

/** The session as the slot keeps it; null where the agent has none, or the change was shown in parts. */
async function sessionOf(
  wave: Wave,
  job: SlotJob,
  prompt: ComposedPrompt,
  state: DispatchState,
  asked: AskEnd,
  used: Usage | null,
): Promise<KeptSession | null> {
  if (!asked.ok || asked.reply.sessionId === null || job.fresh.length > 1) return null;
  const { reply } = asked;
  const id = asked.reply.sessionId;
  const lastUsedAt = wave.ports.clock.now().toISOString();
  // What was asked once more is part of what the look cost.
  const context = used === null ? null : newTokens(used);
  const facts = await wave.reviewers.describe(state.agent);
  const warmMinutes = facts.warmMinutes[ttlOf(wave, job)];
  const shown = shownEntries(job.gate.entries);
  if (state.asked === 'resumed' && job.resumed !== null) {
    const { session } = job.resumed;
    const contextTokens = session.contextTokens === null ? null : session.contextTokens + (context ?? 0);
    return {
      ...session,
      id,
      saw: job.tree,
      usedBefore: reply.sessionUsage,
      contextTokens,
      lastUsedAt,
      warmMinutes,
      shown,
    };
  }
  const kept = await wave.ports.openings.keep(prompt.stable);
  if (!kept.ok) return null;
  return {
    id,
    agent: state.agent,
    model: facts.model,
    version: facts.version,
    toolsDigest: openedWith(facts, job.gate),
    firstPromptLength: prompt.length,
    saw: job.tree,
    stableDigest: kept.value,
    usedBefore: reply.sessionUsage,
    contextTokens: context,
    freshTokens: context,
    lastUsedAt,
    warmMinutes,
    shown,
  };
}

/** Two parts of one look: it passes only if both do. */
function join(a: SlotAnswer, b: SlotAnswer): SlotAnswer {
  return {
    ...b,
    session: null,
    usage: addUsage(a.usage, b.usage),
    durationMs: a.durationMs + b.durationMs,
    exchanges: [...a.exchanges, ...b.exchanges],
    raw: `${a.raw}\n${b.raw}`,
    answer: a.answer === null || b.answer === null ? null : joinAnswers(a.answer, b.answer),
  };
}
