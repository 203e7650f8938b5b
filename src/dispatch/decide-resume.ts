import {
  type Assigned,
  type DispatchFacts,
  type DispatchPlan,
  type KeptSession,
  newTokens,
  type Session,
  type Usage,
} from '../kernel/agent.ts';
import { digestOf } from '../kernel/ids.ts';

const CHARACTERS_PER_TOKEN = 4;

export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/**
 * Returns whether the provider's cache of a session has expired, and whether a new session would then be cheaper. After
 * expiry, resuming pays for the whole session again; a new session pays for its prompt and the files it reads.
 */
export function costAfterCacheExpiry(
  session: Pick<KeptSession, 'contextTokens' | 'freshTokens' | 'firstPromptLength' | 'lastUsedAt' | 'warmMinutes'>,
  lengths: { readonly delta: number; readonly fresh: number },
  now: Date,
): { readonly cacheExpired: boolean; readonly freshIsCheaper: boolean } {
  const since = now.getTime() - Date.parse(session.lastUsedAt);
  // Treat the cache as expired if the clock went backwards or the time is unreadable.
  const cacheExpired = !(since >= 0 && since < session.warmMinutes * 60_000);
  const grown = estimateTokens(lengths.fresh) - estimateTokens(session.firstPromptLength);
  const fresh = (session.freshTokens ?? estimateTokens(session.firstPromptLength)) + grown;
  const resumed = (session.contextTokens ?? estimateTokens(session.firstPromptLength)) + estimateTokens(lengths.delta);
  return { cacheExpired, freshIsCheaper: fresh < resumed };
}

/** Assigns `available[(k-1) mod n]` to slot k; `null` if no agent is available. */
export function assignAgents(slot: number, available: readonly string[]): Assigned | null {
  const agent = available[(slot - 1) % Math.max(1, available.length)];
  if (agent === undefined) return null;
  const at = available.indexOf(agent);
  return { agent, others: [...available.slice(at + 1), ...available.slice(0, at)] };
}

const FIVE_MINUTES_MS = 5 * 60_000;

/** Returns how long the provider should cache the prompt. `auto` means 1h if rounds are over five minutes apart. */
export function cacheTtl(setting: 'auto' | '5m' | '1h', gapMs: number | null): '5m' | '1h' {
  if (setting !== 'auto') return setting;
  return gapMs !== null && gapMs > FIVE_MINUTES_MS ? '1h' : '5m';
}

/** Returns the longest gap between two calls to one role in the last loop that has such a gap; `null` if none has. */
export function lastGap(
  dispatches: readonly {
    readonly run: string;
    readonly role: string;
    readonly at: string;
    readonly durationMs: number;
  }[],
): number | null {
  const runs = [...new Set(dispatches.map(({ run }) => run))].reverse();
  for (const run of runs) {
    const gaps: number[] = [];
    const ends = new Map<string, number>();
    for (const { role, at, durationMs } of dispatches.filter((one) => one.run === run)) {
      const end = Date.parse(at);
      const before = ends.get(role);
      if (before !== undefined) gaps.push(end - durationMs - before);
      ends.set(role, end);
    }
    if (gaps.length > 0) return Math.max(...gaps);
  }
  return null;
}

/** Decides between a new and a resumed session: the first rule that applies wins. */
export function decideDispatch(facts: DispatchFacts): DispatchPlan {
  const { session } = facts;
  if (facts.wanted !== 'any') return fresh('asked-for');
  if (session === null) return fresh('first-look');
  if (!isSame(session, facts.now)) return fresh('session-differs');
  if (!facts.canResume) return fresh('cannot-resume');
  if (facts.lost !== null) return fresh('session-lost');
  // Final validation must see every change, so the size guard does not apply to it.
  if (facts.isFinalValidation) return { kind: 'resumed', why: 'final-validation', session };
  // A fixer that changed nothing disputes the issues, so an unbiased review in a new session decides.
  if (facts.who === 'reviewer' && !facts.changed) return fresh('no-changes');
  if (facts.cost?.cacheExpired === true && facts.cost.freshIsCheaper) return fresh('resume-dearer');
  if (facts.deltaLength > deltaLimit(session, facts.mustReadLength)) return fresh('delta-too-large');
  return { kind: 'resumed', why: 'delta', session };
}

/** Returns how long a resumed prompt may be: half of the session's first prompt and of the files a new session must read. */
export function deltaLimit({ firstPromptLength }: Pick<Session, 'firstPromptLength'>, mustReadLength = 0): number {
  return (firstPromptLength + mustReadLength) / 2;
}

function fresh(why: Extract<DispatchPlan, { kind: 'fresh' }>['why']): DispatchPlan {
  return { kind: 'fresh', why };
}

function isSame(session: Session, now: DispatchFacts['now']): boolean {
  return (
    session.agent === now.agent &&
    session.model === now.model &&
    session.version === now.version &&
    session.toolsDigest === now.toolsDigest
  );
}

/** The part of a kept session that every call changes. */
export type SessionUse = Pick<
  KeptSession,
  'usedBefore' | 'contextTokens' | 'freshTokens' | 'lastUsedAt' | 'warmMinutes'
>;

/** Returns what to remember of a session after a call; `before` is `null` for a new session. */
export function sessionUse(
  before: Pick<SessionUse, 'contextTokens' | 'freshTokens'> | null,
  call: {
    readonly usage: Usage | null;
    readonly sessionUsage: Usage | null;
    readonly at: Date;
    readonly warmMinutes: number;
  },
): SessionUse {
  const added = call.usage === null ? null : newTokens(call.usage);
  const known = before?.contextTokens ?? null;
  return {
    usedBefore: call.sessionUsage,
    contextTokens: before === null ? added : known === null ? null : known + (added ?? 0),
    freshTokens: before === null ? added : before.freshTokens,
    lastUsedAt: call.at.toISOString(),
    warmMinutes: call.warmMinutes,
  };
}

/** Returns the digest of everything that a session starts with and cannot change later. */
export function sessionFingerprint(tools: string, schema: object, stable: string): string {
  return digestOf([tools, schema, stable]);
}
