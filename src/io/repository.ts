import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId, RepoPath } from '../domain/brand.ts';
import { type Base, type Changes, type Listing, type Place, USUAL_BASES } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Repository } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { git } from './git.ts';
import { readNulList } from './nul-list.ts';

/** Finds the repository that holds `folder`. */
export async function findPlace(folder: string): Promise<Result<Place>> {
  const answer = await git(folder, [
    'rev-parse',
    '--path-format=absolute',
    '--show-toplevel',
    '--git-common-dir',
    '--is-shallow-repository',
    '--show-prefix',
    '--symbolic-full-name',
    ...USUAL_BASES.map(matchOne),
  ]);
  if (!answer.ok) {
    if (answer.failure.kind !== 'git-failed') return answer;
    if (/not a git repository/i.test(answer.failure.said)) return failed({ kind: 'not-a-repository', folder });
    if (/must be run in a work tree/i.test(answer.failure.said)) return failed({ kind: 'bare-repository', folder });
    return answer;
  }
  const [root, commonDir, shallow, prefix, firstRef] = answer.value.stdout.toString('utf8').split('\n');
  if (root === undefined || commonDir === undefined || root.startsWith('--')) return failed({ kind: 'git-too-old' });
  return done({
    root,
    commonDir,
    prefix: (prefix ?? '').replace(/\/$/, ''),
    shallow: shallow === 'true',
    usualBase: firstRef?.replace(/^refs\/(?:remotes|heads)\//, '') || null,
  });
}

// As a pattern, a branch that is not there is left out of git's answer instead of making it fail.
function matchOne(name: string): string {
  const pattern = `${name.slice(0, -1)}[${name.slice(-1)}]`;
  return name.startsWith('origin/') ? `--remotes=${pattern}` : `--branches=${pattern}`;
}

/** The repository at `place`, read through git and never written. */
export function openRepository(place: Place): Repository {
  return {
    place,
    async changes(asked) {
      const [diff, listing] = await Promise.all([diffAgainstBase(place, asked), listFiles(place.root)]);
      if (!diff.ok) return diff;
      if (!listing.ok) return listing;
      return combine(place, diff.value, listing.value);
    },
    listing: () => listFiles(place.root),
    async known(paths, asked) {
      const known = new Set<RepoPath>();
      const base = asked ?? place.usualBase;
      const mergeBase = base === null ? null : await findMergeBase(place, base);
      for (const commit of ['HEAD', ...(mergeBase?.ok ? [mergeBase.value] : [])]) {
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

const NO_COMMITS: Diff = { base: null, entries: [], unnameable: [] };

/** What differs from the merge-base; in a repository without commits there is nothing to differ from. */
async function diffAgainstBase(place: Place, asked: string | null): Promise<Result<Diff>> {
  const name = asked ?? place.usualBase;
  const diff = name === null ? failed({ kind: 'no-base', tried: USUAL_BASES }) : await diffAgainst(place, name);
  return diff.ok || (await hasCommits(place)) ? diff : done(NO_COMMITS);
}

async function diffAgainst(place: Place, name: string): Promise<Result<Diff>> {
  if (isOption(name)) return failed({ kind: 'unknown-base', base: name });
  const answer = await git(place.root, [...DIFF, '--merge-base', name, '--']);
  if (answer.ok) return done({ base: { name }, ...readRawDiff(answer.value.stdout) });
  // git says in one way that the base is unknown, that nothing is shared with it, and that something is broken.
  const mergeBase = await findMergeBase(place, name);
  return mergeBase.ok ? answer : mergeBase;
}

const DIFF = ['diff', '--raw', '-z', '--no-renames', '--no-ext-diff', '--no-relative', '--ignore-submodules=dirty'];

// A name that looks like an option must not reach git as one.
function isOption(name: string): boolean {
  return name === '' || name.startsWith('-');
}

async function findMergeBase(place: Place, name: string): Promise<Result<CommitId>> {
  const unknown = failed({ kind: 'unknown-base', base: name } as const);
  if (isOption(name)) return unknown;
  const base = await git(place.root, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], [0, 1, 128]);
  if (!base.ok) return base;
  if (base.value.code !== 0) return unknown;
  const answer = await git(place.root, ['merge-base', base.value.stdout.toString('utf8').trim(), 'HEAD'], [0, 1]);
  if (!answer.ok) return answer;
  const commit = answer.value.stdout.toString('utf8').trim();
  return commit === ''
    ? failed({ kind: 'no-merge-base', base: name, shallow: place.shallow })
    : done(commit as CommitId);
}

async function hasCommits(place: Place): Promise<boolean> {
  const answer = await git(place.root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], [0, 1, 128]);
  return !answer.ok || answer.value.code === 0;
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
  const answer = await git(root, ['ls-files', '-z', '-v', '--cached', '--others', '--exclude-standard']);
  return answer.ok ? done(readListing(answer.value.stdout)) : answer;
}

function readListing(output: Buffer): Listing {
  const { names, unnameable } = readNulList(output);
  const tracked: RepoPath[] = [];
  const untracked: RepoPath[] = [];
  const nested: RepoPath[] = [];
  const unwatched: RepoPath[] = [];
  for (const line of names) {
    const tag = line.charAt(0);
    const path = line.slice(2) as RepoPath;
    if (tag !== '?') {
      // In the middle of a merge, git names a path once for each side.
      if (tag !== 'M' || tracked.at(-1) !== path) tracked.push(path);
      if (tag === 'S' || tag >= 'a') unwatched.push(path);
    } else if (path.endsWith('/')) {
      // git names an untracked repository inside this one, and not its files.
      nested.push(path.slice(0, -1) as RepoPath);
    } else untracked.push(path);
  }
  return { tracked, untracked, nested, unwatched, unnameable: unnameable.map((line) => line.slice(2)) };
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
  const mergeBase = await findMergeBase(place, base.name);
  if (!mergeBase.ok) return mergeBase;
  const changed: RepoPath[] = [];
  for (let i = 0; i < present.length; i += 200) {
    const part = present.slice(i, i + 200);
    const [now, then] = await Promise.all([
      git(place.root, ['hash-object', '--', ...part]),
      git(place.root, ['ls-tree', '-z', mergeBase.value, '--', ...part]),
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
