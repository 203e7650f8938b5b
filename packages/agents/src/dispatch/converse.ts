import {
  type AgentFailure,
  type AgentReply,
  addUsage,
  type SlotTrouble,
  type TranscriptEntry,
  type Usage,
} from '@onceover/base/kernel/agent';
import type { AskEnd, Clock, Cooldowns, Question, ReviewerFacts, Reviewers } from '@onceover/base/kernel/ports';
import type { ComposedPrompt } from '@onceover/base/kernel/prompt';
import { describeUnreadable } from '@onceover/base/ui/describe-agent-failure';
import type { AnswerKind, Answers } from './answer-schemas.ts';
import { startCooldown } from './cooldowns.ts';
import type { Budget } from './limits.ts';
import { repairPrompt } from './prompt.ts';
import { answerFromEdits, keepRefusal, type ReadAnswer, readAnswer } from './read-answer.ts';
import { hasRefusalSign, type Reply } from './refusals.ts';
import { type DispatchState, nextDispatchStep, repeatsAllowed, startDispatch, transcriptEntry } from './retry.ts';

type Prompt = Pick<ComposedPrompt, 'stable' | 'dynamic'>;

/** The parts of a question that are independent of its prompt and session. */
type QuestionOptions = Omit<Question, 'stable' | 'dynamic' | 'sessionId' | 'usedBefore'>;

/** A session to resume, and the usage that it had reported before. */
type ResumableSession = { readonly id: string; readonly usedBefore: Usage | null };

/** A request for one answer: the agents that may give it, the form of the answer, and the prompts. */
export type ConverseRequest<K extends AnswerKind> = {
  readonly kind: K;
  readonly agent: string;
  /** The agents that may replace `agent` if it fails. Only the first of them is called. */
  readonly others: readonly string[];
  /** The prompt for a new session. */
  readonly fresh: Prompt;
  /** The session to resume and the prompt for it; `null` to start a new session. */
  readonly resumed: {
    readonly prompt: Prompt;
    readonly session: ResumableSession;
    /** Whether to answer in a fork (a copy of the session). The session itself stays as it is. */
    readonly forks?: boolean;
  } | null;
  /**
   * The fields that are the same for all questions. If `writes` is set, a timeout ends the conversation, because the
   * agent's edits stay in the files.
   */
  readonly options: QuestionOptions;
  /** Whether `timeoutSeconds` limits the whole conversation instead of each question. */
  readonly sharesTimeout?: boolean;
};

export type ConversePorts = {
  readonly reviewers: Pick<Reviewers, 'describe'>;
  readonly clock: Clock;
  /** The limits on calls and cost, which also counts them; `null` if there are no limits. */
  readonly budget: Pick<Budget, 'spend' | 'used' | 'retried'> | null;
  /** The list to which an agent that reaches a usage limit is added; `null` to add none. */
  readonly cooldowns: Cooldowns | null;
  send(agent: string, question: Question, state: DispatchState): Promise<AskEnd>;
  /** Called before each question after the first one. */
  askingAgain?(again: {
    readonly agent: string;
    readonly mode: 'fresh' | 'repair' | 'other-agent';
    readonly because: AgentFailure;
  }): void;
};

/** The result of a conversation: the answer or the reason why there is none, and the usage of all questions. */
export type ConverseEnd<Answer> = {
  /** The agent that answered; if none did, the agent that was called last. */
  readonly agent: string;
  /** The model of `agent`; `null` if neither the agent nor the settings name it. */
  readonly model: string | null;
  readonly dispatch: 'fresh' | 'resumed';
  /** Whether the answer comes from a fork (copy) of the requested session. In that case, `dispatch` is `fresh`. */
  readonly forked: boolean;
  /** The last reply in the last session, which can be resumed later; `null` if that session gave no reply. */
  readonly last: AgentReply | null;
  readonly usage: Usage | null;
  /** The number of requests: calls to agents, plus requests that agents repeated by themselves. */
  readonly requests: number;
  readonly durationMs: number;
  /** All questions and replies, for the log. */
  readonly exchanges: readonly TranscriptEntry[];
} & ({ readonly answer: Answer; readonly trouble: null } | { readonly answer: null; readonly trouble: NoAnswer });

type NoAnswer = Extract<SlotTrouble, { kind: 'agent' | 'budget' }>;

/** A conversation so far: the questions and replies, and the agent and session that come next. */
type Talk = {
  readonly state: DispatchState;
  readonly startedAt: number;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly durationMs: number;
  /** The last reply in the current session; `null` if that session gave no reply. */
  readonly last: AgentReply | null;
  readonly exchanges: readonly TranscriptEntry[];
  /** Replies that could not be read. A refusal in one of them stays a refusal. */
  readonly unreadReplies: readonly Reply[];
  /** Why the last reply was no answer; `null` before the first question. */
  readonly because: AgentFailure | null;
};

/**
 * Calls agents until one gives a readable answer, or until the rules for retries (`nextDispatchStep`) allow no further
 * call.
 */
