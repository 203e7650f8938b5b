import type { AgentFailure } from '../domain/agent.ts';
import type { Abilities } from '../domain/doctor.ts';
import type { Usage } from '../domain/usage.ts';

/** What is asked of an agent, before it is put into the words of its command line. */
export type AgentQuestion = {
  /** The part of the prompt that is the same in every iteration. */
  readonly stable: string;
  readonly dynamic: string;
  readonly schema: object;
  /** The same schema without optional fields, for providers that have none. */
  readonly strictSchema: object;
  /** The session to go on with; null: a new one. */
  readonly sessionId: string | null;
  /** What a new session is to be called, where the agent lets us choose. */
  readonly newSessionId: string;
  /** What the session had used before, for agents that report its total. */
  readonly usedBefore: Usage | null;
  readonly model: string | null;
  readonly cacheTtl: '5m' | '1h';
  readonly timeoutSeconds: number;
  /** True: it may change files of the working tree. */
  readonly writes?: boolean;
};

/** The whole prompt as one text, for agents that have no other place for the stable part; a session has heard that already. */
export function oneText({ stable, dynamic, sessionId }: AgentQuestion): string {
  return sessionId === null ? `${stable}\n\n${dynamic}` : dynamic;
}

/** How an agent is called: arguments, environment, standard input. */
type Invocation = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
};

/** Puts a text into a file of this dispatch and tells its path: prompts and schemas never go into arguments. */
type PutFile = (name: string, text: string) => string;

/** What the events of a dispatch have said so far. */
export type Heard = {
  readonly sessionId: string | null;
  readonly model: string | null;
  /** The text that counts as the answer, as far as it has come. */
  readonly text: string;
  readonly structured: unknown;
  readonly usage: Usage | null;
  /** The model's message whose usage was added last, where each tells its own more than once. */
  readonly counted: string | null;
  /** True once the model itself has begun to answer: by then its provider has the prompt in its cache. */
  readonly begun: boolean;
  /** True once the agent said that it is done and all went well. */
  readonly done: boolean;
  readonly failure: AgentFailure | null;
  readonly filesRead: readonly string[];
  /** What it is doing, for people who wait. */
  readonly doing: string | null;
};

export const NOTHING_HEARD: Heard = {
  sessionId: null,
  model: null,
  text: '',
  structured: undefined,
  usage: null,
  counted: null,
  begun: false,
  done: false,
  failure: null,
  filesRead: [],
  doing: null,
};

/** One agent: how to call it and how to read what it says. Everything else is the runner's. */
export interface Agent {
  readonly name: string;
  /** The program on PATH. */
  readonly program: string;
  /** Null for an agent of the user's own. */
  readonly testedVersion: string | null;
  readonly abilities: Abilities;
  /** Whether it may be a fixer: given leave to write, it writes nowhere but in the working tree. */
  readonly canFix: boolean;
  /** The most characters of a diff that it is given at once: a token is three or four of them, and more must fit beside. */
  readonly diffLimit: number;
  /** How to get it; null for an agent of the user's own. */
  readonly install: string | null;
  /** Variables of the user's environment that it needs to be logged in and configured. */
  readonly variables: readonly string[];
  /** How many minutes its provider keeps what it was sent, by what is asked for. */
  readonly warmMinutes: Readonly<Record<'5m' | '1h', number>>;
  /** What it loads from the repository under review although it is told not to: that must be hidden from it. */
  readonly loads?: readonly string[];
  invoke(question: AgentQuestion, put: PutFile): Invocation;
  /** Takes in one line of its output; `now` is for limits that end "in 5 minutes". */
  hear(heard: Heard, line: string, now: Date): Heard;
  /** For agents without events: what all of its output says, once it has ended well. */
  conclude?(stdout: string, question: AgentQuestion): Heard;
  /** What its last words on standard error mean, where its events said nothing. */
  explain(stderr: string): AgentFailure | null;
}
