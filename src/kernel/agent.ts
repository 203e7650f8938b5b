import type { SnapshotId } from './ids.ts';
import type { CACHE_NOTE, Shaped, USAGE } from './shape.ts';

export type Usage = Shaped<typeof USAGE>;

/** Returns the sum of two usages. A `null` cost counts as 0; the sum of two `null` costs is `null`. */
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

/** Returns the tokens that a call added to its session: all tokens except those from the provider's cache. */
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
  /** `path` must be hidden from the agent or made read-only for it, but no sandbox is available. */
  | { readonly kind: 'unprotected'; readonly path: string }
  /** `logIn` says what a user does to log in, if it is known. */
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

/** The reason why reviewers do not fork a reading and start sessions of their own. */
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
  | 'wrong-shape';

/**
 * The kind of a call: in a new session, in a fork of another session, in a resumed session, or again because the
 * previous answer was unreadable.
 */
export type AskMode = 'fresh' | 'forked' | 'resumed' | 'repair';

/** The reply of an agent, before its answer is parsed. */
export type AgentReply = {
  readonly text: string;
  /** The JSON value of the agent's own field for structured answers; `undefined` if the agent has no such field. */
  readonly structured: unknown;
  readonly sessionId: string | null;
  readonly usage: Usage | null;
  /** Usage of the whole session, from agents that report only that; the next call subtracts it to get its own usage. */
  readonly sessionUsage: Usage | null;
  /** Paths of the files that the agent opened; `null` if the agent's events do not name them. */
  readonly filesRead: readonly string[] | null;
  /** The requests that the agent sent to its model; left out if its events do not show them. */
  readonly requests?: RequestFigures;
  /** Each request with its usage; left out if the agent reports only sums. */
  readonly turns?: readonly RequestTurn[];
};

/** One request of a call: what the model did in answer to it, and the usage of the request. */
export type RequestTurn = { readonly did: string; readonly usage: Usage };

/** The known facts about the requests of a call. Each request repeats everything before it. */
export type RequestFigures = {
  /** The number of requests. */
  readonly count: number;
  /** Tokens of the first request that came from the provider's cache; `null` if unknown. */
  readonly firstRead: number | null;
  /** Tokens of the last request, and of the answer to it; `null` if unknown. */
  readonly lastSent: number | null;
  readonly lastOutput: number | null;
  /** Tokens of the last request that are in the provider's cache now. Default: all. */
  readonly lastCached?: number;
};

/** One call and its answer, as written to the log of a slot. A slot is one reviewer of a review: slot 1, slot 2. */
export type TranscriptEntry = {
  readonly agent: string;
  readonly mode: AskMode;
  readonly sent: string;
  readonly said: string;
  readonly failure: AgentFailure | null;
  /** How often the agent repeated a request to its service by itself; default: 0. */
  readonly retries?: number;
  /** Length in characters of the stable part, with which the sent prompt starts; default: 0. */
  readonly stableLength?: number;
  readonly usage?: Usage | null;
  readonly filesRead?: readonly string[] | null;
  readonly turns?: readonly RequestTurn[];
};

/** The agent of a slot, or of a role in a review loop, and the agents that replace it if it fails. */
export type Assigned = { readonly agent: string; readonly others: readonly string[] };

export type AgentSettings = {
  readonly model: string | null;
  /** The command line of a custom agent; `null` for an agent that onceover supports itself. */
  readonly command: readonly string[] | null;
  /** The command line of an agent that speaks ACP; missing or `null` for other agents. */
  readonly acp?: readonly string[] | null;
  /** The model API that the agent calls, without a program; missing or `null` for an agent that is a program. */
  readonly api?: ApiSettings | null;
  /** Path of the agent's program, for an agent that onceover supports itself; `null` to search PATH. */
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
  /** The address of the API, without a final slash. It can contain no key. */
  readonly baseUrl: string;
  /** Whether this is the address of the provider itself, and not of a gateway or a local server. */
  readonly isProvider: boolean;
  /** The API of OpenAI and of compatible servers: Responses or Chat Completions. */
  readonly endpoint: 'responses' | 'chat';
  /** The name of the environment variable with the key; `null` if the server needs none. The key itself is never stored. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The most tokens that one answer may have. */
  readonly maxOutputTokens: number;
  /** For work that may wait. `flex`: slower at half the price. `batch`: one question without tools, within a day. */
  readonly tier: 'standard' | 'flex' | 'batch';
};