export async function converse<K extends AnswerKind>(
  ports: ConversePorts,
  request: ConverseRequest<K>,
): Promise<ConverseEnd<Answers[K]>> {
  let talk = startTalk(ports, request);
  for (;;) {
    const timeoutSeconds = secondsLeft(ports, request, talk);
    if (timeoutSeconds <= 0)
      return withoutAnswer(
        request,
        talk,
        failureOf(talk, { kind: 'timeout', seconds: request.options.timeoutSeconds }),
      );
    const exceededLimit = ports.budget?.spend() ?? null;
    if (exceededLimit !== null) return overBudget(request, talk, exceededLimit);
    const facts = await ports.reviewers.describe(talk.state.agent);
    const question = { ...(await nextQuestion(request, talk, facts)), timeoutSeconds };
    const end = await ports.send(talk.state.agent, withRetryLimit(question, talk), talk.state);
    const result = await readReply(request.kind, end, earlierReply(talk), facts);
    talk = afterReply(ports, talk, { question, end, failure: result.ok ? null : result.failure, facts });
    if (result.ok) return withAnswer(request, talk, result.answer);
    const retry = await retryAfter(ports, talk, result.failure);
    if (retry === null) return withoutAnswer(request, talk, failureOf(talk, result.failure));
    talk = retry;
  }
}

function startTalk<K extends AnswerKind>(
  { clock }: ConversePorts,
  { agent, others, resumed, options }: ConverseRequest<K>,
): Talk {
  const state = startDispatch(agent, resumed === null ? 'fresh' : 'resumed', others);
  return {
    state: { ...state, writes: options.writes === true },
    startedAt: clock.now().getTime(),
    ...{ model: null, usage: null, durationMs: 0, last: null, exchanges: [], unreadReplies: [], because: null },
  };
}

function secondsLeft<K extends AnswerKind>(
  { clock }: ConversePorts,
  { options, sharesTimeout }: ConverseRequest<K>,
  { exchanges, startedAt }: Talk,
): number {
  if (exchanges.length === 0 || sharesTimeout !== true) return options.timeoutSeconds;
  return Math.ceil(options.timeoutSeconds - (clock.now().getTime() - startedAt) / 1000);
}

/** Returns the unreadable reply that the agent is asked to repeat; `null` if it is asked something else. */
function earlierReply({ state, last }: Talk): AgentReply | null {
  return state.mode === 'repair' ? last : null;
}

function nextQuestion<K extends AnswerKind>(
  { fresh, resumed, options }: ConverseRequest<K>,
  talk: Talk,
  facts: ReviewerFacts,
): Promise<Question> | Question {
  const whole = questionWith(fresh, options, null);
  const isResumed = resumed !== null && talk.state.asked === 'resumed';
  const base = isResumed ? questionWith(resumed.prompt, options, resumed.session, resumed.forks) : whole;
  if (talk.state.mode !== 'repair' || talk.because === null) return base;
  return repairQuestion({ base, whole }, talk.because, earlierReply(talk), facts);
}

function withRetryLimit(question: Question, { state }: Talk): Question {
  return { ...question, mostRetries: repeatsAllowed(state, question.forkOf !== undefined) };
}

/** Returns the conversation with one more question and its reply. `failure`: why the reply is no answer, if so. */
function afterReply(
  { budget }: ConversePorts,
  talk: Talk,
  {
    question,
    end,
    failure,
    facts,
  }: {
    readonly question: Question;
    readonly end: AskEnd;
    readonly failure: AgentFailure | null;
    readonly facts: ReviewerFacts;
  },
): Talk {
  const { state } = talk;
  const { retries = 0 } = end;
  budget?.retried(retries);
  return {
    ...talk,
    state: { ...state, requests: state.requests + 1 + retries },
    model: (end.ok ? end.model : null) ?? talk.model ?? facts.model,
    usage: addUsage(talk.usage, countUsage(budget, state.agent, end)),
    durationMs: talk.durationMs + end.durationMs,
    last: end.ok ? end.reply : talk.last,
    exchanges: [...talk.exchanges, transcriptEntry(state, question, end, failure)],
    unreadReplies: failure === null ? talk.unreadReplies : [...talk.unreadReplies, ...unreadIn(end)],
    because: failure,
  };
}

function unreadIn(end: AskEnd): readonly Reply[] {
  const draft = end.draft ?? '';
  return [...(end.ok ? [end.reply] : []), ...(hasRefusalSign(draft) ? [{ text: draft, structured: undefined }] : [])];
}

/** Returns the conversation as it goes on after a failure; `null` if no further call is allowed. */
async function retryAfter(ports: ConversePorts, talk: Talk, because: AgentFailure): Promise<Talk | null> {
  const { cooldowns, clock } = ports;
  if (because.kind === 'limit' && cooldowns !== null) {
    await startCooldown({ cooldowns, clock }, talk.state.agent, because);
  }
  const next = nextDispatchStep(talk.state, because);
  if (next === null) return null;
  const isOther = next.agent !== talk.state.agent;
  const mode = isOther ? 'other-agent' : next.mode === 'repair' ? 'repair' : 'fresh';
  ports.askingAgain?.({ agent: next.agent, mode, because });
  return {
    ...talk,
    state: next,
    model: isOther ? null : talk.model,
    last: next.mode === 'repair' ? talk.last : null,
  };
}

