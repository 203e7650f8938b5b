import type { Failure, StoreTrouble } from '@onceover/base/kernel/failure';
import { err, ok, type Result } from '@onceover/base/kernel/result';

/**
 * An expected failure of the store for teams, thrown by functions of the store. `storeResult` turns it into a `Result`.
 */
export class StoreError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(JSON.stringify(failure));
    this.failure = failure;
  }
}

export function storeError(where: string, why: StoreTrouble, message: string): StoreError {
  return new StoreError({ kind: 'store-failed', where, why, said: message });
}

/**
 * Returns the promise's value, or the failure if the promise was rejected with a `StoreError`. Other errors are thrown.
 */
export async function storeResult<T>(work: Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work);
  } catch (error) {
    if (error instanceof StoreError) return err(error.failure);
    throw error;
  }
}
