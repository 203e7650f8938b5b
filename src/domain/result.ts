import type { Failure } from './failure.ts';

/** What a step gives back where trouble is to be expected. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export const done = <T>(value: T): Result<T> => ({ ok: true, value });

export const failed = (failure: Failure): { readonly ok: false; readonly failure: Failure } => ({ ok: false, failure });
