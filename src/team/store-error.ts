import type { Failure, StoreTrouble } from '../kernel/failure.ts';
import { err, ok, type Result } from '../kernel/result.ts';

/** An expected failure of the store for teams, which its functions throw. `storeResult` makes it a `Result`. */
export class StoreError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(JSON.stringify(failure));
    this.failure = failure;
  }
}

export function storeError(where: string, why: StoreTrouble, said: string): StoreError {
  return new StoreError({ kind: 'store-failed', where, why, said });
}

/** Returns the value of a promise, or the failure of the store with which it was rejected. */
export async function storeResult<T>(work: Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work);
  } catch (error) {
    if (error instanceof StoreError) return err(error.failure);
    throw error;
  }
}
