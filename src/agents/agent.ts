import type { Abilities, AgentFailure, ResumeResult, Usage } from '../kernel/agent.ts';
import type { Question } from '../kernel/ports.ts';

/** A question to an agent, before it becomes a command line. */
export type AgentQuestion = Omit<Question, 'idleSeconds' | 'model'> & {
  /** The id of a new session, for agents that let the caller choose it. */
  readonly newSessionId: string;
  readonly model: string | null;
};

/** Returns the prompt as one text, for agents without a system prompt. A resumed session already has the stable part. */
export function joinPrompt({ stable, dynamic, sessionId }: AgentQuestion): string {
  return sessionId === null ? `${stable}\n\n${dynamic}` : dynamic;
}

type Invocation = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The text for standard input. */
  readonly input: string;
};

/** Writes a temporary file for this call and returns its path. Prompts never go into arguments. */
type PutFile = (name: string, text: string) => string;

/** Everything that the agent's events have reported so far. */
export type AgentEvents = {
  readonly sessionId: string | null;
  readonly model: string | null;
  /** The answer so far. */
  readonly text: string;
  readonly structured: unknown;
  readonly usage: Usage | null;
  /** The message whose usage was added last, for agents that report a message's usage more than once. */
  readonly counted: string | null;
  /** True once the model has started to answer: its provider has cached the prompt by then. */
  readonly begun: boolean;
  /** True once the agent has reported success. */
  readonly done: boolean;
  readonly failure: AgentFailure | null;
  readonly filesRead: readonly string[];
  /** The current activity, for the live display. */
  readonly doing: string | null;
};

export const NO_EVENTS: AgentEvents = {
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

/** One agent: how to call it and how to read its output. Add one by a file here and a line in `table.ts`. */
export interface Agent {
  readonly name: string;
  /** The program on PATH. */
  readonly program: string;
  /** `null` for a custom command. */
  readonly testedVersion: string | null;
  /** The first of V1 to V4 that the tested version failed, and how; `null` if it passed all four. */
  readonly resumeFailure: ResumeResult['failed'];
  readonly abilities: Abilities;
  /** Whether it may be a fixer: when allowed to write, it writes only in the working tree. */
  readonly canFix: boolean;
  /** The most characters of a diff in one prompt. A token has three or four, and the context must hold more than the diff. */
  readonly diffLimit: number;
  /** The install command; `null` for a custom command. */
  readonly install: string | null;
  /** Environment variables that the agent needs for its login and configuration. */
  readonly variables: readonly string[];
  /** How many minutes the provider caches a prompt, by the requested TTL. */
  readonly warmMinutes: Readonly<Record<'5m' | '1h', number>>;
  /** The provider in the price list; `in-model` if model names start with it; `null` if unknown. */
  readonly priceProvider: string | null;
  /** Files that the agent loads from the repository under review despite its options: they must be hidden from it. */
  readonly loads?: readonly string[];
  invoke(question: AgentQuestion, put: PutFile): Invocation;
  /** Adds one line of output to the events; `now` resolves limits that end "in 5 minutes". */
  hear(events: AgentEvents, line: string, now: Date): AgentEvents;
  /** For agents without events: reads the whole output after a successful end. */
  conclude?(stdout: string, question: AgentQuestion): AgentEvents;
  /** Matches the error of an agent that cannot find the session to resume; `null` for a custom command. */
  readonly sessionLost: RegExp | null;
}
