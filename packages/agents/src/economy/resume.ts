import {
  type DispatchFacts,
  type DispatchPlan,
  estimateTokens,
  type Session,
  totalTokens,
  type Usage,
} from '@onceover/base/kernel/agent';
import { digestOf } from '@onceover/base/kernel/ids';

/** The fields that must be equal in a session and in the agent that would resume it. */
const SAME = ['agent', 'model', 'version', 'toolsDigest'] as const;

/** Returns whether to start a new session or resume one. The first rule that applies decides. */
export function decideDispatch(facts: DispatchFacts): DispatchPlan {
  const { session } = facts;
  if (facts.wanted !== 'any') return fresh('asked-for');
  if (session === null) return fresh('first-look');
  if (SAME.some((key) => session[key] !== facts.now[key])) return fresh('session-differs');
  if (!facts.canResume) return fresh('cannot-resume');
  if (facts.lost !== null) return fresh('session-lost');
  // In the final validation (the last reviews of a loop), a reviewer must see every change, so the size limit of a
  // resumed prompt does not apply.
  if (facts.isFinalValidation) return { kind: 'resumed', why: 'final-validation', session };
  // If nothing changed, the agent that had to fix the issues disagrees with them. Let a new session decide, which does
  // not know the earlier opinion.
  if (facts.who === 'reviewer' && !facts.changed) return fresh('no-changes');
  if (facts.cost?.cacheExpired === true && facts.cost.freshIsCheaper) return fresh('resume-dearer');
  if (facts.deltaLength > deltaLimit(session, facts.mustReadLength)) return fresh('delta-too-large');
  return { kind: 'resumed', why: 'delta', session };
}

/** Returns the maximum length of the prompt that resumes a session: half of what a new session would have to read. */
export function deltaLimit({ firstPromptLength }: Pick<Session, 'firstPromptLength'>, mustReadLength = 0): number {
  return (firstPromptLength + mustReadLength) / 2;
}

function fresh(why: Extract<DispatchPlan, { kind: 'fresh' }>['why']): DispatchPlan {
  return { kind: 'fresh', why };
}

/**
 * Returns a message if the last call of a session sent so many tokens that a new session would be cheaper; otherwise
 * `null`. `calls` is the usage of each call. In the first call, the agent opened a file of `fileLength` characters.
 * `countsAll`: whether the usage of a call covers all its requests; if not, it may be that of the last request.
 */
export function resumedTooDear(
  calls: readonly (Usage | null)[],
  fileLength: number,
  countsAll: boolean,
): string | null {
  const [first = null, last = null] = [calls[0], calls.at(-1)];
  if (calls.length < 2 || first === null || last === null) return null;
  const answerTokens = calls.slice(0, -1).reduce((sum, usage) => sum + (usage?.outputTokens ?? 0), 0);
  // The limit must allow a session that contains the file once, but not one that contains it twice. With `countsAll`,
  // the tokens of the first call are those of at least two requests, of which one contained the file. Half of them
  // therefore contains about half of the file, so a whole file is added. Otherwise they are the tokens of the last
  // request, which contained the whole file, so half a file is added.
  const [start, addedLength] = countsAll ? [sentTokens(first) / 2, fileLength] : [sentTokens(first), fileLength / 2];
  const limit = Math.ceil(start) + estimateTokens(addedLength) + answerTokens;
  const lastSentTokens = sentTokens(last);
  return lastSentTokens <= limit
    ? null
    : `it sends more when it is resumed than it sent before: ${lastSentTokens} tokens instead of ${limit}`;
}

function sentTokens(usage: Usage): number {
  return totalTokens(usage) - usage.outputTokens;
}

/** Returns a digest of everything that must not change during a session: tools, answer schema and stable prompt. */
export function sessionFingerprint(tools: string, schema: object, stable: string): string {
  return digestOf([tools, schema, stable]);
}
