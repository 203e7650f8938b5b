import { estimateTokens } from '../dispatch/decide-resume.ts';
import { newTokens } from '../kernel/agent.ts';
import { dispatchBy } from '../kernel/review-loops.ts';
import type { LoopDispatch } from './entries.ts';

/**
 * Estimates the tokens that resuming saved: the uncached tokens of the first call of the session, plus the growth of
 * its prompt, minus the tokens of the resumed call.
 */
export function savedByResuming<T extends LoopDispatch>(
  dispatches: readonly T[],
): readonly { readonly one: T; readonly tokens: number }[] {
  return withSessionStarts(dispatches)
    .filter(({ one }) => isResumed(one))
    .map(({ one, opening }) => {
      if (one.usage === null || opening === null || opening.usage === null) return { one, tokens: 0 };
      return { one, tokens: Math.max(0, newTokens(opening.usage) + grownBy(one, opening) - newTokens(one.usage)) };
    });
}

export type Beside<T> = { readonly one: T; readonly opening: T | null };

/** Returns each call with the call that started its session, within the same run of the phase. */
export function withSessionStarts<T extends LoopDispatch>(dispatches: readonly T[]): readonly Beside<T>[] {
  const openings = new Map<string, T>();
  return dispatches.map((one) => {
    const key = JSON.stringify([one.feature, one.phase, one.run, one.role]);
    if (!isResumed(one)) openings.set(key, one);
    return { one, opening: openings.get(key) ?? null };
  });
}

export function isResumed({ template }: LoopDispatch): boolean {
  return dispatchBy(template) === 'resumed';
}

/** Estimates by how many tokens the prompt of a new session grew since the session started. */
export function grownBy({ freshChars }: LoopDispatch, opening: LoopDispatch): number {
  const grown = freshChars - opening.freshChars;
  return Math.sign(grown) * estimateTokens(Math.abs(grown));
}
