import type { Abilities, AgentFailure, RequestFigures, ResumeResult, Usage } from '@onceover/base/kernel/agent';
import type { Question } from '@onceover/base/kernel/ports';
import type { AgentAccess } from './access.ts';

/** One question to an agent. `invoke` makes a command line from it. */
export type AgentQuestion = Omit<Question, 'idleSeconds' | 'model'> & {
  /** The id for a new session, for agents that let the caller choose it. */
  readonly newSessionId: string;
  readonly model: string | null;
  /** The folder with the reviewed files. */
  readonly root?: string;
  /** Whether the agent starts in a checkout of the base branch instead of `root`. */
  readonly startsFromBase?: boolean;
};

type Invocation = {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The text for the agent's standard input. */
  readonly input: string;
};

/** Writes a temporary file for this call and returns its path. Prompts are passed in such files, never as arguments. */
type PutFile = (name: string, text: string) => string;

/** The state of a call, as the agent's output has shown it so far. */
export type AgentEvents = {
  readonly sessionId: string | null;
  readonly model: string | null;
  /** The text of the agent's answer so far. */
  readonly text: string;
  /**
   * Text that the agent wrote before its last use of a tool. It is not part of the answer, but may contain a refusal.
   */
  readonly draft: string;
  readonly structured: unknown;
  readonly usage: Usage | null;
  /** The id of the message whose usage was counted last. Some agents report the usage of a message several times. */
  readonly counted: string | null;
  /** The requests to the model so far; `null` if the agent's events do not show them. */
  readonly requests: RequestFigures | null;
  /** Whether the model has begun to answer. From this moment, the provider has the prompt in its cache. */
  readonly begun: boolean;
  /** Whether the agent has reported success. */
  readonly done: boolean;
  readonly failure: AgentFailure | null;
  /** The last error after which the agent continued; `null` again after any progress. */
  readonly trouble: AgentFailure | null;
  /**
   * How often the agent repeated a failed request: `retries` in the whole call, `retriesInARow` since its last
   * progress.
   */
  readonly retries: number;
  readonly retriesInARow: number;
  readonly filesRead: readonly string[];
  /** The current activity of the agent, for the live view. */
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

/** The folders of a call: the agent's working directory (`cwd`), and the folder of the reviewed files (`root`). */
export type ConversationPlace = { readonly cwd: string; readonly root: string };

/** A call during which onceover answers the agent's requests on its standard input. */
export type Conversation = {
  /** The text that onceover sends at the beginning. */
  readonly opening: string;
  /**
   * Reads a line of output. Returns the new state of the call, the text to send, and whether the line shows activity.
   */
  hear(
    events: AgentEvents,
    line: string,
    now: Date,
  ): { readonly events: AgentEvents; readonly send: string; readonly isActive: boolean };
};

/**
 * How an agent is called and how its output is read. To add an agent, add a file to this folder and a line to
 * `table.ts`.
 */
export interface Agent {
  readonly name: string;
  /** The name of the agent's program on PATH. */
  readonly program: string;
  /** The version that our tests ran with; `null` for a custom command. */
  readonly testedVersion: string | null;
  /** The first of the resume tests V1 to V4 (see `probeResume`) that the tested version fails. Default: none. */
  readonly resumeFailure?: ResumeResult['failed'];
  /**
   * How the tested version fails V5, the test of forked sessions. Default: it passes, if its abilities include forks.
   */
  readonly forkFailure?: string;
  readonly abilities: Abilities;
  /** Whether the agent may edit files. A built-in agent may, if it cannot write outside the working tree. */
  readonly canFix: boolean;
  /** The maximum length in characters of the diff in one prompt. The model's context also needs room for other text. */
  readonly diffLimit: number;
  /** The command that installs the agent; `null` for a custom command. */
  readonly install: string | null;
  /** Environment variables that the agent needs for its login and configuration. */
  readonly variables: readonly string[];
  /**
   * The id of the provider in the price list and in the table of caching rules. `in-model`: model names begin with the
   * provider. `null`: unknown.
   */
  readonly priceProvider: string | null;
  /**
   * The default model in the user's settings: the path of the settings file, and a function that reads the model from
   * it.
   */
  readonly usualModel?: {
    file(env: Readonly<Record<string, string>>): string;
    read(settings: string): string | null;
  };
  /** How onceover finds out whether the agent can work; left out for a custom command. */
  readonly access?: AgentAccess;
  /**
   * Paths in the reviewed repository that the agent always loads. They must be hidden from the agent, because the
   * change could contain instructions for it.
   */
  readonly loads?: readonly string[];
  /**
   * Names of files that the agent loads from every folder in which it reads a file. They must be hidden from it too.
   */
  readonly loadsNamed?: readonly string[];
  /** Returns the command line for a question. The agent starts in `cwd`, and must not load settings from there. */
  invoke(question: AgentQuestion, putFile: PutFile, cwd: string): Invocation;
  /**
   * Returns the state of the call after one more line of output. `now` is needed to understand times such as "in 5
   * minutes".
   */
  hear(events: AgentEvents, line: string, now: Date): AgentEvents;
  /** Returns the state of the call after one more line of error output, for agents that report retries only there. */
  hearLog?(events: AgentEvents, line: string, now: Date): AgentEvents;
  /**
   * For agents that print nothing but an answer: returns the state of the call from the whole output. It is called only
   * after exit code 0.
   */
  conclude?(stdout: string, question: AgentQuestion): AgentEvents;
  /**
   * For agents that send requests while they work: opens the conversation, whose `hear` is used instead of the agent's.
   */
  converse?(question: AgentQuestion, place: ConversationPlace): Conversation;
  /** Whether the agent always works in a copy of the reviewed files that has no files with instructions for agents. */
  readonly worksInCopy?: boolean;
  /** Matches the error message that says that the agent cannot find a session; `null` for a custom command. */
  readonly sessionLost: RegExp | null;
}
