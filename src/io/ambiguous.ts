/** With it git says in passing that several branches or tags have a name; it takes one of them, which may be anybody's. */
export const TELLING_NAMES = ['core.warnAmbiguousRefs=true'] as const;

/** The name that git found more than one branch or tag for, by what it said; HEAD is never another. */
export function ambiguousName(said: string): string | null {
  return /^warning: refname '(?!HEAD')(.*)' is ambiguous/m.exec(said)?.[1] ?? null;
}

/** Whether git left a branch out of a list of names because its short name is not its alone. */
export function isLeftOut(name: string, said: string): boolean {
  return said.split('\n').some((line) => line.startsWith(`error: refname '${name}' is ambiguous`));
}
