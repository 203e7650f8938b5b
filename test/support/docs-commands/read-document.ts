import type { Told } from './commands.ts';

/** The problems that the program reports for a document of the docs, and the commands in it. */
export type ReadDocument = { readonly problems: readonly string[]; readonly told: readonly Told[] };

/** A document with these problems, possibly none. */
export function wrong(...problems: readonly string[]): ReadDocument {
  return { problems, told: [] };
}
