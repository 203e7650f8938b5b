import type { AgentFailure, SlotTrouble, UnreadableAnswer } from '../kernel/agent.ts';
import { quoteName, showInvisible } from '../kernel/escape.ts';
import { describeSeconds } from './wording.ts';

/** Returns why an agent gave no answer, to follow its name: "claude …". */
export function describeAgentFailure(failure: AgentFailure): string {
  switch (failure.kind) {
    case 'not-found':
      return `could not be started (${quoteName(failure.program)})`;
    case 'unprotected':
      return `was not started: it would run code from ${quoteName(failure.path)}, and onceover can hide that path only with bubblewrap or in a copy of a repository`;
    case 'not-logged-in':
      return `is not logged in: ${showInvisible(failure.said)}`;
    case 'limit': {
      const until = failure.resetAt === null ? '' : ` until ${failure.resetAt.toISOString()}`;
      return `has reached a limit${until}: ${showInvisible(failure.said)}`;
    }
    case 'timeout':
      return `did not finish within ${describeSeconds(failure.seconds)}`;
    case 'idle':
      return `printed nothing for ${describeSeconds(failure.seconds)}`;
    case 'session-lost':
      return `no longer has its session: ${showInvisible(failure.said)}`;
    case 'wrong-session':
      return 'answered in a different session';
    case 'unreadable-answer':
      return `gave an unreadable answer: ${UNREADABLE[failure.why]}`;
    case 'no-tokens':
      return 'answered without using a token';
    case 'agent-error':
      return `failed: ${showInvisible(failure.said)}`;
    case 'cancelled':
      return 'was stopped';
  }
}

/** Returns what is wrong with an answer, for the agent that gave it. */
export function describeUnreadable(failure: AgentFailure): string {
  if (failure.kind !== 'unreadable-answer') return describeAgentFailure(failure);
  return failure.why === 'wrong-shape' ? `${UNREADABLE[failure.why]} (${failure.said})` : UNREADABLE[failure.why];
}

const UNREADABLE: Readonly<Record<UnreadableAnswer, string>> = {
  empty: 'it is empty',
  'no-object': 'there is no JSON object in it',
  truncated: 'it is cut off',
  'broken-json': 'its JSON is invalid',
  'wrong-shape': 'its JSON does not match the schema',
};

/** Returns why a reviewer gave no verdict, as a sentence without its full stop. */
export function describeTrouble(trouble: SlotTrouble): string {
  switch (trouble.kind) {
    case 'agent':
      return `${trouble.agent} ${describeAgentFailure(trouble.failure)}`;
    case 'no-agent':
      return describeNoAgent(trouble);
    case 'stale':
      return 'files changed while it was being reviewed, so its pass does not count; run again';
    case 'file-too-large':
      return `the diff of ${quoteName(trouble.path)} alone has ${trouble.characters} characters, and a prompt can hold ${trouble.limit}; exclude the file or split the change`;
    case 'budget':
      return `this run has used up its budget (${trouble.what}); raise "budget" in onceover.yml or run again`;
    case 'author-agent':
      return `the agent ${quoteName(trouble.agent)} runs ${quoteName(trouble.path)}, which this change modifies, so the author would review their own change`;
  }
}

/** Returns why no agent can review, as a sentence without its full stop. */
export function describeNoAgent({
  wanted,
  cooling,
}: Pick<Extract<SlotTrouble, { kind: 'no-agent' }>, 'wanted' | 'cooling'>): string {
  if (cooling.length > 0) {
    const limits = cooling.map(({ agent, until }) => `${agent} until ${until.toISOString()}`).join(', ');
    return `every available agent has reached a limit (${limits})`;
  }
  const none = wanted.length === 0 ? 'no agent' : `none of the agents ${wanted.map(quoteName).join(', ')}`;
  return `${none} is installed; see "onceover doctor"`;
}

/** Returns how a reviewer is called again after a failed call. */
export function askedAgain({ mode, agent }: { readonly mode: keyof typeof AGAIN; readonly agent: string }): string {
  return AGAIN[mode](agent);
}

/** How a user gets a gate to run again after too many failures in a row. */
export const ASKED_AGAIN =
  'use "onceover resolve" on a finding, "onceover run --force" or "onceover clean" to run it again';

/** Returns the note on a call that could not resume because its session or snapshot is gone. */
export function fallenBack(dispatch: 'fresh' | 'resumed'): string {
  return `${dispatch}, RESUME-FALLBACK: the session's first prompt or its snapshot is gone`;
}

const AGAIN = {
  fresh: (agent: string) => `RESUME-FALLBACK: calling ${agent} in a new session`,
  repair: (agent: string) => `asking ${agent} to repeat its answer`,
  'other-agent': (agent: string) => `calling ${agent} instead`,
} as const;
