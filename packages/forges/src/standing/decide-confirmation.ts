import type { ForgeComment, PullAuthors } from '../types.ts';

/** The content of a confirmation: exactly this newest commit, and this target branch. */
export type ConfirmedChange = { readonly head: string; readonly base: string };

/** Returns the comment by which a person confirms a change. */
export function describeConfirmation({ head, base }: ConfirmedChange): string {
  return `/onceover confirm ${head} ${base}`;
}

/**
 * Returns the accounts whose comments confirm the change, the oldest first, without those that may not: programs, the
 * author of the pull request, and authors of its commits. If the forge does not know who wrote a commit, no one may,
 * because anyone could have written it. An edited comment does not count: others may have edited it.
 */
export function decideConfirmers(
  comments: readonly ForgeComment[],
  change: ConfirmedChange,
  authors: PullAuthors,
): readonly string[] {
  if (authors.author === null || authors.commits.some(({ isKnown }) => !isKnown)) return [];
  const writers = new Set([authors.author, ...authors.commits.flatMap(({ accounts }) => accounts)].map(folded));
  const confirmers = comments.flatMap(({ body, author, isEdited }) => {
    if (author === null || !author.isPerson || isEdited || !isConfirmation(body, change)) return [];
    return writers.has(folded(author.name)) ? [] : [author.name];
  });
  return [...new Set(confirmers)];
}

/** Whether a comment confirms the change, or could if its author may. */
export function isConfirmation(body: string, change: ConfirmedChange): boolean {
  return body.split(/\r?\n/, 1)[0]?.trimEnd() === describeConfirmation(change);
}

function folded(name: string): string {
  return name.toLowerCase();
}
