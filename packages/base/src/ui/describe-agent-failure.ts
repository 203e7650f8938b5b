import type { AgentFailure, MissingAgent, NoReading, SlotTrouble, UnreadableAnswer } from '../kernel/agent.ts';
import { quoteName, showInvisible } from '../kernel/escape.ts';
import { asShellWord, type ByKind, byKind, count, type Message } from './wording.ts';

/** Returns why an agent gave no answer, as words that follow the agent's name, such as "is not logged in". */
export function describeAgentFailure(failure: AgentFailure): string {
  return byKind(AGENT_FAILURES, failure);
}

/** Returns why reviewers do not share one session that reads the files, as words that follow the agent's name. */
export function describeNoReading(why: NoReading): string {
  const alone = 'so each reviewer opens the files itself';
  switch (why.kind) {
    case 'agent':
      return `${describeAgentFailure(why.failure)}, ${alone}`;
    case 'opened-nothing':
      return `opened no file, ${alone}`;
    case 'judged':
      return `judged the change although it should only open files, ${alone}`;
    case 'budget':
      return `was not called, because the budget is used up`;
  }
}

const AGENT_FAILURES: ByKind<AgentFailure, string> = {
  'not-found': ({ program }) => `could not be started (command: ${quoteName(program)})`,
  unprotected: ({ path }) =>
    `was not started: it would run code from ${quoteName(path)} of this repository, and onceover can hide that folder only if bubblewrap is installed`,
  'not-logged-in': ({ said, logIn }) =>
    `is not logged in: ${showInvisible(said)}${logIn === undefined ? '' : ` (to log in, ${logIn})`}`,
  limit: ({ resetAt, said }) => {
    const until = resetAt === null ? '' : ` until ${resetAt.toISOString()}`;
    return `has reached a limit${until}: ${showInvisible(said)}`;
  },
  unreachable: ({ said }) => `cannot reach its service: ${showInvisible(said)}`,
  timeout: ({ seconds }) => `did not finish within ${count(seconds, 'second')}`,
  idle: ({ seconds }) => `printed nothing for ${count(seconds, 'second')}`,
  'session-lost': ({ said }) => `no longer has its session: ${showInvisible(said)}`,
  'wrong-session': () => 'answered in a different session',
  'unreadable-answer': ({ why }) => `gave an unreadable answer: ${UNREADABLE[why]}`,
  'no-tokens': () => 'answered, but reports 0 tokens used',
  'agent-error': ({ said }) => `failed: ${showInvisible(said)}`,
  cancelled: () => 'was stopped',
};

/**
 * Returns why there is no usable answer, as words that follow the agent's name, such as "gave no answer (was stopped)".
 */
export function describeNoAnswer(failure: AgentFailure | null): string {
  if (failure === null) return 'gave no answer';
  const why = describeAgentFailure(failure);
  return failure.kind === 'unreadable-answer' ? why : `gave no answer (${why})`;
}

/** Explains to the agent what is wrong with its answer. */
export function describeUnreadable(failure: AgentFailure): string {
  if (failure.kind !== 'unreadable-answer') return describeAgentFailure(failure);
  const { why, said } = failure;
  return why === 'wrong-shape' || why === 'duplicate-key' ? `${UNREADABLE[why]} (${said})` : UNREADABLE[why];
}

const UNREADABLE: Readonly<Record<UnreadableAnswer, string>> = {
  empty: 'it is empty',
  'no-object': 'there is no JSON object in it',
  truncated: 'it is cut off',
  'broken-json': 'its JSON is invalid',
  'duplicate-key': 'its JSON has the same key twice',
  'several-answers': 'it contains more than one JSON object',
  'extra-text': 'it contains text besides its JSON object',
  'wrong-shape': 'its JSON does not match the schema',
};

/** Returns why a reviewer gave no verdict, as a sentence without its full stop. */
export function describeTrouble(trouble: SlotTrouble): string {
  return byKind(TROUBLES, trouble);
}

const TROUBLES: ByKind<SlotTrouble, string> = {
  agent: ({ agent, failure }) => `${agent} ${describeAgentFailure(failure)}`,
  'no-agent': describeNoAgent,
  stale: () => 'files changed while it was being reviewed, so its pass does not count; run again',
  'file-too-large': ({ path, characters, limit }) =>
    `the diff of ${quoteName(path)} alone has ${characters} characters, and a prompt can hold ${limit}; exclude the file or split the change`,
  'not-text': ({ path }) =>
    `${quoteName(path)} is not text, and not an image, audio, video or font file, so reviewers cannot see what changed in it; review it yourself and name it in "exclude" of the gate (for a rule: "match.exclude"), or leave it out of the change`,
  budget: ({ what }) => `this run has used up its budget (${what}); raise "budget" in onceover.yml or run again`,
  'author-agent': ({ agent, path }) =>
    `the agent ${quoteName(agent)} would load ${quoteName(path)} from the change under review, so its author could decide the verdict; install the agent outside of the repository, or name a command of your own`,
};

type NoAgent = Extract<SlotTrouble, { kind: 'no-agent' }>;

/** Returns why an agent cannot be started, and the command that helps. */
export function describeMissingAgent({ name, program, isFile, install }: MissingAgent): Message {
  const agent = quoteName(name);
  if (isFile) {
    return {
      what: `${agent} cannot start: ${quoteName(program)} is not executable`,
      next: `chmod +x ${asShellWord(program)}`,
    };
  }
  if (install !== null) return { what: `${agent} is not installed`, next: install };
  return { what: `${agent} cannot start: ${quoteName(program)} does not exist`, next: 'onceover config check' };
}

/** Returns why no agent can review, as a sentence without its full stop. */
export function describeNoAgent({ wanted, cooling, missing = [] }: Omit<NoAgent, 'kind'>): string {
  if (cooling.length > 0) {
    const limits = cooling.map(({ agent, until }) => `${agent} until ${until.toISOString()}`).join(', ');
    return `every available agent has reached a limit (${limits}); "onceover doctor" lets the next run call them before that`;
  }
  const file = missing.find(({ isFile }) => isFile);
  if (file !== undefined) {
    const { what, next } = describeMissingAgent(file);
    return `${what}; run "${next}"`;
  }
  const names = wanted.map(quoteName).join(', ');
  const subject = { 0: 'no agent is', 1: `${names} is not` }[wanted.length] ?? `none of the agents ${names} is`;
  return `${subject} installed; see "onceover doctor"`;
}

/** The advice for a gate that no longer runs because it failed too often without progress. */
export const ASKED_AGAIN =
  'change the code, or use "onceover resolve" on a finding, "onceover run --force" or "onceover clean" to run it again';
