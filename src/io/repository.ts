import type { RepoPath } from '../domain/brand.ts';
import type { Changes, Listing, Place } from '../domain/change.ts';
import { byCodePoint } from '../domain/order.ts';
import type { Repository } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { type Diff, diffAgainstBase, diffFrom, hasCommits, mergeBaseWith } from './diff.ts';
import { git } from './git.ts';
import { inParts } from './in-parts.ts';
import { readNulList } from './nul-list.ts';
import { caseApart, WATCHFUL } from './undisturbed.ts';
import { isThere } from './user-path.ts';

/** The repository at `place`, read through git; nothing of the user's is ever written. */
export function openRepository(place: Place): Repository {
  return {
    place,
    async changes(asked, onListing) {
      const [diff, listing] = await Promise.all([diffAgainstBase(place, asked), listFiles(place, onListing)]);
      if (!diff.ok) return diff;
      if (!listing.ok) return listing;
      const { unwatched } = listing.value;
      // git's diff does not show what it was told to take as unchanged: then it is made once more, with eyes open.
      const whole = unwatched.length === 0 ? diff : await diffFrom(place, diff.value.base, unwatched);
      return whole.ok ? done(combine(place, whole.value, listing.value)) : whole;
    },
    async listing() {
      const [listing, deleted] = await Promise.all([
        listFiles(place),
        git(place.root, ['ls-files', '-z', '--deleted']),
      ]);
      if (!listing.ok) return listing;
      if (!deleted.ok) return deleted;
      return done({ listing: listing.value, deleted: readNulList(deleted.value.stdout).names as RepoPath[] });
    },
    async known(paths, asked) {
      const known = new Set<RepoPath>();
      if (!(await hasCommits(place))) return done(known);
      const base = asked ?? place.usualBase;
      const mergeBase = base === null ? null : await mergeBaseWith(place, base);
      for (const commit of ['HEAD', ...(mergeBase?.ok ? [mergeBase.value.commit] : [])]) {
        for (const part of inParts(paths)) {
          const answer = await git(place.root, ['ls-tree', '-z', '--name-only', commit, '--', ...part]);
          if (!answer.ok) return answer;
          for (const name of readNulList(answer.value.stdout).names) known.add(name as RepoPath);
        }
      }
      return done(known);
    },
    async ignores(path) {
      // This command knows no literal paths; one that begins with "./" has no magic.
      const env = { GIT_LITERAL_PATHSPECS: '0' };
      const answer = await git(place.root, ['check-ignore', '--quiet', '--', `./${path}`], { expected: [0, 1], env });
      return answer.ok ? done(answer.value.code === 0) : answer;
    },
  };
}

async function listFiles(place: Place, onListing?: (listing: Listing) => void): Promise<Result<Listing>> {
  const args = ['ls-files', '-z', '-v', '--cached', '--others', '--exclude-standard'];
  const answer = await git(place.root, args, { config: [...WATCHFUL, ...caseApart(place.commonDir)] });
  if (!answer.ok) return answer;
  const listing = readListing(answer.value.stdout, place);
  onListing?.(listing);
  return done(listing);
}

function readListing(output: Buffer, place: Place): Listing {
  const { names, unnameable } = readNulList(output);
  const tracked: RepoPath[] = [];
  const untracked: RepoPath[] = [];
  const nested: RepoPath[] = [];
  const unwatched: RepoPath[] = [];
  const leftOut: RepoPath[] = [];
  for (const line of names) {
    const tag = line.charAt(0);
    const path = line.slice(2) as RepoPath;
    if (tag === '?') {
      // git names an untracked repository inside this one, and not its files.
      if (path.endsWith('/')) nested.push(path.slice(0, -1) as RepoPath);
      else untracked.push(path);
      continue;
    }
    const isUnwatched = tag === 'S' || tag >= 'a';
    // In a sparse checkout, what is not on disk is not deleted: it is just not here.
    if (isUnwatched && !isThere(place, path)) {
      leftOut.push(path);
      continue;
    }
    if (isUnwatched) unwatched.push(path);
    // In the middle of a merge, git names a path once for each side.
    if (tag !== 'M' || tracked.at(-1) !== path) tracked.push(path);
  }
  return {
    tracked,
    untracked,
    nested,
    unwatched,
    ...(leftOut.length === 0 ? {} : { leftOut }),
    unnameable: unnameable.map((line) => line.slice(2)),
  };
}

function combine(place: Place, diff: Diff, listing: Listing): Changes {
  const changed = new Set<RepoPath>(listing.untracked);
  const submodules = new Set<RepoPath>(listing.nested);
  const deleted = new Set<RepoPath>();
  for (const entry of diff.entries) {
    if (entry.submodule) submodules.add(entry.path);
    else if (entry.status !== 'D') changed.add(entry.path);
    else if (!changed.has(entry.path)) deleted.add(entry.path);
  }
  if (diff.base === null) for (const path of listing.tracked) if (isThere(place, path)) changed.add(path);
  for (const path of submodules) changed.delete(path);
  const unnameable = [...new Set([...listing.unnameable, ...diff.unnameable])];
  return {
    base: diff.base,
    changed: sorted(changed),
    deleted: sorted(deleted),
    submodules: sorted(submodules),
    listing: { ...listing, unnameable },
  };
}

function sorted(paths: Iterable<RepoPath>): RepoPath[] {
  return [...paths].sort(byCodePoint);
}
