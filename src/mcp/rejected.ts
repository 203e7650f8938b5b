import type { Failure } from '../domain/failure.ts';
import { tellFailure } from '../text/failure.ts';

/** A tool's answer to what it cannot do: a sentence on what happened and one on what to do. */
export function rejected(failure: Failure) {
  const { what, next } = tellFailure(failure);
  return { content: [{ type: 'text' as const, text: `${what}\n${next}` }], isError: true };
}