/** Returns the list price of a call in US dollars; `null` if the model or its price is unknown. */
export type PriceList = (used: {
  readonly agent: string;
  readonly model: string;
  readonly usage: Usage;
  readonly at: Date;
}) => number | null;

/**
 * The resume tests V1 to V4: four questions that an agent must answer correctly before onceover resumes its sessions.
 * V5 tests forks: a fork knows what its parent read, and not what its parent heard later.
 */
export type ProbeTest = 'V1' | 'V2' | 'V3' | 'V4' | 'V5';

/** The result of the resume tests V1 to V4, which test whether an agent still knows its session after a resume. */
export type ResumeResult = {
  readonly agent: string;
  readonly version: string;
  /** The first test that failed and its symptom; `null` if all four passed. */
  readonly failed: { readonly test: ProbeTest; readonly how: string } | null;
  /** Duration of the call that started the session; `null` if it was not measured. */
  readonly freshMs: number | null;
  /** Duration of the first call that resumed the session; `null` if it was not measured. */
  readonly resumedMs: number | null;
  /** The symptom with which V5 failed; `null` if it passed. Left out if V5 did not run. */
  readonly forkFailed?: string | null;
};

/**
 * Whether onceover may resume sessions of an agent, and how it knows: from our tests, a probe on this machine, or
 * onceover.yml.
 */
export type ResumeAbility =
  | { readonly kind: 'yes'; readonly from: 'tested' | 'probed' | 'config' }
  | { readonly kind: 'no'; readonly from: 'tested' | 'probed' | 'config'; readonly why: string }
  /** Neither our tests nor a probe covered this version, so onceover probes it before the first resume. */
  | { readonly kind: 'unknown' };

/** The session of an agent. It can be resumed only with the same agent, model, version and `toolsDigest`. */
export type Session = {
  readonly id: string;
  readonly agent: string;
  readonly model: string | null;
  readonly version: string;
  /** Digest of the inputs that stay the same in a session: tools, options, answer schema, rubric or stable prompt. */
  readonly toolsDigest: string;
  /** Length in characters of the prompt that started the session. */
  readonly firstPromptLength: number;
  readonly saw: SnapshotId;
};

/** The facts that decide between a new and a resumed session. */
export type DispatchFacts = {
  readonly who: 'reviewer' | 'implementer';
  /** `fresh` (for example with `--fresh`) and `no-sessions` (sessions are not kept) both mean a new session. */
  readonly wanted: 'any' | 'fresh' | 'no-sessions';
  /** The last session of this reviewer or implementer; `null` if there is none yet. */
  readonly session: Session | null;
  /** The agent that would be called now, with the facts that must equal those of the session. */
  readonly now: Pick<Session, 'agent' | 'model' | 'version' | 'toolsDigest'>;
  /** Whether sessions of this agent version can be resumed. */
  readonly canResume: boolean;
  /** Missing data that prevents a resume: the session, its snapshot, or a full diff since then; `null` if none. */
  readonly lost: 'session' | 'snapshot' | 'diff' | null;
  readonly isFinalValidation: boolean;
  /** Whether the reviewed content changed since the session last saw it. */
  readonly changed: boolean;
  /** Whether the provider's cache has expired and a new session costs less; `null` if the decision ignores cost. */
  readonly cost: { readonly cacheExpired: boolean; readonly freshIsCheaper: boolean } | null;
  /** Length in characters of the prompt that a resume would send. */
  readonly deltaLength: number;
  /** Length in characters of the files that a new session has to read; 0 if the setting `delta_guard` ignores them. */
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

/** The decision for a new or a resumed session, with its reason. */
export type DispatchPlan =
  | { readonly kind: 'fresh'; readonly why: (typeof FRESH_REASONS)[number] }
  | { readonly kind: 'resumed'; readonly why: (typeof RESUME_REASONS)[number]; readonly session: Session };

/** The abilities of an agent, as measured with the version that onceover was tested with. */
export type Abilities = {
  /** Whether the agent has an option that enforces a JSON schema. */
  readonly schema: boolean;
  /** How the agent is kept from writing: a list of tools, its own sandbox, a copy of the files, or nothing (a custom command). */
  readonly readOnly: 'tools' | 'own-sandbox' | 'copy' | 'nothing';
  /** The scope of the reported usage: this call, the session so far, or what a custom command reports. */
  readonly usage: 'dispatch' | 'session' | 'if-told';
  /** Whether new sessions share the provider's cache, so that the second one reuses the first part of the prompt. */
  readonly stablePart: 'cached' | 'not-cached';
  /** When the agent runs the project's stop hook: always, in trusted folders, after the user allowed it, or never. */
  readonly stopHook: 'yes' | 'when-trusted' | 'when-allowed' | 'none';
  /** Whether the agent can fork a session, and whether the provider's cache then contains the copied conversation. */
  readonly fork: 'cached' | 'not-cached' | 'none';
};

/** The answer to a question such as whether an agent is logged in, with the reason for the answer in `why`. */
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
  /** Whether the agent is logged in. */
  readonly login: AccessState;
  /** Whether the agent's model service answers. */
  readonly service: AccessState;
  /** The way to log in; `null` for a custom agent. */
  readonly logIn: string | null;
  /** The command that installs the agent; `null` for a custom agent. */
  readonly install: string | null;
};

