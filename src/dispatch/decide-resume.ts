import {
  type Assigned,
  type DispatchFacts,
  type DispatchPlan,
  estimateTokens,
  type Session,
  totalTokens,
  type Usage,
} from '../kernel/agent.ts';
import { digestOf } from '../kernel/ids.ts';

/** Returns the agent of reviewer number `slot`, and the agents that may replace it; `null` if none is available. */
export function assignAgents(slot: number, available: readonly string[]): Assigned | null {
  const agent = available[(slot - 1) % Math.max(1, available.length)];
  if (agent === undefined) return null;
  const at = available.indexOf(agent);
  return { agent, others: [...available.slice(at + 1), ...available.slice(0, at)] };
}

/** The facts that must be equal when a session is resumed. */
const SAME = ['agent', 'model', 'version', 'toolsDigest'] as const;

/** Returns whether to start a new session or resume one. The first rule that applies decides. */
export function decideDispatch(facts: DispatchFacts): DispatchPlan {
  const { session } = facts;
  if (facts.wanted !== 'any') return fresh('asked-for');
  if (session === null) return fresh('first-look');
  if (SAME.some((key) => session[key] !== facts.now[key])) return fresh('session-differs');
  if (!facts.canResume) return fresh('cannot-resume');
  if (facts.lost !== null) return fresh('session-lost');
  // The final validation must see every change, so the limit on the size of a resumed prompt does not apply to it.
  if (facts.isFinalValidation) return { kind: 'resumed', why: 'final-validation', session };
  // If nothing changed, the fixer disputes the issues, so a new session without the earlier opinion decides.
  if (facts.who === 'reviewer' && !facts.changed) return fresh('no-changes');
  if (facts.cost?.cacheExpired === true && facts.cost.freshIsCheaper) return fresh('resume-dearer');
  if (facts.deltaLength > deltaLimit(session, facts.mustReadLength)) return fresh('delta-too-large');
  return { kind: 'resumed', why: 'delta', session };
}

/** Returns the maximum length of the prompt of a resumed session: half of what a new session would have to read. */
export function deltaLimit({ firstPromptLength }: Pick<Session, 'firstPromptLength'>, mustReadLength = 0): number {
  return (firstPromptLength + mustReadLength) / 2;
}

function fresh(why: Extract<DispatchPlan, { kind: 'fresh' }>['why']): DispatchPlan {
  return { kind: 'fresh', why };
}

/**
 * Returns a message if the last call of a session sent so many tokens that a new session would be cheaper; else `null`.
 * `calls` is the usage of each call. In the first call, the agent read a file of `fileLength` characters with a tool.
 * `countsAll` says whether the usage of a call covers all of its requests. Without it, it may be that of the last one.
 */
export function resumedTooDear(
  calls: readonly (Usage | null)[],
  fileLength: number,
  countsAll: boolean,
): string | null {
  const [first = null, last = null] = [calls[0], calls.at(-1)];
  if (calls.length < 2 || first === null || last === null) return null;
  const answered = calls.slice(0, -1).reduce((sum, one) => sum + (one?.outputTokens ?? 0), 0);
  // The first call sent at least two requests, one without the file and one with it, so half of its tokens contain half
  // of the file. With the file added, the limit is enough for a session that contains the file once, but not twice. The
  // last request of the first call contains all of the file, so half a file is added to it.
  const [start, added] = countsAll ? [sentTokens(first) / 2, fileLength] : [sentTokens(first), fileLength / 2];
  const most = Math.ceil(start) + estimateTokens(added) + answered;
  const sent = sentTokens(last);
  return sent <= most
    ? null
    : `it sends more when it is resumed than it sent before: ${sent} tokens instead of ${most}`;
}

function sentTokens(usage: Usage): number {
  return totalTokens(usage) - usage.outputTokens;
}

/** Returns a digest of everything that is fixed when a session starts: tools, answer schema and stable prompt. */
export function sessionFingerprint(tools: string, schema: object, stable: string): string {
  return digestOf([tools, schema, stable]);
}
