import type { Failure } from '../kernel/failure.ts';

/** Returns what happened, as a sentence. The sentences of failures are loaded only if there is a failure. */
export async function failureMessage(failure: Failure): Promise<string> {
  return (await import('./describe-failure.ts')).describeFailure(failure).what;
}
