import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId, RepoPath } from '../domain/brand.ts';
import type { Base, Changes, Listing, Place } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Repository } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { type GitAnswer, git } from './git.ts';
import { readNulList } from './nul-list.ts';

/** How the base of a change is chosen; passed in so that the rule stays with the other rules. */
export type BaseChoice = {
  readonly usual: readonly string[];
  choose(refs: ReadonlyMap<string, string>): { readonly name: string; readonly commit: string } | null;
};

/** Finds the repository that holds `folder`. */
export async function findPlace(folder: string): Promise<Result<Place>> {
  const answer = await git(folder, [
    'rev-parse',
    '--path-format=absolute',
    '--show-toplevel',
    '--git-common-dir',
    '--is-shallow-repository',
    '--show-prefix',
  ]);
  if (!answer.ok) {
    if (answer.failure.kind !== 'git-failed') return answer;
    if (/not a git repository/i.test(answer.failure.said)) return failed({ kind: 'not-a-repository', folder });
    if (/must be run in a work tree/i.test(answer.failure.said)) return failed({ kind: 'bare-repository', folder });
    return answer;
  }
  const [root, commonDir, shallow, prefix] = answer.value.stdout.toString('utf8').split('\n');
  if (root === undefined || commonDir === undefined || root.startsWith('--')) return failed({ kind: 'git-too-old' });
  return done({ root, commonDir, shallow: shallow === 'true', prefix: (prefix ?? '').replace(/\/$/, '') });
}

/** The repository at `place`, read through git and never written. */
export function openRepository(place: Place, choice: BaseChoice): Repository {
  return {
    place,
    async changes(asked) {
      const [base, listing] = await Promise.all([diffAgainstBase(place, choice, asked), listFiles(place.root)]);
      if (!base.ok) return base;
      if (!listing.ok) return listing;
      return combine(place, base.value, listing.value);
    },
    listing: () => listFiles(place.root),
    async known(paths, asked) {
      const base = await findBase(place, choice, asked);
      const commits = ['HEAD', ...(base.ok && base.value !== null ? [base.value.commit] : [])];
      const known = new Set<RepoPath>();
      for (const commit of commits) {
        const answer = await git(place.root, ['ls-tree', '-z', '--name-only', commit, '--', ...paths], [0, 128]);
        if (!answer.ok) return answer;
        if (answer.value.code === 0) {
          for (const name of readNulList(answer.value.stdout).names) known.add(name as RepoPath);
        }
      }
      return done(known);
    },
  };
}

type Diff = { readonly base: Base; readonly entries: readonly DiffEntry[]; readonly unnameable: readonly string[] };
type DiffEntry = { readonly path: RepoPath; readonly status: string; readonly submodule: boolean };

async function diffAgainstBase(place: Place, choice: BaseChoice, asked: string | null): Promise<Result<Diff>> {
  const base = await findBase(place, choice, asked);
  if (!base.ok) return base;
  if (base.value === null) return done({ base: null, entries: [], unnameable: [] });
  const answer = await git(place.root, [
    'diff',
    '--raw',
    '-z',
    '--no-renames',
    '--no-ext-diff',
    '--no-relative',
    '--ignore-submodules=dirty',
    base.value.commit,
    '--',
  ]);
  if (!answer.ok) return answer;
  return done({ base: base.value, ...readRawDiff(answer.value.stdout) });
}

/** The merge-base with the base branch; null in a repository without commits. */
async function findBase(place: Place, choice: BaseChoice, asked: string | null): Promise<Result<Base>> {
  const base = asked === null ? await usualBase(place, choice) : await namedBase(place, asked);
  if (!base.ok) return (await hasCommits(place)) ? base : done(null);
  const { name, commit } = base.value;
  const answer = await git(place.root, ['merge-base', commit, 'HEAD'], [0, 1, 128]);
  if (!answer.ok) return answer;
  const mergeBase = answer.value.stdout.toString('utf8').trim();
  if (mergeBase !== '') return done({ name, commit: mergeBase as CommitId });
  if (!(await hasCommits(place))) return done(null);
  if (answer.value.code === 128) {
    return failed({ kind: 'git-failed', command: `git merge-base ${name} HEAD`, said: answer.value.stderr.trim() });
  }
  return failed({ kind: 'no-merge-base', base: name, shallow: place.shallow });
}

async function hasCommits(place: Place): Promise<boolean> {
  const answer = await git(place.root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], [0, 1, 128]);
  return !answer.ok || answer.value.code === 0;
}

