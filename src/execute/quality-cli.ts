import type { AgentFailure, AgentReply } from '../domain/agent.ts';
import type { AskEnd, Clock, Question, Reviewers } from '../domain/ports.ts';
import {
  type QualityCall,
  type QualityCli,
  QualityCliError,
  type QualityDispatch,
  QualityGateError,
  type QualityQuestions,
} from '../domain/quality.ts';
import type { Settings } from '../domain/settings.ts';
import { strictSchema } from '../prompt/answer-schema.ts';
import type { Answers } from '../prompt/answers.ts';
import { repairPrompt, wholeRepairPrompt } from '../prompt/gate.ts';
import { keepQualityFail } from '../prompt/kept-refusal.ts';
import { readAnswer } from '../prompt/read-answer.ts';
import { tellAgentFailure, tellUnreadable } from '../text/agent-failure.ts';
import { tellTrouble } from '../text/trouble.ts';
import type { Budget } from './budget.ts';
import { openQueue } from './queue.ts';

/** An agent that is to evaluate. */
export type QualityAgent = {
  readonly agent: string;
  readonly reviewers: Reviewers;
  /** How many evaluations go on at once; the others wait. */
  readonly atOnce: number;
  readonly settings: Pick<Settings, 'cacheTtl' | 'idleTimeoutSeconds'>;
  readonly clock: Clock;
  readonly stop: AbortSignal | null;
  /** Null: as many questions as are asked for. */
  readonly budget: Pick<Budget, 'spend' | 'used'> | null;
  /** Hears of every question when it has ended. */
  told(dispatch: QualityDispatch): void;
  /** Hears of every evaluation in which somebody was asked. */
  evaluated(questions: QualityQuestions): void;
};

/** An agent as whoever evaluates: read-only, a few evaluations at a time, one more question where an answer cannot be read. */
export function agentQualityCli(given: QualityAgent): QualityCli {
  const inTurn = openQueue(given.atOnce);
  return { run: (call) => inTurn(() => tellingAll(given, (telling) => evaluate(telling, call))) };
}

/** Does an evaluation, and tells of all its questions in the end, whatever comes of it. */
async function tellingAll<T>(given: QualityAgent, work: (telling: QualityAgent) => Promise<T>): Promise<T> {
  const dispatches: QualityDispatch[] = [];
  const told = (dispatch: QualityDispatch) => {
    dispatches.push(dispatch);
    given.told(dispatch);
  };
  let isAnswered = false;
  try {
    const answer = await work({ ...given, told });
    isAnswered = true;
    return answer;
  } finally {
    if (dispatches.length > 0) given.evaluated({ dispatches, isAnswered });
  }
}

/** The time allowed is for both questions; waiting for one's turn is no part of it. */
async function evaluate(given: QualityAgent, call: QualityCall): Promise<Answers['quality']> {
  const begun = given.clock.now().getTime();
  const question = firstQuestion(given, call);
  const first = await ask(given, question, 'fresh');
  const read = readAnswer('quality', first);
  if (read.ok) return read.answer;
  const secondsLeft = call.timeoutSeconds - (given.clock.now().getTime() - begun) / 1000;
  if (secondsLeft <= 0) throw noAnswer(given, { kind: 'timeout', seconds: call.timeoutSeconds });
  const again = await repairQuestion(given, question, first, read.failure);
  const repaired = readAnswer(
    'quality',
    await ask(given, { ...again, timeoutSeconds: Math.ceil(secondsLeft) }, 'repair'),
  );
  if (!repaired.ok) throw noAnswer(given, repaired.failure);
  return keepQualityFail(first, repaired.answer);
}

function firstQuestion({ settings }: QualityAgent, call: QualityCall): Question {
  const schema = { ...call.jsonSchema };
  return {
    stable: call.systemPrompt,
    dynamic: call.prompt,
    schema,
    strictSchema: strictSchema(schema),
    sessionId: null,
    usedBefore: null,
    cacheTtl: settings.cacheTtl === 'auto' ? '5m' : settings.cacheTtl,
    timeoutSeconds: call.timeoutSeconds,
    idleSeconds: settings.idleTimeoutSeconds,
  };
}

async function repairQuestion(
  { agent, reviewers }: QualityAgent,
  question: Question,
  { sessionId, sessionUsage }: AgentReply,
  because: AgentFailure,
): Promise<Question> {
  const why = tellUnreadable(because);
  const canGoOn = sessionId !== null && (await (await reviewers.describe(agent)).canResume());
  if (!canGoOn) return { ...question, dynamic: wholeRepairPrompt(question.dynamic, why) };
  return { ...question, dynamic: repairPrompt(why), sessionId, usedBefore: sessionUsage };
}

async function ask(given: QualityAgent, question: Question, mode: QualityDispatch['mode']): Promise<AgentReply> {
  const { agent, reviewers, stop } = given;
  const { model } = await reviewers.describe(agent);
  const over = given.budget?.spend() ?? null;
  if (over !== null) throw new QualityGateError(tellTrouble({ kind: 'budget', what: over }));
  const end: AskEnd = await reviewers.ask(agent, question, { stop, watch() {} });
  const usage = end.ok ? end.reply.usage : end.usage;
  if (end.ok || usage !== null) given.budget?.used(agent, usage);
  given.told({
    agent,
    model: (end.ok ? end.model : null) ?? model,
    mode,
    usage,
    durationMs: end.durationMs,
    failure: end.ok ? null : end.failure,
  });
  if (!end.ok) throw noAnswer(given, end.failure);
  return end.reply;
}

function noAnswer({ agent }: QualityAgent, failure: AgentFailure): QualityCliError {
  return new QualityCliError(`${agent} ${tellAgentFailure(failure)}`, { agent, failure });
}
