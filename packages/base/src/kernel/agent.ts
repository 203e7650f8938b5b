import type { SnapshotId } from './ids.ts';
import type { CACHE_NOTE, Shaped, USAGE } from './shape.ts';

export type Usage = Shaped<typeof USAGE>;

/**
 * Returns the sum of two usages. A `null` cost (unknown) counts as 0, except that the sum of two `null` costs is
 * `null`.
 */
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

/**
 * Returns the tokens that a call added to its session: all its tokens except those that the provider had cached before.
 */
export function newTokens({ inputTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheWriteTokens + outputTokens;
}

/** Returns all tokens of a call, including those from the provider's cache. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens + usage.outputTokens;
}

const CHARACTERS_PER_TOKEN = 4;

export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** The reason why an agent gave no usable answer. */
export type AgentFailure =
  | { readonly kind: 'not-found'; readonly program: string }
  /** The agent could read or change `path`, which it must not, and this machine has no sandbox that prevents it. */
  | { readonly kind: 'unprotected'; readonly path: string }
  /** `said`: the agent's error message. `logIn`: how the user logs in, if it is known. */
  | { readonly kind: 'not-logged-in'; readonly said: string; readonly logIn?: string }
  | { readonly kind: 'limit'; readonly said: string; readonly resetAt: Date | null }
  /** The agent cannot connect to its service. */
  | { readonly kind: 'unreachable'; readonly said: string }
  | { readonly kind: 'timeout'; readonly seconds: number }
  | { readonly kind: 'idle'; readonly seconds: number }
  | { readonly kind: 'session-lost'; readonly said: string }
  | { readonly kind: 'wrong-session'; readonly asked: string; readonly got: string | null }
  | { readonly kind: 'unreadable-answer'; readonly why: UnreadableAnswer; readonly said: string }
  | { readonly kind: 'no-tokens' }
  | { readonly kind: 'agent-error'; readonly said: string }
  | { readonly kind: 'cancelled' };

/**
 * The reason why each reviewer reads the files itself, instead of starting from a copy (a fork) of one session that has
 * already read them.
 */
export type NoReading =
  | { readonly kind: 'agent'; readonly failure: AgentFailure }
  | { readonly kind: 'opened-nothing' }
  | { readonly kind: 'judged' }
  | { readonly kind: 'budget' };

/** The reason why the text of an agent is not an answer in the requested JSON form. */
export type UnreadableAnswer =
  | 'empty'
  | 'no-object'
  | 'truncated'
  | 'broken-json'
  | 'duplicate-key'
  | 'several-answers'
  | 'extra-text'
  | 'wrong-shape';

/**
 * The kind of a call: in a new session, in a fork of another session, in a resumed session, or again because the
 * previous answer was unreadable.
 */
export type AskMode = 'fresh' | 'forked' | 'resumed' | 'repair';

/** The reply of an agent as text, before onceover parses the answer in it. */
export type AgentReply = {
  readonly text: string;
  /**
   * The answer as a JSON value, from an agent that returns structured answers in a field of their own; else
   * `undefined`.
   */
  readonly structured: unknown;
  readonly sessionId: string | null;
  readonly usage: Usage | null;
  /**
   * Usage of the whole session, from agents that report only this sum. The usage of the next call is then the increase
   * of this sum.
   */
  readonly sessionUsage: Usage | null;
  /** Paths of the files that the agent opened; `null` if the agent's events do not name them. */
  readonly filesRead: readonly string[] | null;
  /** Figures about the requests that the agent sent to its model; left out if its events do not show them. */
  readonly requests?: RequestFigures;
  /** Each request to the model with its usage; left out if the agent reports only sums. */
  readonly turns?: readonly RequestTurn[];
};

/** One request that an agent sent to its model during a call: what the model did in reply, and the tokens and cost. */
export type RequestTurn = { readonly did: string; readonly usage: Usage };

/**
 * Figures about the requests that an agent sent to its model during one call. Each request contains the conversation so
 * far.
 */
export type RequestFigures = {
  /** The number of requests. */
  readonly count: number;
  /** Tokens of the first request that the provider read from its cache; `null` if unknown. */
  readonly firstRead: number | null;
  /** Tokens of the last request and of the model's answer to it; `null` if unknown. */
  readonly lastSent: number | null;
  readonly lastOutput: number | null;
  /** The number of tokens of the last request that are in the provider's cache now. Default: all of them. */
  readonly lastCached?: number;
};

/**
 * One call to an agent and its answer, as written to the log of a slot. A slot is one reviewer of a review: slot 1,
 * slot 2.
 */
export type TranscriptEntry = {
  readonly agent: string;
  readonly mode: AskMode;
  readonly sent: string;
  readonly said: string;
  readonly failure: AgentFailure | null;
  /** How often the agent repeated a failed request to its model service by itself; default: 0. */
  readonly retries?: number;
  /** Length in characters of the first part of the prompt, which is the same in several calls; default: 0. */
  readonly stableLength?: number;
  readonly usage?: Usage | null;
  readonly filesRead?: readonly string[] | null;
  readonly turns?: readonly RequestTurn[];
};

/**
 * The agent that does the work of a slot (a reviewer) or of a role in a review loop, and the agents that replace it if
 * it fails.
 */
export type Assigned = { readonly agent: string; readonly others: readonly string[] };

export type AgentSettings = {
  readonly model: string | null;
  /** The command line of a custom agent; `null` for other agents, such as Claude Code. */
  readonly command: readonly string[] | null;
  /** The command line of an agent that speaks the Agent Client Protocol (ACP); missing or `null` for other agents. */
  readonly acp?: readonly string[] | null;
  /** The settings of the model API that onceover calls itself; missing or `null` for an agent that is a program. */
  readonly api?: ApiSettings | null;
  /** The path of the program of a built-in agent, such as Claude Code; `null` to search PATH. */
  readonly path: string | null;
  readonly resume: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: boolean;
  readonly timeoutSeconds: number | null;
};

/** A reviewer that is not a program: onceover itself calls the API of a model provider. */
export type ApiSettings = {
  readonly dialect: 'anthropic' | 'openai';
  readonly model: string;
  /** The address of the API, without a final slash. The configuration rejects addresses that contain a key. */
  readonly baseUrl: string;
  /** Whether `baseUrl` is the address of the provider itself, and not of a gateway or a local server. */
  readonly isProvider: boolean;
  /** The API to call at OpenAI, or at a server compatible with it: Responses or Chat Completions. */
  readonly endpoint: 'responses' | 'chat';
  /** The name of the environment variable that contains the API key; `null` if the server needs no key. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The maximum number of tokens in one answer. */
  readonly maxOutputTokens: number;
  /**
   * `flex`: answers come more slowly at half the price. `batch`: each review is one question without tools, answered
   * within a day.
   */
  readonly tier: 'standard' | 'flex' | 'batch';
};

/** A function that returns the list price of a call in US dollars; `null` if the model or its price is unknown. */
export type PriceList = (used: {
  readonly agent: string;
  readonly model: string;
  readonly usage: Usage;
  readonly at: Date;
}) => number | null;

/**
 * The tests that an agent must pass before onceover resumes its sessions (V1 to V4) or forks them (V5). A fork starts
 * with a copy of a session; it must know what that session read before, and not what happened in it later.
 */
export type ProbeTest = 'V1' | 'V2' | 'V3' | 'V4' | 'V5';

/**
 * The result of testing whether an agent still knows its session after a resume (V1 to V4) and whether it can fork one
 * (V5).
 */
export type ResumeResult = {
  readonly agent: string;
  readonly version: string;
  /** The first of the tests V1 to V4 that failed, and how it failed; `null` if all four passed. */
  readonly failed: { readonly test: ProbeTest; readonly how: string } | null;
  /** Duration of the call that started the session; `null` if it was not measured. */
  readonly freshMs: number | null;
  /** Duration of the first call that resumed the session; `null` if it was not measured. */
  readonly resumedMs: number | null;
  /** How the test V5 failed; `null` if it passed. Left out if V5 did not run. */
  readonly forkFailed?: string | null;
};

/**
 * Whether onceover may resume sessions of an agent, and how it knows: from our tests, from a test on this machine (a
 * probe), or from onceover.yml.
 */
export type ResumeAbility =
  | { readonly kind: 'yes'; readonly from: 'tested' | 'probed' | 'config' }
  | { readonly kind: 'no'; readonly from: 'tested' | 'probed' | 'config'; readonly why: string }
  /**
   * This version of the agent was never tested, so onceover tests it before it resumes a session for the first time.
   */
  | { readonly kind: 'unknown' };

/** The session of an agent. It can be resumed only with the same agent, model, version and `toolsDigest`. */
export type Session = {
  readonly id: string;
  readonly agent: string;
  readonly model: string | null;
  readonly version: string;
  /**
   * Digest of the inputs that may not change in a session: tools, options, answer schema, and the reviewer's
   * instructions or the first part of the prompt.
   */
  readonly toolsDigest: string;
  /** Length in characters of the prompt that started the session. */
  readonly firstPromptLength: number;
  readonly saw: SnapshotId;
};

/** The facts from which onceover decides whether a call starts a new session or resumes the last one. */
export type DispatchFacts = {
  readonly who: 'reviewer' | 'implementer';
  /**
   * `any`: the facts decide. `fresh` (for example with `--fresh`) and `no-sessions` (sessions are not stored) force a
   * new session.
   */
  readonly wanted: 'any' | 'fresh' | 'no-sessions';
  /** The last session of this reviewer or implementer; `null` if there is none yet. */
  readonly session: Session | null;
  /** The agent that would be called now. To resume the session, these fields must be equal to those of the session. */
  readonly now: Pick<Session, 'agent' | 'model' | 'version' | 'toolsDigest'>;
  /** Whether sessions of this agent version can be resumed. */
  readonly canResume: boolean;
  /**
   * Missing data that prevents a resume: the session, its snapshot, or the full diff since that snapshot; `null` if
   * none is missing.
   */
  readonly lost: 'session' | 'snapshot' | 'diff' | null;
  readonly isFinalValidation: boolean;
  /** Whether the reviewed content changed since the session last saw it. */
  readonly changed: boolean;
  /**
   * Whether the provider's cache has expired, and whether a new session would cost less; `null` if cost does not matter
   * here.
   */
  readonly cost: { readonly cacheExpired: boolean; readonly freshIsCheaper: boolean } | null;
  /** Length in characters of the prompt that a resumed session would get: the changes since its last call. */
  readonly deltaLength: number;
  /**
   * Length in characters of the files that a new session would have to read; 0 if the setting `delta_guard` ignores
   * them.
   */
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
  'reading-continued',
] as const;

export const RESUME_REASONS = ['delta', 'final-validation'] as const;

/** The decision whether to start a new session or to resume the last one, with the reason. */
export type DispatchPlan =
  | { readonly kind: 'fresh'; readonly why: (typeof FRESH_REASONS)[number] }
  | { readonly kind: 'resumed'; readonly why: (typeof RESUME_REASONS)[number]; readonly session: Session };

/** The abilities of an agent, as measured with the agent version that onceover was tested with. */
export type Abilities = {
  /** Whether the agent has an option that enforces a JSON schema. */
  readonly schema: boolean;
  /**
   * How the agent is kept from writing: a list of allowed tools, its own sandbox, a copy of the files, or nothing (a
   * custom command).
   */
  readonly readOnly: 'tools' | 'own-sandbox' | 'copy' | 'nothing';
  /**
   * The calls that the reported usage covers: only this one, or the whole session so far. For a custom command, it is
   * whatever the command reports.
   */
  readonly usage: 'dispatch' | 'session' | 'if-told';
  /**
   * Whether the provider caches the first part of a prompt across sessions, so that a second new session can reuse it.
   */
  readonly stablePart: 'cached' | 'not-cached';
  /** When the agent runs the project's stop hook: always, in trusted folders, after the user allowed it, or never. */
  readonly stopHook: 'yes' | 'when-trusted' | 'when-allowed' | 'none';
  /**
   * Whether the agent can fork a session (start one with a copy of its conversation), and whether the provider has that
   * copy in its cache.
   */
  readonly fork: 'cached' | 'not-cached' | 'none';
};

/** The answer to a yes-or-no question, such as whether the user is logged in, with the reason in `why`. */
export type AccessState = { readonly state: 'yes' | 'no' | 'unknown'; readonly why: string | null };

/** An agent as installed on this machine. */
export type AgentReport = {
  readonly name: string;
  /** Path of the agent's program; `null` if it is not installed. */
  readonly program: string | null;
  readonly version: string | null;
  /** The version that onceover was tested with; `null` for a custom agent. */
  readonly testedVersion: string | null;
  readonly abilities: Abilities;
  readonly resume: ResumeAbility;
  readonly fork: ResumeAbility;
  /** Whether the user is logged in to the agent. */
  readonly login: AccessState;
  /** Whether the agent's model service answers. */
  readonly service: AccessState;
  /** The way to log in, as text for the user; `null` for a custom agent. */
  readonly logIn: string | null;
  /** The command that installs the agent; `null` for a custom agent. */
  readonly install: string | null;
};

/** A session as onceover stores it, to resume it later. */
export type KeptSession = Session & {
  /**
   * Digest of the first part of the first prompt. onceover stores that text, so that a resume can send the same bytes.
   */
  readonly stableDigest: string;
  /** Usage of the session so far, from agents that report only this sum; `null` for other agents. */
  readonly usedBefore: Usage | null;
  /** Tokens in the session's context. If the provider's cache has expired, a resume pays for them again. */
  readonly contextTokens: number | null;
  /** Uncached tokens of the session's first call, from which onceover estimates how many tokens a resume saves. */
  readonly freshTokens: number | null;
  readonly lastUsedAt: string;
  /** The assumed number of minutes from `lastUsedAt` until the provider's cache of the session expires. */
  readonly warmMinutes: number;
  /** Measured facts about how the provider caches this session; left out in records of older versions. */
  readonly cache?: SessionCache | undefined;
  /**
   * One entry for each changed file that the session saw: a short hash of its path, and one of its mode and content at
   * the base.
   */
  readonly shown: readonly string[];
};

/** Measured facts about how the provider caches a session, from which onceover estimates the cost of resuming it. */
export type SessionCache = {
  /** The provider and the model that answered; `null` if unknown. */
  readonly provider: string | null;
  readonly model: string | null;
  /** The cache lifetime that the last call requested. */
  readonly ttl: '5m' | '1h';
  /** Tokens of the last request, which the provider cached; `null` if unknown. */
  readonly sentTokens: number | null;
  /**
   * Tokens of the session's first call: those that were not cached, those that were, and how many of these another
   * session had cached.
   */
  readonly opening: {
    readonly uncached: number;
    readonly cached: number;
    readonly shared: number;
    readonly requests: number;
  } | null;
  /**
   * The last call that resumed the session: its requests, and the tokens that it added besides the prompt; `null` if
   * there was none.
   */
  readonly resumed: { readonly requests: number; readonly added: number } | null;
};

/** The assumption about the provider's cache that led to a new or a resumed session. */
export type CacheNote = Shaped<typeof CACHE_NOTE>;

/** The reason why a slot (one reviewer of a review) has no verdict. */
export type SlotTrouble =
  | { readonly kind: 'agent'; readonly agent: string; readonly failure: AgentFailure }
  | {
      readonly kind: 'no-agent';
      readonly wanted: readonly string[];
      readonly cooling: readonly Cooldown[];
      /** Those of the wanted agents whose program cannot be started. */
      readonly missing?: readonly MissingAgent[];
    }
  | { readonly kind: 'stale' }
  | { readonly kind: 'file-too-large'; readonly path: string; readonly characters: number; readonly limit: number }
  /** A changed file that reviewers cannot read, and that is not media; see `Readable`. */
  | { readonly kind: 'not-text'; readonly path: string }
  | { readonly kind: 'budget'; readonly what: 'usd' | 'dispatches' }
  | { readonly kind: 'author-agent'; readonly agent: string; readonly path: string };

/** A known agent whose program cannot be started: the file does not exist or is not executable. */
export type MissingAgent = {
  readonly name: string;
  /** The program's name or path as in the settings. */
  readonly program: string;
  readonly isFile: boolean;
  /** The command that installs the agent; `null` for a custom command. */
  readonly install: string | null;
};

/** An agent that has reached a usage limit, and the time at which the limit ends. */
export type Cooldown = { readonly agent: string; readonly until: Date; readonly said: string };
