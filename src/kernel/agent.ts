import type { SnapshotId } from './ids.ts';

/** Tokens and cost of a call. `inputTokens` are the input tokens that no cache provided. */
export type Usage = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
};

/** Adds the usage of two calls. An unknown cost is left out of the sum. */
export function addUsage(a: Usage | null, b: Usage | null): Usage | null {
  if (a === null || b === null) return a ?? b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
  };
}

/** Returns the tokens that a call added to its session: all that did not come from the cache. */
export function newTokens({ inputTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheWriteTokens + outputTokens;
}

/** Returns all tokens of a call, cached or not. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens + usage.outputTokens;
}

/** The reason why an agent gave no usable answer. */
export type AgentFailure =
  | { readonly kind: 'not-found'; readonly program: string }
  /** The repository contains a file that the agent would load, and no sandbox is available to prevent that. */
  | { readonly kind: 'unprotected'; readonly path: string }
  | { readonly kind: 'not-logged-in'; readonly said: string }
  | { readonly kind: 'limit'; readonly said: string; readonly resetAt: Date | null }
  | { readonly kind: 'timeout'; readonly seconds: number }
  | { readonly kind: 'idle'; readonly seconds: number }
  | { readonly kind: 'session-lost'; readonly said: string }
  | { readonly kind: 'wrong-session'; readonly asked: string; readonly got: string | null }
  | { readonly kind: 'unreadable-answer'; readonly why: UnreadableAnswer; readonly said: string }
  | { readonly kind: 'no-tokens' }
  | { readonly kind: 'agent-error'; readonly said: string }
  | { readonly kind: 'cancelled' };

/** The reason why a text is not an answer in the requested form. */
export type UnreadableAnswer = 'empty' | 'no-object' | 'truncated' | 'broken-json' | 'wrong-shape';

/** The kind of a call: a new session, a resumed session, or a retry because the answer was unreadable. */
export type AskMode = 'fresh' | 'resumed' | 'repair';

/** The reply of an agent, before its answer is parsed. */
export type AgentReply = {
  readonly text: string;
  /** The value of the agent's own field for structured answers; undefined if there is none. */
  readonly structured: unknown;
  readonly sessionId: string | null;
  /** Usage of this call. */
  readonly usage: Usage | null;
  /** Usage of the session so far, for agents that report totals. The next call subtracts it. */
  readonly sessionUsage: Usage | null;
  /** Files that the agent opened; null if its events do not show that. */
  readonly filesRead: readonly string[] | null;
};

/** One call and its answer, as written to the log of a slot. */
export type TranscriptEntry = {
  readonly agent: string;
  readonly mode: AskMode;
  readonly sent: string;
  readonly said: string;
  readonly failure: AgentFailure | null;
};

/** The agent of a slot or a role, and the agents that replace it if it fails. */
export type Assigned = { readonly agent: string; readonly others: readonly string[] };

export type AgentSettings = {
  readonly model: string | null;
  /** The command of a custom agent; null for a known agent. */
  readonly command: readonly string[] | null;
  /** Path of a known agent's program if it is not on PATH. */
  readonly path: string | null;
  readonly resume: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: boolean;
  readonly timeoutSeconds: number | null;
};

/** Returns the list price of a call; null if the model or its price is unknown. */
export type PriceList = (used: {
  readonly agent: string;
  readonly model: string;
  readonly usage: Usage;
  readonly at: Date;
}) => number | null;

/** The four tests that an agent must pass before its sessions are resumed. */
export type ProbeTest = 'V1' | 'V2' | 'V3' | 'V4';

/** The result of testing whether a version of an agent can be resumed. */
export type ResumeResult = {
  readonly agent: string;
  readonly version: string;
  /** The first test that failed and its symptom; null if all four passed. */
  readonly failed: { readonly test: ProbeTest; readonly how: string } | null;
  /** Duration of a new and of a resumed call; null if the test did not get that far. */
  readonly freshMs: number | null;
  readonly resumedMs: number | null;
};

/** The reply of an agent to a probe, before its answer is parsed. */
export type ProbeReply =
  | (Pick<AgentReply, 'text' | 'structured' | 'sessionId'> & { readonly ok: true; readonly durationMs: number })
  | { readonly ok: false; readonly failure: AgentFailure };

/** The ports of a probe: an agent, a file that it can read, and a line that it cannot guess. */
export type ProbePorts = {
  ask(prompt: string, sessionId: string | null): Promise<ProbeReply>;
  /** Writes the file to review and returns its path. A second call replaces the file. */
  writeFile(text: string): string;
  randomLine(): string;
};

/** The result of a probe. `not-tried` if a failure says nothing about resuming. */
export type ProbeOutcome =
  | { readonly kind: 'tried'; readonly result: ResumeResult }
  | { readonly kind: 'not-tried'; readonly agent: string; readonly version: string; readonly failure: AgentFailure };

/** Whether an agent can be resumed, and the source of that knowledge. */
export type ResumeAbility =
  | { readonly kind: 'yes'; readonly from: 'tested' | 'probed' | 'config' }
  | { readonly kind: 'no'; readonly from: 'tested' | 'probed' | 'config'; readonly why: string }
  /** This version was never tested. It is probed before its first resume. */
  | { readonly kind: 'unknown' };

/** The session of a reviewer, with the facts that must be unchanged to resume it. */
export type Session = {
  readonly id: string;
  readonly agent: string;
  readonly model: string | null;
  readonly version: string;
  /** Digest of tools and schema. The provider's cache is lost if they differ. */
  readonly toolsDigest: string;
  /** Length in characters of the prompt that started the session. */
  readonly firstPromptLength: number;
  readonly saw: SnapshotId;
};

/** The facts that decide between a new and a resumed session. */
export type DispatchFacts = {
  readonly who: 'reviewer' | 'implementer';
  /** `fresh` comes from `--fresh` or `--rerun`; `no-sessions` from `--step`. */
  readonly wanted: 'any' | 'fresh' | 'no-sessions';
  /** Null if this reviewer has no session yet. */
  readonly session: Session | null;
  /** The agent that would be called now. */
  readonly now: Pick<Session, 'agent' | 'model' | 'version' | 'toolsDigest'>;
  /** Whether this version passed V1 to V4. */
  readonly canResume: boolean;
  /** The thing that a resume needs and that no longer exists. */
  readonly lost: 'session' | 'snapshot' | 'diff' | null;
  readonly isFinalValidation: boolean;
  /** Whether the content changed since the session last saw it. */
  readonly changed: boolean;
  /** Null if the cost of an expired cache does not matter. */
  readonly cost: { readonly cacheExpired: boolean; readonly freshIsCheaper: boolean } | null;
  /** Length in characters of the prompt for the resumed session. */
  readonly deltaLength: number;
  /** Characters that a new session has to read besides its prompt. Counted only with `delta_guard: effective`. */
  readonly mustReadLength?: number;
};

/** The reasons for a new session. */
export const FRESH_REASONS = [
  'first-look',
  'asked-for',
  'session-differs',
  'cannot-resume',
  'session-lost',
  'no-changes',
  'resume-dearer',
  'delta-too-large',
] as const;

/** The reasons for resuming a session. */
export const RESUME_REASONS = ['delta', 'final-validation'] as const;

/** The decision for a new or a resumed session, with its reason. */
export type DispatchPlan =
  | { readonly kind: 'fresh'; readonly why: (typeof FRESH_REASONS)[number] }
  | { readonly kind: 'resumed'; readonly why: (typeof RESUME_REASONS)[number]; readonly session: Session };

/** The abilities of an agent, measured with its tested version. */
export type Abilities = {
  /** Whether the agent has an option that enforces a JSON schema. */
  readonly schema: boolean;
  /** The protection against writing: a list of tools, the agent's sandbox, or nothing for a custom command. */
  readonly readOnly: 'tools' | 'own-sandbox' | 'nothing';
  /** The scope of the usage that the agent reports: this call, or the session so far. */
  readonly usage: 'dispatch' | 'session' | 'if-told';
  /** Whether a second new session reads the stable part of the prompt from the provider's cache. */
  readonly stablePart: 'cached' | 'not-cached';
  /** When the agent runs a stop hook of the project: always, in trusted folders, once the user allowed it, or never. */
  readonly stopHook: 'yes' | 'when-trusted' | 'when-allowed' | 'none';
};

/** An agent as installed on this machine. */
export type AgentReport = {
  readonly name: string;
  /** Path of the program; null if it is not installed. */
  readonly program: string | null;
  readonly version: string | null;
  /** Null for a custom agent. */
  readonly testedVersion: string | null;
  readonly abilities: Abilities;
  readonly resume: ResumeAbility;
  /** The command that installs it; null for a custom agent. */
  readonly install: string | null;
};

/** A session as a slot saves it between iterations. */
export type KeptSession = Session & {
  /** Digest of the prompt that started the session. The provider's cache needs the same bytes again. */
  readonly stableDigest: string;
  /** Usage of the session so far, for agents that report totals. */
  readonly usedBefore: Usage | null;
  /** Tokens in the session's context. They are paid again if the cache has expired. */
  readonly contextTokens: number | null;
  /** All tokens of its first call: the cost of a new session. */
  readonly freshTokens: number | null;
  readonly lastUsedAt: string;
  /** Minutes after `lastUsedAt` until the provider's cache expires. */
  readonly warmMinutes: number;
  /** The entries that the session has seen, with the base of each. */
  readonly shown: readonly string[];
};

/** The reason why a slot has no verdict. */
export type SlotTrouble =
  | { readonly kind: 'agent'; readonly agent: string; readonly failure: AgentFailure }
  | { readonly kind: 'no-agent'; readonly wanted: readonly string[]; readonly cooling: readonly Cooldown[] }
  | { readonly kind: 'stale' }
  | { readonly kind: 'file-too-large'; readonly path: string; readonly characters: number; readonly limit: number }
  | { readonly kind: 'budget'; readonly what: 'usd' | 'dispatches' }
  | { readonly kind: 'author-agent'; readonly agent: string; readonly path: string };

/** An agent that has reached a usage limit, and the end of the limit. */
export type Cooldown = { readonly agent: string; readonly until: Date; readonly said: string };
