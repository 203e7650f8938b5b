import type { AgentFailure, AgentReply, Cooldown, ResumeResult, Usage } from './agent.ts';
import type { Result } from './result.ts';

/** Set in the environment of everything that onceover starts, so that nothing inside it starts onceover again. */
export const ACTIVE = 'ONCEOVER_ACTIVE';

/** Reads the outputs of a workflow step from disk. */
export interface OutputFiles {
  /** Returns whether the path is inside the repository after all symlinks are resolved. It opens no file. */
  find(path: string): Promise<'inside' | 'outside'>;
  /** Returns the whole text of a file, or why it cannot be read. */
  read(path: string): Promise<OutputContent>;
}

export type OutputContent =
  | { readonly kind: 'text'; readonly text: string }
  /** Not UTF-8. `path` is absolute. */
  | { readonly kind: 'binary'; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly error: string }
  | { readonly kind: 'outside' };

export interface Clock {
  now(): Date;
}

/** Calls agents as reviewers, which may only read. */
export interface Reviewers {
  /** The installed agents, in order of preference. */
  readonly names: readonly string[];
  /** All installed agents, including those that are called only if a review names them. */
  readonly found: readonly string[];
  /** Returns the facts that a call needs. It may have to start the agent to find its version. */
  describe(name: string): Promise<ReviewerFacts>;
  ask(name: string, question: Question, options: AskOptions): Promise<AskEnd>;
}

/** Facts about an agent as a reviewer. */
export type ReviewerFacts = {
  readonly model: string | null;
  readonly version: string;
  /** Digest of the tools and options that the agent is started with. */
  readonly toolsDigest: string;
  /** Whether this version can be resumed. It may have to probe the agent. */
  canResume(): Promise<boolean>;
  /** Returns the failed test of V1 to V4 with its symptom, as `V2: …`; null if no failure is known. */
  deferredReason(): Promise<string | null>;
  /** The longest diff in characters that one prompt may contain. */
  readonly diffLimit: number;
  /** Whether a second new session reads the stable part of the prompt from the provider's cache. */
  readonly sharesPrefix: boolean;
  readonly timeoutSeconds: number | null;
  /** Whether the agent can fix files. */
  readonly canFix: boolean;
  /** Minutes until the provider's cache expires, by requested cache lifetime. */
  readonly warmMinutes: Readonly<Record<'5m' | '1h', number>>;
};

export type Question = {
  /** The part of the prompt that several calls share, so that the provider can cache it. */
  readonly stable: string;
  readonly dynamic: string;
  readonly schema: object;
  /** The session to resume; null for a new one. */
  readonly sessionId: string | null;
  /** Usage of the session before this call, for agents that report totals. */
  readonly usedBefore: Usage | null;
  readonly cacheTtl: '5m' | '1h';
  readonly timeoutSeconds: number;
  readonly idleSeconds: number;
  /** Whether the agent should change files. */
  readonly writes?: boolean;
  /** The model to use instead of the configured one. */
  readonly model?: string;
};

export type AskOptions = {
  readonly stop: AbortSignal | null;
  /** Receives the agent's current activity and usage. */
  watch(doing: string | null, usage: Usage | null): void;
};

/** The end of a call: an unparsed reply, or a failure. */
export type AskEnd =
  | {
      readonly ok: true;
      readonly reply: AgentReply;
      /** The model that answered; null if the agent did not report it. */
      readonly model: string | null;
      readonly durationMs: number;
    }
  | {
      readonly ok: false;
      readonly failure: AgentFailure;
      readonly usage: Usage | null;
      readonly said: string;
      readonly durationMs: number;
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

/** Guards receipts, findings and consent against a fixer, which may be able to write to them. */
export interface TamperGuard {
  snapshot(): Promise<GuardedState>;
}

type GuardedState = {
  /** Undoes writes since the snapshot that would count as a pass, a waiver or consent. Returns the files. */
  restore(): Promise<Result<readonly string[]>>;
};

/** The prompts that started sessions, by digest. */
export interface SessionPrompts {
  read(digest: string): Promise<string | null>;
  keep(text: string): Promise<Result<string>>;
  prune(keep: ReadonlySet<string>): Promise<Result<void>>;
}

/** Agents that have reached a usage limit, until the limit ends. */
export interface Cooldowns {
  all(now: Date): Promise<readonly Cooldown[]>;
  add(cooling: Cooldown): Promise<Result<void>>;
}

/** Results of resume probes on this machine. */
export interface Capabilities {
  probed(): Promise<readonly ResumeResult[]>;
  keep(result: ResumeResult): Promise<Result<void>>;
}

/** Allows one run at a time per working tree. */
export interface Lock {
  take(): Promise<Result<HeldLock>>;
}

export type HeldLock = { release(): Promise<void> };

/** Receives the events of work in progress. Each slice declares its own events. */
export interface ReporterOf<E> {
  tell(event: E): void;
}

/** Options of a caller that waits for a background job. */
export type WaitOptions = {
  readonly seconds: number;
  readonly stop?: AbortSignal;
  /** Receives the last line of the job's log whenever it changes. */
  heard?(line: string): void;
};
