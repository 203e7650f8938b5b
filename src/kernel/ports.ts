import type { AgentFailure, AgentReply, Cooldown, MissingAgent, Usage } from './agent.ts';
import type { RepoPath, SnapshotId } from './ids.ts';
import type { Result } from './result.ts';

/** The environment variable that onceover sets for programs it starts, so that they cannot start a run. */
export const ACTIVE = 'ONCEOVER_ACTIVE';

export interface Clock {
  now(): Date;
}

/** Calls the installed agents. They may only read files, except if `writes` of the question is true. */
export interface Reviewers {
  /** The installed agents that the settings allow, in order of preference. */
  readonly names: readonly string[];
  /** All installed agents, including those that run only if a review names them. */
  readonly found: readonly string[];
  /** The known agents that cannot be started. */
  readonly missing: readonly MissingAgent[];
  /** Agents that may not review this pull request, each with a file that it would load and the author could edit. */
  readonly refused?: ReadonlyMap<string, string>;
  /** Returns the facts about an agent that a call needs. This may start the agent to ask for its version. */
  describe(name: string): Promise<ReviewerFacts>;
  ask(name: string, question: Question, options: AskOptions): Promise<AskEnd>;
}

/** The facts about an installed agent that decide how it is called. */
export type ReviewerFacts = {
  readonly model: string | null;
  readonly version: string;
  /** Digest of the tools and options that the agent is started with. */
  readonly toolsDigest: string;
  /** Whether sessions of this version can be resumed. To find out, onceover may test the agent with some paid calls. */
  canResume(): Promise<boolean>;
  /** Returns which test of resuming the agent failed, and how (`V2: …`); `null` if onceover knows of no failure. */
  deferredReason(): Promise<string | null>;
  /** The maximum length in characters of the diff in one prompt. */
  readonly diffLimit: number;
  /** The maximum length in characters of a whole prompt; `null` for a custom command, whose limit is unknown. */
  readonly promptLimit: number | null;
  /** Whether new sessions share the provider's cache, so that the second one reuses the first part of the prompt. */
  readonly sharesPrefix: boolean;
  /** Whether a fork of a session finds the copied conversation in the provider's cache, so that readers can share it. */
  readonly forksCached: boolean;
  /** Whether this version is known to fork correctly (V5). Does not test an unknown version. */
  canFork(): boolean;
  readonly timeoutSeconds: number | null;
  /** Whether onceover can let the agent write files. */
  readonly canFix: boolean;
  /** The provider whose cache rules apply, for example `anthropic`; `null` if it is unknown. */
  readonly provider: string | null;
  /** The model in the agent's own settings, which is used if `model` is `null`. */
  readonly usualModel?: string | null;
};

export type Question = {
  /** The first part of the prompt. It is the same in several calls, so that the provider can cache it. */
  readonly stable: string;
  readonly dynamic: string;
  readonly schema: object;
  /** The id of the session to resume; `null` for a new session. */
  readonly sessionId: string | null;
  /** The id of a session to fork: the new session starts with a copy of that conversation, which stays as it is. */
  readonly forkOf?: string;
  /** Usage of the session before this call, for agents that report only the usage of the whole session. */
  readonly usedBefore: Usage | null;
  readonly cacheTtl: '5m' | '1h';
  /** Whether a fork is expected to answer in one request, so that nothing would read its own question from the cache. */
  readonly answersAtOnce?: boolean;
  readonly timeoutSeconds: number;
  readonly idleSeconds: number;
  /** Whether the agent may change files. */
  readonly writes?: boolean;
  /** The model to use instead of the configured one. */
  readonly model?: string;
  /** The files under review, for reviewers that read them from git. Default: a snapshot of the working tree. */
  readonly trees?: ReviewedTrees;
  /** How many requests the agent may repeat in this call; default: no limit except `MOST_RETRIES` in a row. */
  readonly mostRetries?: number;
};

