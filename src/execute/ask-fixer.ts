import type { AgentFailure, AgentReply, Exchange } from '../domain/agent.ts';
import type { AskEnd, Question, Reviewers } from '../domain/ports.ts';
import { addUsage, type Usage } from '../domain/usage.ts';
import { advance, type DispatchEvent, type DispatchState, startDispatch } from '../plan/advance.ts';
import { answerSchema, strictSchema } from '../prompt/answer-schema.ts';
import type { Answers } from '../prompt/answers.ts';
import { type FixTask, freshFixPrompt, resumedFixPrompt } from '../prompt/fix.ts';
import { repairPrompt } from '../prompt/gate.ts';
import { readAnswer } from '../prompt/read-answer.ts';
import { tellUnreadable } from '../text/agent-failure.ts';
import type { Budget } from './budget.ts';
import { coolAgent } from './cool.ts';
import { exchangeOf } from './exchange.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';

/** A fixer's session, kept for as long as the loop goes on. */
export type FixerSession = { readonly id: string; readonly usedBefore: Usage | null };

export type FixerEnd = {
  readonly answer: Answers['fixer'] | null;
  readonly dispatch: 'fresh' | 'resumed';
  readonly failure: AgentFailure | 'budget' | null;
  readonly session: FixerSession | null;
  /** Its model, where the settings or the agent named it. */
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly durationMs: number;
  /** What was sent and said, for the log. */
  readonly exchanges: readonly Exchange[];
};

export type FixerCall = {
  readonly ports: Pick<RunPorts, 'reporter' | 'coolings' | 'clock'>;
  readonly request: Pick<RunRequest, 'settings' | 'stop'>;
  readonly reviewers: Reviewers;
  readonly budget: Budget;
  readonly agent: string;
  readonly task: FixTask;
  readonly session: FixerSession | null;
};

/** Asks the fixer, in its session where it has one; the life of the dispatch is much like a reviewer's. */
export async function askFixer(call: FixerCall): Promise<FixerEnd> {
  const { ports, request, reviewers, budget, agent, session } = call;
  const facts = await reviewers.describe(agent);
  const timeoutSeconds = facts.timeoutSeconds ?? request.settings.timeoutSeconds;
  const exchanges: Exchange[] = [];
  let { model } = facts;
  let state: DispatchState = {
    ...startDispatch(agent, session === null ? 'fresh' : 'resumed', []),
    writes: true,
  };
  let usage: Usage | null = null;
  let durationMs = 0;
  let last: AgentReply | null = null;
  let because: AgentFailure | null = null;
  const end = (rest: Pick<FixerEnd, 'answer' | 'failure' | 'session'>): FixerEnd => ({
    dispatch: state.asked,
    model,
    usage,
    durationMs,
    exchanges,
    ...rest,
  });
  const endWith = async (answer: Answers['fixer']) =>
    end({ answer, failure: null, session: (await facts.canResume()) ? sessionAfter(last, session) : null });
  for (;;) {
    const isRepair = state.mode === 'repair';
    if (budget.spend() !== null) {
      return isRepair && last !== null
        ? endWith(wordless(last))
        : end({ answer: null, failure: 'budget', session: null });
    }
    const question = questionFor(call, timeoutSeconds, state, last, because);
    const asked: AskEnd = await reviewers.ask(agent, question, {
      stop: request.stop,
      watch: (doing, used) => ports.reporter.tell({ kind: 'fix-active', doing, usage: used }),
    });
    model = (asked.ok ? asked.model : null) ?? model;
    const used = asked.ok ? asked.reply.usage : asked.usage;
    usage = addUsage(usage, used);
    if (asked.ok || used !== null) budget.used(agent, used);
    durationMs += asked.durationMs;
    const canRepair = !state.repaired && asked.ok && asked.reply.sessionId !== null && (await facts.canResume());
    const event = readEnd(asked, { canRepair, repaired: isRepair ? last : null });
    if (asked.ok) last = asked.reply;
    const failure = event.kind === 'failed' ? event.failure : null;
    exchanges.push(exchangeOf({ agent, mode: state.mode }, question, asked, asked.ok ? failure : asked.failure));
    // It has worked all the time that it was given: asked afresh, it would begin again.
    if (event.kind === 'failed' && event.failure.kind === 'timeout') {
      return end({ answer: null, failure: event.failure, session: null });
    }
    const step = advance(state, event);
    if (step.kind === 'done') return endWith(step.answer);
    if (step.kind === 'error') {
      if (step.failure.kind === 'limit') await coolAgent(ports, agent, step.failure);
      return end({ answer: null, failure: step.failure, session: null });
    }
    ({ state, because } = step);
    if (state.mode !== 'repair') last = null;
  }
}

/**
 * What it did is in the files, whether or not it says so well. So it is asked to repeat its answer where it can go on, and
 * never to begin again; if that fails too, its work counts without a word on the findings.
 */
function readEnd(
  asked: AskEnd,
  { canRepair, repaired }: { readonly canRepair: boolean; readonly repaired: AgentReply | null },
): DispatchEvent<Answers['fixer']> {
  if (!asked.ok) {
    const isOver = repaired === null || asked.failure.kind === 'cancelled';
    return isOver ? { kind: 'failed', failure: asked.failure } : { kind: 'answered', answer: wordless(repaired) };
  }
  const read = readAnswer('fixer', asked.reply);
  if (read.ok) return { kind: 'answered', answer: read.answer };
  return canRepair
    ? { kind: 'failed', failure: read.failure }
    : { kind: 'answered', answer: wordless(repaired ?? asked.reply) };
}

const LONGEST_SUMMARY = 1000;

/** An answer that could not be read, as one that says nothing of the findings. */
function wordless({ text }: AgentReply): Answers['fixer'] {
  return { summary: text.trim().slice(0, LONGEST_SUMMARY) };
}

function questionFor(
  { request, task, session }: FixerCall,
  timeoutSeconds: number,
  state: DispatchState,
  last: AgentReply | null,
  because: AgentFailure | null,
): Question {
  const schema = answerSchema('fixer');
  const { settings } = request;
  const goesOn = state.asked === 'resumed' ? session : null;
  const { stable, dynamic } = goesOn === null ? freshFixPrompt(task) : resumedFixPrompt(task);
  const question: Question = {
    stable,
    dynamic,
    schema,
    strictSchema: strictSchema(schema),
    sessionId: goesOn?.id ?? null,
    usedBefore: goesOn?.usedBefore ?? null,
    cacheTtl: settings.cacheTtl === 'auto' ? '5m' : settings.cacheTtl,
    timeoutSeconds,
    idleSeconds: settings.idleTimeoutSeconds,
    writes: true,
  };
  if (state.mode !== 'repair' || last === null) return question;
  return {
    ...question,
    dynamic: repairPrompt(because === null ? '' : tellUnreadable(because)),
    sessionId: last.sessionId,
    usedBefore: last.sessionUsage,
  };
}

function sessionAfter(reply: AgentReply | null, before: FixerSession | null): FixerSession | null {
  const id = reply?.sessionId ?? before?.id ?? null;
  return id === null ? null : { id, usedBefore: reply?.sessionUsage ?? null };
}
