import type { Failure } from './failure.ts';

/** A value, or an expected failure. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

export const err = (failure: Failure): { readonly ok: false; readonly failure: Failure } => ({ ok: false, failure });
