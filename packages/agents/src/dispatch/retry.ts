import type { AgentFailure, AgentReply, AskMode, TranscriptEntry } from '@onceover/base/kernel/agent';
import type { AskEnd, Question } from '@onceover/base/kernel/ports';
import { sentText } from '@onceover/base/kernel/prompt';

/** The state of a conversation: which agent is called next, in which session, and which agents may replace it. */
export type DispatchState = {
  readonly agent: string;
  readonly mode: AskMode;
  /** Whether the first call to this agent started or resumed a session. Requests to repeat an answer do not count. */
  readonly asked: 'fresh' | 'resumed';
  /** The agents that may replace `agent` if it fails. Only the first of them is called. */
  readonly others: readonly string[];
  readonly repaired: boolean;
  readonly failedOver: boolean;
  /** Whether the agent edits files. Its edits stay in the files, so no agent is called again after a timeout. */
  readonly writes: boolean;
  /** The number of requests so far: calls to agents, plus requests that agents repeated by themselves. */
  readonly requests: number;
};

/** The maximum number of requests in one conversation. Requests that agents repeat by themselves count too. */
const MOST_REQUESTS = 8;

/**
 * Returns how many failed requests the agent may repeat by itself in the next call. A fork of a shared session gets one
 * repetition, because a new session follows if it fails, and because the forks of all reviewers fail in the same way.
 */
export function repeatsAllowed({ requests }: DispatchState, isFork: boolean): number {
  const left = MOST_REQUESTS - requests - 1;
  return isFork ? Math.min(left, MOST_REPEATS_OF_FORK) : left;
}

const MOST_REPEATS_OF_FORK = 1;

/** Returns the state of a conversation before the first call. */
export function startDispatch(
  agent: string,
  firstMode: 'fresh' | 'resumed',
  otherAgents: readonly string[],
): DispatchState {
  return {
    agent,
    mode: firstMode,
    asked: firstMode,
    others: otherAgents.filter((name) => name !== agent),
    repaired: false,
    failedOver: false,
    writes: false,
    requests: 0,
  };
}

/**
 * Returns the next call after a failed one; `null` to give up. An agent with an unreadable answer is asked once to
 * repeat it. If a resume failed, the same agent gets a new session. Otherwise the next agent is called. The limit also
 * counts requests that agents repeat by themselves, because they have to be paid for too.
 */
export function nextDispatchStep(state: DispatchState, failure: AgentFailure): DispatchState | null {
  if (failure.kind === 'cancelled' || state.requests >= MOST_REQUESTS) return null;
  // An agent that edits files has used its time for edits, and a new session would start the work from the beginning.
  if (failure.kind === 'timeout' && state.writes) return null;
  if (failure.kind === 'unreadable-answer' && !state.repaired) {
    // A resumed session that answers with nothing has lost its memory. If asked to repeat its answer, it would invent
    // one.
    const isLost = state.asked === 'resumed' && !state.writes && failure.why === 'empty';
    if (!isLost) return { ...state, mode: 'repair', repaired: true };
  }
  const restart = { mode: 'fresh', asked: 'fresh', repaired: false } as const;
  const mayAnswerInNewSession = isResumeFailure(failure) || failure.kind === 'timeout' || failure.kind === 'idle';
  if (state.asked === 'resumed' && mayAnswerInNewSession) return { ...state, ...restart };
  const [next] = state.others;
  if (next === undefined || state.failedOver) return null;
  return { ...state, ...restart, agent: next, others: [], failedOver: true };
}

/** Whether resuming a session can cause this failure. A missing login, a usage limit or a timeout has other causes. */
export function isResumeFailure({ kind }: AgentFailure): boolean {
  return ['session-lost', 'wrong-session', 'unreadable-answer', 'no-tokens', 'agent-error'].includes(kind);
}

/** Returns the log entry of one question. `unreadable`: why the reply could not be read; `null` if it could. */
export function transcriptEntry(
  { agent, mode }: Pick<DispatchState, 'agent' | 'mode'>,
  question: Question,
  end: AskEnd,
  unreadable: AgentFailure | null,
): TranscriptEntry {
  const message = end.ok ? replyText(end.reply) : end.said;
  const { retries = 0 } = end;
  const how = question.forkOf === undefined ? mode : 'forked';
  const failure = end.ok ? unreadable : end.failure;
  const { usage = null, filesRead = null, turns } = end.ok ? end.reply : {};
  const stableLength = question.sessionId === null ? question.stable.length : 0;
  const facts = { usage, filesRead, ...(turns === undefined ? {} : { turns }) };
  return { agent, mode: how, sent: sentText(question), said: message, failure, retries, stableLength, ...facts };
}

function replyText({ text, structured }: AgentReply): string {
  return structured === undefined || structured === null ? text : `${text}\n${JSON.stringify(structured)}`;
}
