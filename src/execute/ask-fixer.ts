import type { AgentFailure, AgentReply } from '../domain/agent.ts';
import type { AskEnd, Question, Reviewers } from '../domain/ports.ts';
import { addUsage, type Usage } from '../domain/usage.ts';
import { advance, type DispatchState, startDispatch } from '../plan/advance.ts';
import { answerSchema, strictSchema } from '../prompt/answer-schema.ts';
import type { Answers } from '../prompt/answers.ts';
import { type FixTask, freshFixPrompt, resumedFixPrompt } from '../prompt/fix.ts';
import { repairPrompt } from '../prompt/gate.ts';
import { readAnswer } from '../prompt/read-answer.ts';
import { tellUnreadable } from '../text/agent-failure.ts';
import type { Budget } from './budget.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';

/** A fixer's session, kept for as long as the loop goes on. */
export type FixerSession = { readonly id: string; readonly usedBefore: Usage | null };

export type FixerEnd = {
  readonly answer: Answers['fixer'] | null;
  readonly dispatch: 'fresh' | 'resumed';
  readonly failure: AgentFailure | 'budget' | null;
  readonly session: FixerSession | null;
  readonly usage: Usage | null;
  readonly durationMs: number;
};

type Asking = {
  readonly ports: RunPorts;
  readonly request: RunRequest;
  readonly reviewers: Reviewers;
  readonly budget: Budget;
  readonly agent: string;
  readonly task: FixTask;
  readonly session: FixerSession | null;
};

/** Asks the fixer, in its session where it has one; the life of the dispatch is that of a reviewer's. */
export async function askFixer(asking: Asking): Promise<FixerEnd> {
  const { ports, request, reviewers, budget, session } = asking;
  let state = startDispatch(asking.agent, session === null ? 'fresh' : 'resumed', []);
  let usage: Usage | null = null;
  let durationMs = 0;
  let last: AgentReply | null = null;
  let because: AgentFailure | null = null;
  const end = (rest: Pick<FixerEnd, 'answer' | 'failure' | 'session'>): FixerEnd => ({
    dispatch: state.asked,
    usage,
    durationMs,
    ...rest,
  });
  for (;;) {
    if (budget.spend() !== null) return end({ answer: null, failure: 'budget', session: null });
    const question = questionFor(asking, state, last, because);
    const asked: AskEnd = await reviewers.ask(state.agent, question, {
      stop: request.stop,
      watch: (doing, used) => ports.reporter.tell({ kind: 'fix-active', doing, usage: used }),
    });
    const used = asked.ok ? asked.reply.usage : asked.usage;
    usage = addUsage(usage, used);
    if (asked.ok || used !== null) budget.used(state.agent, used);
    durationMs += asked.durationMs;
    const canRepair = !state.repaired && asked.ok && (await canGoOn(reviewers, asking.agent, asked.reply));
    const step = advance(state, readEnd(asked, canRepair));
    if (asked.ok) last = asked.reply;
    if (step.kind === 'done') {
      return end({
        answer: step.answer,
        failure: null,
        session: await sessionOf(reviewers, asking.agent, last, session),
      });
    }
    if (step.kind === 'error') return end({ answer: null, failure: step.failure, session: null });
    ({ state, because } = step);
    if (state.mode !== 'repair') last = null;
  }
}

// What it did is in the files, whether or not it says so well: asked from the beginning, it would do it once more.
function readEnd(asked: AskEnd, canRepair: boolean) {
  if (!asked.ok) return { kind: 'failed', failure: asked.failure } as const;
  const read = readAnswer('fixer', asked.reply);
  if (read.ok) return { kind: 'answered', answer: read.answer } as const;
  if (canRepair) return { kind: 'failed', failure: read.failure } as const;
  return { kind: 'answered', answer: { summary: asked.reply.text.trim().slice(0, LONGEST_SUMMARY) } } as const;
}

const LONGEST_SUMMARY = 1000;

async function canGoOn(reviewers: Reviewers, agent: string, { sessionId }: AgentReply): Promise<boolean> {
  return sessionId !== null && (await reviewers.describe(agent)).canResume();
}

function questionFor(
  { request, task, session }: Asking,
  state: DispatchState,
  last: AgentReply | null,
  because: AgentFailure | null,
): Question {
  const schema = answerSchema('fixer');
  const { settings } = request;
  const common = {
    schema,
    strictSchema: strictSchema(schema),
    cacheTtl: settings.cacheTtl === 'auto' ? '5m' : settings.cacheTtl,
    timeoutSeconds: settings.timeoutSeconds,
    idleSeconds: settings.idleTimeoutSeconds,
    writes: true,
  } as const;
  const goesOn = state.asked === 'resumed' ? session : null;
  const prompt = goesOn === null ? freshFixPrompt(task) : resumedFixPrompt(task);
  if (state.mode === 'repair') {
    const sessionId = last?.sessionId ?? goesOn?.id ?? null;
    const asksAgain = repairPrompt(because === null ? '' : tellUnreadable(because));
    const dynamic = sessionId === null ? `${prompt.dynamic}\n\n${asksAgain}` : asksAgain;
    return { ...common, stable: prompt.stable, dynamic, sessionId, usedBefore: last?.sessionUsage ?? null };
  }
  const { stable, dynamic } = prompt;
  return { ...common, stable, dynamic, sessionId: goesOn?.id ?? null, usedBefore: goesOn?.usedBefore ?? null };
}

async function sessionOf(
  reviewers: Reviewers,
  agent: string,
  reply: AgentReply | null,
  before: FixerSession | null,
): Promise<FixerSession | null> {
  const id = reply?.sessionId ?? before?.id ?? null;
  if (id === null || !(await (await reviewers.describe(agent)).canResume())) return null;
  return { id, usedBefore: reply?.sessionUsage ?? null };
}
