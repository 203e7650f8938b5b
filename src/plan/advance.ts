import type { AgentFailure, AskMode } from '../domain/agent.ts';

/** Where one dispatch stands: who is being asked, how, and who is left. */
export type DispatchState = {
  readonly agent: string;
  readonly mode: AskMode;
  /** How the question was first put to this agent, before a repair. */
  readonly asked: 'fresh' | 'resumed';
  /** Agents that may take over, the first of them once. */
  readonly others: readonly string[];
  readonly repaired: boolean;
  readonly failedOver: boolean;
  /** Whoever writes has worked, whatever it says of it: it is never asked to begin again for the sake of its answer. */
  readonly writes: boolean;
};

export type DispatchEvent<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly failure: AgentFailure };

/** What happens next with the dispatch. */
export type DispatchStep<Answer> =
  | {
      readonly kind: 'ask';
      readonly state: DispatchState;
      readonly because: AgentFailure;
      readonly notes: readonly DispatchNote[];
    }
  | { readonly kind: 'done'; readonly answer: Answer; readonly agent: string }
  | { readonly kind: 'error'; readonly failure: AgentFailure; readonly notes: readonly DispatchNote[] };

/** What is to be remembered of the way. */
type DispatchNote =
  | { readonly kind: 'resume-failed'; readonly agent: string; readonly failure: AgentFailure }
  | { readonly kind: 'failed-over'; readonly from: string; readonly to: string; readonly failure: AgentFailure }
  | { readonly kind: 'cooling'; readonly agent: string; readonly until: Date | null };

/** A dispatch that is about to be sent. */
export function startDispatch(agent: string, asked: 'fresh' | 'resumed', others: readonly string[]): DispatchState {
  return {
    agent,
    mode: asked,
    asked,
    others: others.filter((one) => one !== agent),
    repaired: false,
    failedOver: false,
    writes: false,
  };
}

/**
 * The life of a dispatch: one repair question for an answer that cannot be read; a failed resume goes fresh with the same
 * agent; then the next available agent, once; then it is an error.
 */
export function advance<Answer>(state: DispatchState, event: DispatchEvent<Answer>): DispatchStep<Answer> {
  if (event.kind === 'answered') return { kind: 'done', answer: event.answer, agent: state.agent };
  const { failure } = event;
  if (failure.kind === 'cancelled') return { kind: 'error', failure, notes: [] };
  if (failure.kind === 'unreadable-answer' && !state.repaired && !isSilentResume(state, failure)) {
    return { kind: 'ask', state: { ...state, mode: 'repair', repaired: true }, because: failure, notes: [] };
  }
  const cooling: DispatchNote[] =
    failure.kind === 'limit' ? [{ kind: 'cooling', agent: state.agent, until: failure.resetAt }] : [];
  if (state.asked === 'resumed' && mayStillAnswer(failure)) {
    const fresh: DispatchState = { ...state, mode: 'fresh', asked: 'fresh', repaired: false };
    const note: DispatchNote = { kind: 'resume-failed', agent: state.agent, failure };
    return { kind: 'ask', state: fresh, because: failure, notes: [note] };
  }
  const [next] = state.others;
  if (next === undefined || state.failedOver) return { kind: 'error', failure, notes: cooling };
  return {
    kind: 'ask',
    state: { ...state, agent: next, mode: 'fresh', asked: 'fresh', others: [], repaired: false, failedOver: true },
    because: failure,
    notes: [...cooling, { kind: 'failed-over', from: state.agent, to: next, failure }],
  };
}

/** A resumed session that says nothing at all has not gone on: asked to repeat its answer, it would make one up. */
function isSilentResume(
  { asked, writes }: DispatchState,
  { why }: Extract<AgentFailure, { kind: 'unreadable-answer' }>,
) {
  return asked === 'resumed' && !writes && why === 'empty';
}

/** Whether the same agent could answer a fresh question, after it failed to resume. */
function mayStillAnswer(failure: AgentFailure): boolean {
  switch (failure.kind) {
    case 'timeout':
    case 'idle':
    case 'session-lost':
    case 'wrong-session':
    case 'unreadable-answer':
    case 'no-tokens':
    case 'agent-error':
      return true;
    case 'not-found':
    case 'unprotected':
    case 'not-logged-in':
    case 'limit':
    case 'cancelled':
      return false;
  }
}
