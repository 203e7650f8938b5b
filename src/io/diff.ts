import type { CommitId, RepoPath } from '../domain/brand.ts';
import { type Base, type Place, SUBMODULE, USUAL_BASES } from '../domain/change.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { askByName } from './ambiguous.ts';
import { baseTree } from './base-tree.ts';
import { git } from './git.ts';
import { watchAgain, withIndexCopy } from './index-copy.ts';
import { readRawDiff } from './raw-diff.ts';
import { WATCHFUL } from './undisturbed.ts';

/** What differs between the merge-base and the working tree, as git sees it. */
export type Diff = {
  readonly base: Base;
  readonly entries: readonly DiffEntry[];
  readonly unnameable: readonly string[];
};

type DiffEntry = { readonly path: RepoPath; readonly status: string; readonly submodule: boolean };

const NO_COMMITS: Diff = { base: null, entries: [], unnameable: [] };

/** The diff against the merge-base with `asked`; in a repository without commits there is nothing to differ from. */
export async function diffAgainstBase(place: Place, asked: string | null): Promise<Result<Diff>> {
  const name = asked ?? place.usualBase;
  const base: Result<Base> =
    name === null ? failed({ kind: 'no-base', tried: USUAL_BASES }) : await mergeBaseWith(place, name);
  if (!base.ok) return (await hasCommits(place)) ? base : done(NO_COMMITS);
  return diffFrom(place, base.value, []);
}

/** The diff from a base; `unwatched` names files to look at although git was told not to. */
export async function diffFrom(place: Place, base: Base, unwatched: readonly RepoPath[]): Promise<Result<Diff>> {
  if (base === null) return done(NO_COMMITS);
  const from = await baseTree(place, base);
  if (!from.ok) return from;
  return withIndexCopy(place, async (env) => {
    const watched = unwatched.length === 0 ? done(undefined) : await watchAgain(place, unwatched, env);
    if (!watched.ok) return watched;
    const answer = await git(place.root, [...DIFF, from.value, '--'], { env, config: WATCHFUL });
    return answer.ok ? done({ base, ...combine(answer.value.stdout) }) : answer;
  });
}

const DIFF = [
  '-c',
  'diff.autoRefreshIndex=true',
  'diff',
  '--raw',
  '-z',
  '--no-renames',
  '--no-ext-diff',
  '--ignore-submodules=dirty',
];

/** The merge-base of HEAD with a branch or commit; an unknown name and unrelated histories are told apart. */
export async function mergeBaseWith(place: Place, name: string): Promise<Result<NonNullable<Base>>> {
  const unknown = failed({ kind: 'unknown-base', base: name } as const);
  if (!isName(name)) return unknown;
  const answer = await askByName(place.root, ['merge-base', '--all', `${name}^{commit}`, 'HEAD']);
  if (!answer.ok) return answer;
  const [commit = '', ...others] = answer.value.stdout.toString('utf8').trim().split('\n') as CommitId[];
  if (commit !== '') return done({ name, commit, ...(others.length === 0 ? {} : { others }) });
  if (answer.value.code === 1) return failed({ kind: 'no-merge-base', base: name, shallow: place.shallow });
  const known = await commitOf(place, name);
  if (!known.ok) return known;
  if (known.value === null) return unknown;
  return failed({ kind: 'git-failed', command: `git merge-base ${name} HEAD`, said: answer.value.stderr.trim() });
}

/** The commit that a branch or name stands for. */
export async function tipOf(place: Place, name: string): Promise<Result<CommitId>> {
  const commit = await commitOf(place, name);
  if (!commit.ok) return commit;
  return commit.value === null ? failed({ kind: 'unknown-base', base: name }) : done(commit.value);
}

/** The commit of that name; null where there is none. */
export async function commitOf(place: Place, name: string): Promise<Result<CommitId | null>> {
  if (!isName(name)) return done(null);
  const answer = await askByName(place.root, ['rev-parse', '--verify', `${name}^{commit}`]);
  if (!answer.ok) return answer;
  return done(answer.value.code === 0 ? (answer.value.stdout.toString('utf8').trim() as CommitId) : null);
}

/** Whether it may reach git: a name that looks like an option, or is none at all, must not. */
export function isName(name: string): boolean {
  return name !== '' && !name.startsWith('-') && !name.includes('\0');
}

/** Whether HEAD is a commit yet; where git cannot say, it is taken for one, and whoever asks more is told. */
export async function hasCommits(place: Place): Promise<boolean> {
  // Asked for its name alone: a commit that is lost is none that was never made.
  const head = await git(place.root, ['rev-parse', '--verify', '--quiet', 'HEAD'], { expected: [0, 1] });
  return !head.ok || head.value.code === 0;
}

function combine(output: Buffer): Omit<Diff, 'base'> {
  const entries: DiffEntry[] = [];
  const unnameable: string[] = [];
  for (const { paths, unnameable: odd, oldMode, newMode, status } of readRawDiff(output)) {
    const [path] = paths;
    const submodule = newMode === SUBMODULE || (newMode === '000000' && oldMode === SUBMODULE);
    if (path !== undefined) entries.push({ path, status, submodule });
    unnameable.push(...odd);
  }
  return { entries, unnameable };
}
