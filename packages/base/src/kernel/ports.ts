import type { AgentFailure, AgentReply, Cooldown, MissingAgent, Usage } from './agent.ts';
import type { RepoPath, SnapshotId } from './ids.ts';
import type { Result } from './result.ts';

/**
 * The environment variable that onceover sets for programs that it starts. If it is set, onceover refuses to start
 * another run.
 */
export const ACTIVE = 'ONCEOVER_ACTIVE';

export interface Clock {
  now(): Date;
}

/** Calls the installed agents. An agent may only read files, unless the question has `writes: true`. */
export interface Reviewers {
  /** The installed agents that the settings allow, in order of preference. */
  readonly names: readonly string[];
  /** All installed agents, including those that run only if a review names them. */
  readonly found: readonly string[];
  /** The known agents that cannot be started. */
  readonly missing: readonly MissingAgent[];
  /**
   * Agents that may not review this pull request, each with a file that the agent would load and that the author can
   * edit.
   */
  readonly refused?: ReadonlyMap<string, string>;
  /** Returns the facts about an agent that a call needs. To find its version, this may start the agent. */
  describe(name: string): Promise<ReviewerFacts>;
  ask(name: string, question: Question, options: AskOptions): Promise<AskEnd>;
}

/** The facts about an installed agent that decide how it is called. */
export type ReviewerFacts = {
  readonly model: string | null;
  readonly version: string;
  /** Digest of the tools and options that the agent is started with. */
  readonly toolsDigest: string;
  /**
   * Whether sessions of this agent version can be resumed. If that is unknown, onceover may test it with a few paid
   * calls.
   */
  canResume(): Promise<boolean>;
  /** Returns the resume test that the agent failed and how (`V2: …`); `null` if no failure is known. */
  deferredReason(): Promise<string | null>;
  /** The maximum length in characters of the diff in one prompt. */
  readonly diffLimit: number;
  /** The maximum length in characters of a whole prompt; `null` for a custom command, because its limit is unknown. */
  readonly promptLimit: number | null;
  /**
   * Whether the provider caches the first part of a prompt across sessions, so that a second new session can reuse it.
   */
  readonly sharesPrefix: boolean;
  /**
   * Whether a fork (a copy) of a session finds the copied conversation in the provider's cache. If so, one session can
   * read the files for several reviewers.
   */
  readonly forksCached: boolean;
  /** Whether this agent version is known to fork sessions correctly. Unlike `canResume`, this never starts a test. */
  canFork(): boolean;
  readonly timeoutSeconds: number | null;
  /** Whether onceover can let the agent write files, which fixing findings requires. */
  readonly canFix: boolean;
  /** The provider whose cache rules apply, for example `anthropic`; `null` if it is unknown. */
  readonly provider: string | null;
  /** The model in the agent's own settings, which is used if onceover names no model (`model` is `null`). */
  readonly usualModel?: string | null;
};

