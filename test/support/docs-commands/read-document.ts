import type { Told } from './commands.ts';

/** What the program has against a document of the docs, and the commands that are in it. */
export type ReadDocument = { readonly problems: readonly string[]; readonly told: readonly Told[] };

/** A document with these problems, which may be none. */
export function wrong(...problems: readonly string[]): ReadDocument {
  return { problems, told: [] };
}
