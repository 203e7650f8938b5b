import type { Failure } from '../domain/failure.ts';
import { tellFailure } from '../text/failure.ts';

/** A tool's answer: the same in words and as a document, for clients that show only one of them. */
export function answered<Document>(text: string, structuredContent: Document) {
  return { content: [{ type: 'text' as const, text }], structuredContent };
}

/** A tool's answer to what it cannot do: a sentence on what happened and one on what to do. */
export function rejected(failure: Failure) {
  const { what, next } = tellFailure(failure);
  return { content: [{ type: 'text' as const, text: `${what}\n${next}` }], isError: true };
}

/** An answer with what is to be known beside it. */
export function withWarnings(text: string, warnings: readonly string[]): string {
  return [text, ...warnings.map((warning) => `Warning: ${warning}`)].join('\n\n');
}
