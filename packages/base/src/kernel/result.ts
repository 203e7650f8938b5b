import type { Failure } from './failure.ts';

/** A value, or an expected failure. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

/** Calls `work` for one item after the other. Stops at the first failure and returns it. */
export async function forEachOk<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<Result<unknown>>,
): Promise<Result<void>> {
  for (const item of items) {
    const result = await work(item);
    if (!result.ok) return result;
  }
  return ok(undefined);
}

export const err = (failure: Failure): { readonly ok: false; readonly failure: Failure } => ({ ok: false, failure });
