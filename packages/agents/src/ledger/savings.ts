import { estimateTokens, newTokens } from '@onceover/base/kernel/agent';
import { dispatchBy } from '@onceover/base/kernel/review-loops';
import type { LoopDispatch } from './entries.ts';

/**
 * Returns each resumed call with an estimate of the tokens that it saved: the uncached tokens that a new session would
 * have used, minus those that the call used. A new session is assumed to use as much as the session's first call did,
 * plus the growth of the prompt since.
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

/**
 * Pairs each call with the call that started its session in the same run of a phase; `null` if that call is unknown.
 */
export function withSessionStarts<T extends LoopDispatch>(dispatches: readonly T[]): readonly Beside<T>[] {
  const sessionPrompts = new Map<string, T>();
  return dispatches.map((dispatch) => {
    const key = JSON.stringify([dispatch.feature, dispatch.phase, dispatch.run, dispatch.role]);
    if (!isResumed(dispatch)) sessionPrompts.set(key, dispatch);
    return { one: dispatch, opening: sessionPrompts.get(key) ?? null };
  });
}

export function isResumed({ template }: LoopDispatch): boolean {
  return dispatchBy(template) === 'resumed';
}

/** Estimates by how many tokens the prompt for a new session has grown since this session started. */
export function grownBy({ freshChars }: LoopDispatch, opening: LoopDispatch): number {
  const growth = freshChars - opening.freshChars;
  return Math.sign(growth) * estimateTokens(Math.abs(growth));
}