/** A session as onceover stores it, to resume it later. */
export type KeptSession = Session & {
  /** Digest of the first prompt's stable part. onceover stores that text, so that a resume sends the same bytes. */
  readonly stableDigest: string;
  /** Usage of the session so far, from agents that report only that; `null` for other agents. */
  readonly usedBefore: Usage | null;
  /** Tokens in the session's context. A resume pays for them again if the provider's cache has expired. */
  readonly contextTokens: number | null;
  /** Tokens of the session's first call, without cached ones, to estimate the tokens that a resume saves. */
  readonly freshTokens: number | null;
  readonly lastUsedAt: string;
  /** Minutes after `lastUsedAt` until the provider's cache expires, as assumed when the session was used. */
  readonly warmMinutes: number;
  /** The measured facts about the provider's cache; left out in records of older versions. */
  readonly cache?: SessionCache | undefined;
  /** For each changed file that the session saw: short hashes of its path, and of its mode and content at the base. */
  readonly shown: readonly string[];
};

/** The measured facts of a session about the provider's cache, to estimate the cost of resuming it. */
export type SessionCache = {
  /** The agent's provider and the model that answered; `null` if unknown. */
  readonly provider: string | null;
  readonly model: string | null;
  /** The lifetime that the last call requested. */
  readonly ttl: '5m' | '1h';
  /** Tokens of the last request, which the provider cached; `null` if unknown. */
  readonly sentTokens: number | null;
  /** The session's first call: uncached tokens, cached tokens, and those of them that another session had cached. */
  readonly opening: {
    readonly uncached: number;
    readonly cached: number;
    readonly shared: number;
    readonly requests: number;
  } | null;
  /** The last resumed call: its requests, and the tokens that it added besides the prompt; `null` before the first. */
  readonly resumed: { readonly requests: number; readonly added: number } | null;
};

/** The assumption about the provider's cache when it chose between a new and a resumed session. */
export type CacheNote = Shaped<typeof CACHE_NOTE>;

/** The reason why a slot (a reviewer of a review) has no verdict. */
export type SlotTrouble =
  | { readonly kind: 'agent'; readonly agent: string; readonly failure: AgentFailure }
  | {
      readonly kind: 'no-agent';
      readonly wanted: readonly string[];
      readonly cooling: readonly Cooldown[];
      /** The wanted agents whose program cannot be started. */
      readonly missing?: readonly MissingAgent[];
    }
  | { readonly kind: 'stale' }
  | { readonly kind: 'file-too-large'; readonly path: string; readonly characters: number; readonly limit: number }
  | { readonly kind: 'budget'; readonly what: 'usd' | 'dispatches' }
  | { readonly kind: 'author-agent'; readonly agent: string; readonly path: string };

/** A known agent whose program cannot be started: it is not there, or it is a file that is not executable. */
export type MissingAgent = {
  readonly name: string;
  /** The program as the settings name it. */
  readonly program: string;
  readonly isFile: boolean;
  /** The command that installs the agent; `null` for a custom command. */
  readonly install: string | null;
};

/** An agent that has reached a usage limit, and the time at which the limit ends. */
export type Cooldown = { readonly agent: string; readonly until: Date; readonly said: string };
