import {
  type AgentFailure,
  type AgentReply,
  addUsage,
  type SlotTrouble,
  type TranscriptEntry,
  type Usage,
} from '@onceover/base/kernel/agent';
import type { AskEnd, Clock, Cooldowns, Question, ReviewerFacts, Reviewers } from '@onceover/base/kernel/ports';
import { describeUnreadable } from '@onceover/base/ui/describe-agent-failure';
import type { AnswerKind, Answers } from './answer-schemas.ts';
import { startCooldown } from './cooldowns.ts';
import type { Budget } from './limits.ts';
import { type ComposedPrompt, repairPrompt } from './prompt.ts';
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

/**
 * Calls agents until one gives a readable answer, or until the rules for retries (`nextDispatchStep`) allow no further
 * call.
 */
export async function converse<K extends AnswerKind>(
  ports: ConversePorts,
  request: ConverseRequest<K>,
): Promise<ConverseEnd<Answers[K]>> {
  const { kind, resumed, options } = request;
  const { budget, clock, reviewers } = ports;
  const startedAt = clock.now().getTime();
  const whole = questionWith(request.fresh, options, null);
  const first = resumed === null ? whole : questionWith(resumed.prompt, options, resumed.session, resumed.forks);
  const exchanges: TranscriptEntry[] = [];
  let state: DispatchState = {
    ...startDispatch(request.agent, resumed === null ? 'fresh' : 'resumed', request.others),
    writes: options.writes === true,
  };
  let model: string | null = null;
  let usage: Usage | null = null;
  let durationMs = 0;
  let last: AgentReply | null = null;
  const unreadReplies: Reply[] = [];
  let because: AgentFailure | null = null;
  const soFar = () => {
    const { agent, asked, requests } = state;
    const isForked = resumed?.forks === true && asked === 'resumed';
    const dispatch = isForked ? 'fresh' : asked;
    return { agent, model, dispatch, forked: isForked, last, usage, requests, durationMs, exchanges };
  };
  const answerWith = (answer: Answers[K]) => ({ ...soFar(), answer, trouble: null });
  const noAnswer = (trouble: NoAnswer) => ({ ...soFar(), answer: null, trouble });
  const fail = (failure: AgentFailure) => noAnswer({ kind: 'agent', agent: state.agent, failure });

  for (;;) {
    const isFirst = exchanges.length === 0;
    const { timeoutSeconds: allowedSeconds } = options;
    const timeoutSeconds =
      isFirst || request.sharesTimeout !== true
        ? allowedSeconds
        : Math.ceil(allowedSeconds - (clock.now().getTime() - startedAt) / 1000);
    if (timeoutSeconds <= 0) return fail({ kind: 'timeout', seconds: allowedSeconds });
    const earlier: AgentReply | null = state.mode === 'repair' ? last : null;
    const exceededLimit = budget?.spend() ?? null;
    if (exceededLimit !== null) {
      const answer = earlier === null ? null : answerFromEdits(kind, earlier);
      return answer === null ? noAnswer({ kind: 'budget', what: exceededLimit }) : answerWith(answer);
    }
    const facts = await reviewers.describe(state.agent);
    const base = state.asked === 'resumed' ? first : whole;
    const question =
      state.mode === 'repair' && because !== null
        ? await repairQuestion({ base, whole }, because, earlier, facts)
        : base;
    const mostRetries = repeatsAllowed(state, question.forkOf !== undefined);
    const end = await ports.send(state.agent, { ...question, timeoutSeconds, mostRetries }, state);
    const { retries = 0 } = end;
    budget?.retried(retries);
    state = { ...state, requests: state.requests + 1 + retries };
    model = (end.ok ? end.model : null) ?? model ?? facts.model;
    usage = addUsage(usage, countUsage(budget, state.agent, end));
    durationMs += end.durationMs;
    const readResult = await readReply(kind, end, earlier, facts);
    if (end.ok) last = end.reply;
    exchanges.push(transcriptEntry(state, question, end, readResult.ok ? null : readResult.failure));
    // If an unreadable reply contained a refusal, a later pass becomes a refusal, even if it comes from a new session
    // or another agent.
    if (readResult.ok)
      return answerWith(unreadReplies.reduce((answer, first) => keepRefusal(kind, first, answer), readResult.answer));
    if (end.ok) unreadReplies.push(end.reply);
    if (hasRefusalSign(end.draft ?? '')) unreadReplies.push({ text: end.draft ?? '', structured: undefined });
    because = readResult.failure;
    if (because.kind === 'limit' && ports.cooldowns !== null) {
      await startCooldown({ cooldowns: ports.cooldowns, clock }, state.agent, because);
    }
    const next = nextDispatchStep(state, because);
    if (next === null) return fail(because);
    const isOther = next.agent !== state.agent;
    const mode = isOther ? 'other-agent' : next.mode === 'repair' ? 'repair' : 'fresh';
    ports.askingAgain?.({ agent: next.agent, mode, because });
    if (isOther) model = null;
    if (next.mode !== 'repair') last = null;
    state = next;
  }
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
