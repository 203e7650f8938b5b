import { failed, type Result } from '../domain/result.ts';
import { type GitAnswer, git } from './git.ts';

/** With it git says in passing that several branches or tags have a name; it takes one of them, which may be anybody's. */
export const TELLING_NAMES = ['core.warnAmbiguousRefs=true'] as const;

/** Asks git something about a name; one that is not a single branch, tag or commit is a failure. */
export async function askByName(folder: string, question: readonly string[]): Promise<Result<GitAnswer>> {
  const answer = await git(folder, question, { expected: [0, 1, 128], config: TELLING_NAMES });
  const name = answer.ok ? ambiguousName(answer.value.stderr) : null;
  return name === null ? answer : failed({ kind: 'ambiguous-name', name });
}

/** The name that git found more than one branch or tag for, by what it said; HEAD is never another. */
export function ambiguousName(said: string): string | null {
  return /^warning: refname '(?!HEAD')(.*)' is ambiguous/m.exec(said)?.[1] ?? null;
}

/** Whether git left a branch out of a list of names because its short name is not its alone. */
export function isLeftOut(name: string, said: string): boolean {
  return said.split('\n').some((line) => line.startsWith(`error: refname '${name}' is ambiguous`));
}
