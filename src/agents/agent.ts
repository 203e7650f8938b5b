import type { Abilities, AgentFailure, RequestFigures, ResumeResult, Usage } from '../kernel/agent.ts';
import type { Question } from '../kernel/ports.ts';
import type { AgentAccess } from './access.ts';

/** One question to an agent, from which `invoke` makes a command line. */
export type AgentQuestion = Omit<Question, 'idleSeconds' | 'model'> & {
  /** The id that a new session gets, for agents that let the caller choose it. */
  readonly newSessionId: string;
  readonly model: string | null;
  /** The folder with the files under review. */
  readonly root?: string;
  /** Whether the agent starts in a checkout of the base branch instead of `root`. */
  readonly startsFromBase?: boolean;
};

/** Returns the prompt as one text. A resumed or forked session already has the stable part, so that part is left out. */
export function joinPrompt({
  stable,
  dynamic,
  sessionId,
  forkOf,
}: Pick<Question, 'stable' | 'dynamic' | 'sessionId' | 'forkOf'>): string {
  return sessionId === null && forkOf === undefined ? `${stable}\n\n${dynamic}` : dynamic;
}

type Invocation = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The text that the agent gets on standard input. */
  readonly input: string;
};

/** Writes a temporary file for this call and returns its path. Prompts go into such files, never into arguments. */
type PutFile = (name: string, text: string) => string;

/** The state of a call, collected from the agent's output lines so far. */
export type AgentEvents = {
  readonly sessionId: string | null;
  readonly model: string | null;
  /** The text of the agent's answer so far. */
  readonly text: string;
  /** Text before the last tool call. It is commentary, not the answer, but it may contain a refusal. */
  readonly draft: string;
  readonly structured: unknown;
  readonly usage: Usage | null;
  /** The id of the message whose usage was added last. Some agents report the usage of a message several times. */
  readonly counted: string | null;
  /** The requests to the model so far; `null` if the agent's events do not show them. */
  readonly requests: RequestFigures | null;
  /** Whether the model has started to answer. From then on, the provider's cache contains the prompt. */
  readonly begun: boolean;
  /** Whether the agent has reported success. */
  readonly done: boolean;
  readonly failure: AgentFailure | null;
  /** The last error that did not end the agent; `null` again after any progress. */
  readonly trouble: AgentFailure | null;
  /** How often the agent repeated a request: `retries` in the whole call, `retriesInARow` since its last progress. */
  readonly retries: number;
  readonly retriesInARow: number;
  readonly filesRead: readonly string[];
  /** The agent's current activity, for the live display. */
  readonly doing: string | null;
};

export const NO_EVENTS: AgentEvents = {
  sessionId: null,
  model: null,
  text: '',
  draft: '',
  structured: undefined,
  usage: null,
  counted: null,
  requests: null,
  begun: false,
  done: false,
  failure: null,
  trouble: null,
  retries: 0,
  retriesInARow: 0,
  filesRead: [],
  doing: null,
};

/** The folders of a call: the agent's working directory, and the folder whose files it shows. */
export type ConversationPlace = { readonly cwd: string; readonly root: string };

/** A call in which onceover answers requests of the agent on its standard input. */
export type Conversation = {
  /** The text that onceover sends first. */
  readonly opening: string;
  /** Returns the state of the call after a line of output, the text to send, and whether the line is activity. */
  hear(
    events: AgentEvents,
    line: string,
    now: Date,
  ): { readonly events: AgentEvents; readonly send: string; readonly isActive: boolean };
};

/** How to call an agent and read its output. To add an agent, add a file to this folder and a line to `table.ts`. */
export interface Agent {
  readonly name: string;
  /** The name of the program on PATH. */
  readonly program: string;
  /** The version that our tests ran with; `null` for a custom command. */
  readonly testedVersion: string | null;
  /** The first of the resume tests V1 to V4 (see `probeResume`) that the tested version fails. Default: none. */
  readonly resumeFailure?: ResumeResult['failed'];
  /** How the tested version fails V5, the test of forks. Default: it passes, if its abilities say that it can fork. */
  readonly forkFailure?: string;
  readonly abilities: Abilities;
  /** Whether the agent may edit files. A built-in agent may do so if it cannot write outside of the working tree. */
  readonly canFix: boolean;
  /** The limit for the diff in one prompt, in characters. The model's context needs room for more than the diff. */
  readonly diffLimit: number;
  /** The command that installs the agent; `null` for a custom command. */
  readonly install: string | null;
  /** Environment variables that the agent needs for its login and configuration. */
  readonly variables: readonly string[];
  /**
   * The provider's id in the price list and in the table of cache rules; `in-model` if model names start with the
   * provider; `null` if unknown.
   */
  readonly priceProvider: string | null;
  /** The place of the default model in the user's settings: the path of a file, and how to read it. */
  readonly usualModel?: {
    file(env: Readonly<Record<string, string>>): string;
    read(settings: string): string | null;
  };
  /** How to find out whether the agent can work; left out for a custom command. */
  readonly access?: AgentAccess;
  /** Paths in the repository under review that the agent always loads, so they must be hidden from it. */
  readonly loads?: readonly string[];
  /** Names of files that the agent loads from each folder in which it reads a file, so they must be hidden from it. */
  readonly loadsNamed?: readonly string[];
  /** Returns the command line for a question. The agent starts in `cwd` and must take no settings from that folder. */
  invoke(question: AgentQuestion, put: PutFile, cwd: string): Invocation;
  /** Returns `events` with one more line of output added. `now` is needed to read times such as "in 5 minutes". */
  hear(events: AgentEvents, line: string, now: Date): AgentEvents;
  /** Returns `events` with one more line of error output added, for agents that report retries only there. */
  hearLog?(events: AgentEvents, line: string, now: Date): AgentEvents;
  /** For agents that print only an answer: returns the state of the call from the whole output, after exit code 0. */
  conclude?(stdout: string, question: AgentQuestion): AgentEvents;
  /** For agents that need answers while they work: opens the conversation, which takes the place of `hear`. */
  converse?(question: AgentQuestion, place: ConversationPlace): Conversation;
  /** Whether the agent runs only in a copy of the files under review, without files that instruct agents. */
  readonly worksInCopy?: boolean;
  /** Matches the error message for a session that the agent cannot find; `null` for a custom command. */
  readonly sessionLost: RegExp | null;
}
