import type { AgentFailure, UnreadableAnswer } from '../domain/agent.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import { secondsOf } from './seconds.ts';

/** Why an agent gave no answer, to follow its name: "claude …". */
export function tellAgentFailure(failure: AgentFailure): string {
  switch (failure.kind) {
    case 'not-found':
      return `could not be started (${quoteName(failure.program)})`;
    case 'unprotected':
      return `was not started: it would run what is in ${quoteName(failure.path)}, and nothing is here to hide that from it (bubblewrap, or a repository to copy)`;
    case 'not-logged-in':
      return `is not logged in: ${showUnseen(failure.said)}`;
    case 'limit': {
      const until = failure.resetAt === null ? '' : ` until ${failure.resetAt.toISOString()}`;
      return `has reached a limit${until}: ${showUnseen(failure.said)}`;
    }
    case 'timeout':
      return `did not finish within ${secondsOf(failure.seconds)}`;
    case 'idle':
      return `said nothing for ${secondsOf(failure.seconds)}`;
    case 'session-lost':
      return `no longer has its session: ${showUnseen(failure.said)}`;
    case 'wrong-session':
      return `answered in another session than it was asked in`;
    case 'unreadable-answer':
      return `gave no answer that can be read: ${UNREADABLE[failure.why]}`;
    case 'no-tokens':
      return 'answered without having spent a token';
    case 'agent-error':
      return `failed: ${showUnseen(failure.said)}`;
    case 'cancelled':
      return 'was stopped';
  }
}

/** What is wrong with an answer, for the agent that gave it. */
export function tellUnreadable(failure: AgentFailure): string {
  if (failure.kind !== 'unreadable-answer') return tellAgentFailure(failure);
  return failure.why === 'wrong-shape' ? `${UNREADABLE[failure.why]} (${failure.said})` : UNREADABLE[failure.why];
}

const UNREADABLE: Readonly<Record<UnreadableAnswer, string>> = {
  empty: 'it is empty',
  'no-object': 'there is no JSON object in it',
  truncated: 'it is cut off',
  'broken-json': 'its JSON is broken',
  'wrong-shape': 'it does not have the form that was asked for',
};
