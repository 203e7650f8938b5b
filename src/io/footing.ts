import type { CommitId } from '../domain/brand.ts';
import type { Base } from '../domain/change.ts';

/** What a change stands on: its merge-base with a branch or commit, the last commit, and the branch. */
export type Footing = {
  readonly base: NonNullable<Base>;
  readonly head: CommitId;
  readonly branch: string | null;
};

/** How `git rev-parse` is asked for it. Names that come after are given in full. */
export function askFooting(name: string): readonly string[] {
  return [`${name}^{commit}...HEAD`, ...ASK_BRANCH];
}

export const ASK_BRANCH = ['--symbolic-full-name', 'HEAD'] as const;

/** Reads the answer, and gives what follows it; null where there is no merge-base. */
export function readFooting(
  name: string,
  lines: readonly string[],
): { readonly footing: Footing; readonly rest: readonly string[] } | null {
  const [head = '', , ...more] = lines;
  const [first = ''] = more;
  if (!first.startsWith('^')) return null;
  const end = more.findIndex((line) => !line.startsWith('^'));
  const [branch = '', ...rest] = more.slice(end);
  const others = more.slice(1, end).map((line) => line.slice(1) as CommitId);
  const base = { name, commit: first.slice(1) as CommitId, ...(others.length === 0 ? {} : { others }) };
  return { footing: { base, head: head as CommitId, branch: branchOf(branch) }, rest };
}

/** The branch by its full name; null where HEAD is none. */
export function branchOf(line: string): string | null {
  return line === 'HEAD' || line === '' ? null : line;
}