export type Question = {
  /** The first part of the prompt, which is the same in several calls, so that the provider can cache it. */
  readonly stable: string;
  readonly dynamic: string;
  readonly schema: object;
  /** The id of the session to resume; `null` for a new session. */
  readonly sessionId: string | null;
  /**
   * The id of a session to fork: the call starts a new session with a copy of its conversation. The forked session does
   * not change.
   */
  readonly forkOf?: string;
  /** Usage of the session before this call, needed for agents that report only the usage of the whole session. */
  readonly usedBefore: Usage | null;
  readonly cacheTtl: '5m' | '1h';
  /**
   * Whether a fork (a copy of a session) will probably answer with one request. Caching its question would then be
   * useless, because no later request reads it.
   */
  readonly answersAtOnce?: boolean;
  /** Whether the question only asks to repeat an unreadable answer, so that no file has to be opened. */
  readonly isRepeat?: boolean;
  readonly timeoutSeconds: number;
  readonly idleSeconds: number;
  /** Whether the agent may change files. */
  readonly writes?: boolean;
  /** The model to use instead of the configured one. Default: the configured one. */
  readonly model?: string;
  /** The git trees under review, for reviewers that read files from git. Default: a snapshot of the working tree. */
  readonly trees?: ReviewedTrees;
  /** How many failed requests the agent may repeat in this call; default: no limit except `MOST_RETRIES` in a row. */
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

/** How often in a row an agent may repeat a failed request to its model service before onceover ends the agent. */
export const MOST_RETRIES = 2;

export type AskOptions = {
  readonly stop: AbortSignal | null;
  /** Called with what the agent is doing and its usage so far. */
  watch(doing: string | null, usage: Usage | null): void;
  /** Called when the model begins to answer. From this moment, the provider has the prompt in its cache. */
  begun?(): void;
  /** The content that the question is about. Only calls to workers (other machines) need it. */
  readonly subject?: AskSubject;
};

/** The content that a question is about, and whether an existing answer to it may be used. */
export type AskSubject = {
  readonly tree: SnapshotId;
  readonly baseTree: string;
  /**
   * Identifies the reviewer and, if that reviewer gives several opinions on the same content, the opinion. An answer is
   * used only for the same `asker`.
   */
  readonly asker: string;
  /**
   * Whether the answer that another clone got to the same question may be used; `false` if the caller wants a new
   * answer.
   */
  readonly mayShare: boolean;
  /** Whether the call only double-checks a pass that another clone gave. The queue runs such calls last. */
  readonly isAudit?: boolean;
  /** Whether a reply can be parsed. Workers do not use an existing reply again if it cannot. */
  accepts(reply: AgentReply): boolean;
};

/** The outcome of a call to an agent: a reply that is not parsed yet, or a failure. */
export type AskEnd =
  | {
      readonly ok: true;
      readonly reply: AgentReply;
      /** The model that answered; `null` if the agent did not report it. */
      readonly model: string | null;
      /** Text that the agent wrote before its last use of a tool. The text is not part of the answer. */
      readonly draft?: string;
      readonly durationMs: number;
      /** How often the agent repeated a failed request to its model service by itself; default: 0. */
      readonly retries?: number;
    }
  | {
      readonly ok: false;
      readonly failure: AgentFailure;
      readonly usage: Usage | null;
      /** The last text that the agent wrote, for the log. */
      readonly said: string;
      /** All text that the agent wrote before the call failed. It may contain the model's refusal to answer. */
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

/**
 * Protects the files that contain passes, findings and approved commands from a fixing agent, which may be able to
 * write to them.
 */
export interface TamperGuard {
  /**
   * Remembers the current files. `restore` undoes later writes that would count as a pass, waiver or approval, and
   * returns the paths of the restored files.
   */
  snapshot(): Promise<{ restore(): Promise<Result<readonly string[]>> }>;
}

/** Stores which agents have reached a usage limit, until the limit ends. */
export interface Cooldowns {
  all(now: Date): Promise<readonly Cooldown[]>;
  add(cooling: Cooldown): Promise<Result<void>>;
  /** Ends all cooldowns because a person asked for it. Returns the cooldowns that were active. */
  lift(now: Date): Promise<Result<readonly Cooldown[]>>;
}

/** A lock that allows only one run at a time per working tree. */
export interface Lock {
  take(): Promise<Result<HeldLock>>;
}

export type HeldLock = { release(): Promise<void> };

/** Receives progress events. Each feature defines its own type `E` of events. */
export interface ReporterOf<E> {
  tell(event: E): void;
}

/** Options for waiting for a background job. */
export type WaitOptions = {
  readonly seconds: number;
  readonly stop?: AbortSignal;
  /** Called with the last line of the job's log whenever that line changes. */
  heard?(line: string): void;
};

/** An onceover command that runs in the background, and its progress. */
export type BackgroundJob = {
  readonly id: string;
  readonly state: 'running' | 'done' | 'died';
  /** The last lines of the command's log. */
  readonly progress: readonly string[];
  /** The JSON document that the command printed: its result or an error. `null` while the command runs. */
  readonly answer: unknown;
};
