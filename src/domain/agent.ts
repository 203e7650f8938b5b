import type { Usage } from './usage.ts';

/** The agents that onceover knows, in the order in which they are preferred. */
export const AGENT_NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const;

/** Why an agent gave no answer that counts. */
export type AgentFailure =
  | { readonly kind: 'not-found'; readonly program: string }
  /** The repository holds something that the agent would load, and nothing is here to keep it from that. */
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

/** Why a text is no answer of the kind asked for. */
export type UnreadableAnswer = 'empty' | 'no-object' | 'truncated' | 'broken-json' | 'wrong-shape';

/** How an agent is asked: from the beginning, in its kept session, or once more for an answer that can be read. */
export type AskMode = 'fresh' | 'resumed' | 'repair';

/** What an agent sent back, before its answer is read. */
export type AgentReply = {
  readonly text: string;
  /** The answer in the field that the agent has for it; undefined where it has none or left it out. */
  readonly structured: unknown;
  readonly sessionId: string | null;
  /** What this dispatch used. */
  readonly usage: Usage | null;
  /** What its session has used so far, where the agent reports that instead: the next dispatch needs it. */
  readonly sessionUsage: Usage | null;
  /** Files that it was seen to open, where its events show that. */
  readonly filesRead: readonly string[] | null;
};

/** One question and what came back, as a slot's log has it. */
export type Exchange = {
  readonly agent: string;
  readonly mode: AskMode;
  readonly sent: string;
  readonly said: string;
  readonly failure: AgentFailure | null;
};

/** Who is asked in a slot or a role, and who takes over. */
export type Assigned = { readonly agent: string; readonly others: readonly string[] };
