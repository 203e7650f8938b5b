/** Branches that a change is usually measured from, the most telling first. */
export const USUAL_BASES = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'] as const;

/** The first of the usual bases that the repository has; null where it has none. */
export function chooseBase(
  refs: ReadonlyMap<string, string>,
): { readonly name: string; readonly commit: string } | null {
  for (const name of USUAL_BASES) {
    const commit = refs.get(name);
    if (commit !== undefined) return { name, commit };
  }
  return null;
}