async function usualBase(place: Place, choice: BaseChoice): Promise<Result<{ name: string; commit: string }>> {
  const answer = await git(place.root, [
    'for-each-ref',
    '--format=%(refname)%00%(objectname)',
    ...choice.usual.map((name) => (name.startsWith('origin/') ? `refs/remotes/${name}` : `refs/heads/${name}`)),
  ]);
  if (!answer.ok) return answer;
  const refs = new Map<string, string>();
  for (const line of answer.value.stdout.toString('utf8').split('\n')) {
    const [ref, commit] = line.split('\0');
    if (ref !== undefined && commit !== undefined) refs.set(ref.replace(/^refs\/(?:remotes|heads)\//, ''), commit);
  }
  const chosen = choice.choose(refs);
  return chosen === null ? failed({ kind: 'no-base', tried: choice.usual }) : done(chosen);
}

async function namedBase(place: Place, name: string): Promise<Result<{ name: string; commit: string }>> {
  const unknown = failed({ kind: 'unknown-base', base: name } as const);
  // A name that looks like an option must not reach git as one.
  if (name === '' || name.startsWith('-')) return unknown;
  const answer = await git(place.root, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], [0, 1, 128]);
  if (!answer.ok) return answer;
  const commit = answer.value.stdout.toString('utf8').trim();
  return answer.value.code === 0 && commit !== '' ? done({ name, commit }) : unknown;
}

function readRawDiff(output: Buffer): { entries: DiffEntry[]; unnameable: string[] } {
  const { names, unnameable } = readNulList(output);
  const entries: DiffEntry[] = [];
  for (let i = 0; i < names.length; i++) {
    const head = names[i] as string;
    // A header whose name is not UTF-8 is followed by the next header.
    const path = names[i + 1];
    if (!head.startsWith(':') || path === undefined || /^:\d{6} \d{6} /.test(path)) continue;
    const [oldMode, newMode, , , status] = head.slice(1).split(' ');
    i++;
    entries.push({
      path: path as RepoPath,
      status: (status ?? '').charAt(0),
      submodule: newMode === '160000' || (newMode === '000000' && oldMode === '160000'),
    });
  }
  return { entries, unnameable };
}

async function listFiles(root: string): Promise<Result<Listing>> {
  const [tracked, untracked] = await Promise.all([
    git(root, ['ls-files', '-z', '-v', '--cached']),
    git(root, ['ls-files', '-z', '--others', '--exclude-standard']),
  ]);
  if (!tracked.ok) return tracked;
  if (!untracked.ok) return untracked;
  return done(readListing(tracked.value, untracked.value));
}

function readListing(tracked: GitAnswer, untracked: GitAnswer): Listing {
  const cached = readNulList(tracked.stdout);
  const others = readNulList(untracked.stdout);
  const paths = new Set<RepoPath>();
  const unwatched: RepoPath[] = [];
  for (const line of cached.names) {
    const tag = line.charAt(0);
    const path = line.slice(2) as RepoPath;
    paths.add(path);
    if (tag === 'S' || tag !== tag.toUpperCase()) unwatched.push(path);
  }
  return {
    tracked: [...paths],
    untracked: others.names.filter((name) => !name.endsWith('/')) as RepoPath[],
    // git names an untracked repository inside this one with a slash at its end, and not its files.
    nested: others.names.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1) as RepoPath),
    unwatched,
    unnameable: [...cached.unnameable.map((name) => name.slice(2)), ...others.unnameable],
  };
}

async function combine(place: Place, diff: Diff, listing: Listing): Promise<Result<Changes>> {
  const changed = new Set<RepoPath>(listing.untracked);
  const submodules = new Set<RepoPath>(listing.nested);
  const deleted = new Set<RepoPath>();
  for (const entry of diff.entries) {
    if (entry.submodule) submodules.add(entry.path);
    else if (entry.status !== 'D') changed.add(entry.path);
    else if (!changed.has(entry.path)) deleted.add(entry.path);
  }
  if (diff.base === null) for (const path of listing.tracked) if (onDisk(place, path)) changed.add(path);
  const hidden = await changedUnseen(place, diff.base, listing.unwatched);
  if (!hidden.ok) return hidden;
  for (const path of hidden.value) changed.add(path);
  for (const path of submodules) changed.delete(path);
  const unnameable = [...new Set([...listing.unnameable, ...diff.unnameable])];
  return done({
    base: diff.base,
    changed: sorted(changed),
    deleted: sorted(deleted),
    submodules: sorted(submodules),
    listing: { ...listing, unnameable },
  });
}

/** Files that git was told to take as unchanged, and that are not: git's own diff does not show them. */
async function changedUnseen(place: Place, base: Base, unwatched: readonly RepoPath[]): Promise<Result<RepoPath[]>> {
  const present = unwatched.filter((path) => onDisk(place, path));
  if (base === null || present.length === 0) return done([]);
  const changed: RepoPath[] = [];
  for (let i = 0; i < present.length; i += 200) {
    const part = present.slice(i, i + 200);
    const [now, then] = await Promise.all([
      git(place.root, ['hash-object', '--', ...part]),
      git(place.root, ['ls-tree', '-z', base.commit, '--', ...part]),
    ]);
    if (!now.ok) return now;
    if (!then.ok) return then;
    const blobs = now.value.stdout.toString('utf8').trim().split('\n');
    const before = new Map<string, string>();
    for (const line of readNulList(then.value.stdout).names) {
      const [meta, path] = line.split('\t');
      before.set(path ?? '', (meta ?? '').split(' ')[2] ?? '');
    }
    part.forEach((path, n) => {
      if (before.get(path) !== blobs[n]) changed.push(path);
    });
  }
  return done(changed);
}

function onDisk(place: Place, path: RepoPath): boolean {
  return lstatSync(join(place.root, path), { throwIfNoEntry: false }) !== undefined;
}

function sorted(paths: Iterable<RepoPath>): RepoPath[] {
  return [...paths].sort(byCodePoint);
}