function talkSummary<K extends AnswerKind>({ resumed }: ConverseRequest<K>, talk: Talk) {
  const { state, model, last, usage, durationMs, exchanges } = talk;
  const { agent, asked, requests } = state;
  const isForked = resumed?.forks === true && asked === 'resumed';
  const dispatch = isForked ? 'fresh' : asked;
  return { agent, model, dispatch, forked: isForked, last, usage, requests, durationMs, exchanges };
}

/**
 * Ends the conversation with an answer. If an unreadable reply contained a refusal, a pass becomes a refusal, even if it
 * comes from a new session or another agent.
 */
function withAnswer<K extends AnswerKind>(
  request: ConverseRequest<K>,
  talk: Talk,
  answer: Answers[K],
): ConverseEnd<Answers[K]> {
  const kept = talk.unreadReplies.reduce((later, reply) => keepRefusal(request.kind, reply, later), answer);
  return { ...talkSummary(request, talk), answer: kept, trouble: null };
}

function withoutAnswer<K extends AnswerKind>(
  request: ConverseRequest<K>,
  talk: Talk,
  trouble: NoAnswer,
): ConverseEnd<Answers[K]> {
  return { ...talkSummary(request, talk), answer: null, trouble };
}

function failureOf({ state }: Talk, failure: AgentFailure): NoAnswer {
  return { kind: 'agent', agent: state.agent, failure };
}

/** Ends the conversation because a limit is reached. The edits of a fixing agent count even if it cannot be asked. */
function overBudget<K extends AnswerKind>(
  request: ConverseRequest<K>,
  talk: Talk,
  what: 'usd' | 'dispatches',
): ConverseEnd<Answers[K]> {
  const earlier = earlierReply(talk);
  const answer = earlier === null ? null : answerFromEdits(request.kind, earlier);
  if (answer === null) return withoutAnswer(request, talk, { kind: 'budget', what });
  return { ...talkSummary(request, talk), answer, trouble: null };
}

/**
 * Returns a question with this prompt. `session` is `null` for a new session. With `forks`, a copy of the session is
 * asked.
 */
function questionWith(
  { stable, dynamic }: Prompt,
  options: QuestionOptions,
  session: ResumableSession | null,
  forks = false,
): Question {
  const question = { ...options, stable, dynamic, usedBefore: session?.usedBefore ?? null };
  if (forks && session !== null) return { ...question, sessionId: null, forkOf: session.id };
  return { ...question, sessionId: session?.id ?? null };
}

/**
 * Returns the question that asks the agent to repeat an unreadable answer: in the same session if possible, otherwise
 * in a new one.
 */
async function repairQuestion(
  { base, whole }: { readonly base: Question; readonly whole: Question },
  because: AgentFailure,
  last: AgentReply | null,
  { canResume }: Pick<ReviewerFacts, 'canResume'>,
): Promise<Question> {
  const repair = repairPrompt(describeUnreadable(because));
  const { forkOf: _, ...own } = base;
  if (last !== null && last.sessionId !== null && (await canResume())) {
    return { ...own, isRepeat: true, dynamic: repair, sessionId: last.sessionId, usedBefore: last.sessionUsage };
  }
  return { ...whole, dynamic: `${whole.dynamic}\n\n${repair}`, sessionId: null, usedBefore: null };
}

/**
 * Returns the answer in a reply. `earlier` is the unreadable reply that the agent was asked to repeat, if any. If a
 * fixing agent cannot repeat it, the unreadable reply counts as its answer, because its edits are already made.
 */
async function readReply<K extends AnswerKind>(
  kind: K,
  end: AskEnd,
  earlier: AgentReply | null,
  { canResume }: Pick<ReviewerFacts, 'canResume'>,
): Promise<ReadAnswer<K> | { readonly ok: false; readonly failure: AgentFailure }> {
  if (!end.ok) {
    const { failure } = end;
    const edits = earlier === null || failure.kind === 'cancelled' ? null : answerFromEdits(kind, earlier);
    return edits === null ? { ok: false, failure } : { ok: true, answer: edits };
  }
  const { reply } = end;
  const readResult = readAnswer(kind, reply);
  if (readResult.ok) return readResult;
  const edits = answerFromEdits(kind, earlier ?? reply);
  const canRepair = async () => earlier === null && reply.sessionId !== null && (await canResume());
  return edits === null || (await canRepair()) ? readResult : { ok: true, answer: edits };
}

/** Adds the usage of a call to the budget and returns it. A failed call that reports no usage counts as free. */
function countUsage(budget: Pick<Budget, 'used'> | null, agent: string, end: AskEnd): Usage | null {
  const usage = end.ok ? end.reply.usage : end.usage;
  if (end.ok || usage !== null) budget?.used(agent, usage);
  return usage;
}