/** The two sides of a change as git trees. */
export type ReviewedTrees = {
  readonly head: SnapshotId;
  /** Id of the base commit or tree. */
  readonly base: string;
  /** Folders that no reviewer may read, such as the records of earlier reviews. */
  readonly hidden: readonly RepoPath[];
};

/** How often in a row an agent may repeat a request that fails, before onceover ends the agent. */
export const MOST_RETRIES = 2;

export type AskOptions = {
  readonly stop: AbortSignal | null;
  /** Called with the agent's current activity and its usage so far. */
  watch(doing: string | null, usage: Usage | null): void;
  /** Called when the model begins to answer: from then on, the provider's cache contains the prompt. */
  begun?(): void;
  /** The content that the question is about. Only reviewers on other machines need it. */
  readonly subject?: AskSubject;
};

/** The content that a question is about, and which earlier answers can be used for it. */
export type AskSubject = {
  readonly tree: SnapshotId;
  readonly baseTree: string;
  /** Identifies the reviewer and its opinion: reviewer 1 and reviewer 2, or two opinions of reviewer 1, are different. */
  readonly asker: string;
  /** Whether an answer to the same question of another clone can be used; `false` if a new answer is wanted. */
  readonly mayShare: boolean;
  /** Whether the call only checks a pass that another clone gave. Such calls come last in a queue. */
  readonly isAudit?: boolean;
  /** Whether a reply is usable. An earlier reply that no one could read is not used again. */
  accepts(reply: AgentReply): boolean;
};

/** The outcome of a call: a reply that is not parsed yet, or a failure. */
export type AskEnd =
  | {
      readonly ok: true;
      readonly reply: AgentReply;
      /** The model that answered; `null` if the agent did not report it. */
      readonly model: string | null;
      /** Text that the agent wrote before its last tool call. It is not part of the answer. */
      readonly draft?: string;
      readonly durationMs: number;
      /** How often the agent repeated a request to its service by itself; default: 0. */
      readonly retries?: number;
    }
  | {
      readonly ok: false;
      readonly failure: AgentFailure;
      readonly usage: Usage | null;
      /** The agent's last words, for the log. */
      readonly said: string;
      /** All text that the agent wrote before the call failed. It may contain a refusal. */
      readonly draft?: string;
      readonly durationMs: number;
      readonly retries?: number;
    };

/** Runs the shell command of a check. */
export interface Checks {
  run(command: string, options: CheckOptions): Promise<CheckEnd>;
}

export type CheckOptions = {
  readonly timeoutSeconds: number;
  readonly env: Readonly<Record<string, string>>;
  readonly stop: AbortSignal | null;
};

export type CheckEnd = {
  readonly ending: 'by-itself' | 'timeout' | 'cancelled' | 'not-started';
  readonly exitCode: number | null;
  readonly output: string;
  readonly durationMs: number;
};

/** Protects the files with passes, findings and approved commands from a fixer, which may be able to write to them. */
export interface TamperGuard {
  /**
   * Remembers the state of the files. `restore` undoes later writes that would count as a pass, waiver or approval, and
   * returns the paths of the restored files.
   */
  snapshot(): Promise<{ restore(): Promise<Result<readonly string[]>> }>;
}

/** Stores which agents have reached a usage limit, until the limit ends. */
export interface Cooldowns {
  all(now: Date): Promise<readonly Cooldown[]>;
  add(cooling: Cooldown): Promise<Result<void>>;
  /** Ends all cooldowns, on request of a person. Returns those that were active. */
  lift(now: Date): Promise<Result<readonly Cooldown[]>>;
}

/** Allows one run at a time per working tree. */
export interface Lock {
  take(): Promise<Result<HeldLock>>;
}

export type HeldLock = { release(): Promise<void> };

/** Receives progress events. Each feature declares the type of its own events. */
export interface ReporterOf<E> {
  tell(event: E): void;
}

/** Options of a caller that waits for a background job. */
export type WaitOptions = {
  readonly seconds: number;
  readonly stop?: AbortSignal;
  /** Called with the last line of the job's log whenever that line changes. */
  heard?(line: string): void;
};
