import { byCodePoint, inChunks } from '@onceover/base/kernel/collections';
import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import {
  type Base,
  type Changes,
  type Listing,
  type Repository,
  type RepositoryPaths,
  SUBMODULE,
} from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { pathExists } from '@onceover/base/platform/user-paths';
import { openAnswerCache } from './answer-cache.ts';
import { baseAndHead, baseTree, hasCommits, ifCommitted } from './base.ts';
import { type RawEntry, readRawDiff } from './diff/raw-diff.ts';
import { caseSensitivity, NO_USER_PROGRAMS, STRICT_STAT } from './environment.ts';
import { allEnded, asResult, git, readNulList, utf8Name } from './git.ts';
import { type IndexEnv, withIndexCopy } from './private-index.ts';
import { attributePlaces, type CallGit, hiddenFiles, mayConvert } from './scan/disk-bytes.ts';
import { changedTracked, pathSet, storeTracked } from './scan/tracked-changes.ts';

const RULE_FILE = '.deepreview';

/** A function that returns whether the name of any file may contain this text. Only the answer `false` is certain. */
export type MayHave = (part: string) => boolean;

/** Returns the `.deepreview` files in a commit. If `commit` is `null`, returns those that git tracks or would track. */
export async function listRuleFiles(
  { root, commonDir }: RepositoryPaths,
  commit: CommitId | null,
  mayHave: Promise<MayHave | null>,
): Promise<Result<readonly RepoPath[]>> {
  if (commit === null && (await mayHave)?.(RULE_FILE) === false) return ok([]);
  const present = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', `:(top,glob)**/${RULE_FILE}`];
  const config = [...NO_USER_PROGRAMS, ...caseSensitivity(commonDir)];
  const listing = await asResult(
    commit === null
      ? git(root, present, { env: { GIT_LITERAL_PATHSPECS: '0' }, config })
      : git(root, ['ls-tree', '-r', '-z', '--name-only', commit]),
  );
  return listing.ok
    ? ok([...new Set(readNulList(listing.value.stdout).names)].filter(isRuleFile) as RepoPath[])
    : listing;
}

/** Whether the file at this path is a `.deepreview` file. */
export function isRuleFile(path: string): boolean {
  return path === RULE_FILE || path.endsWith(`/${RULE_FILE}`);
}

/** Returns an object that reads a repository through git. It never writes to the user's index or files. */
export function openRepository(repo: RepositoryPaths): Repository {
  return {
    place: repo,
    changes: (requestedBase, onListing) => asResult(findChanges(repo, requestedBase, onListing)),
    listing: () => asResult(listingWithDeleted(repo)),
    known: (paths, requestedBase) => asResult(knownPaths(repo, paths, requestedBase)),
    ignores: (path) => asResult(isIgnored(repo, path)),
  };
}

async function findChanges(
  repo: RepositoryPaths,
  requestedBase: string | null,
  onListing?: (listing: Listing) => void,
): Promise<Changes> {
  const [diff, listing] = await allEnded([diffAgainstBase(repo, requestedBase), listFiles(repo, onListing)]);
  // `git diff` omits files with the flag assume-unchanged or skip-worktree. If there are any, clear the flags and ask
  // again.
  const whole = listing.unwatched.length === 0 ? diff : await diffFrom(repo, diff.base, listing.unwatched);
  const names = [...listing.tracked, ...(listing.leftOut ?? []), ...listing.unnameable.map(() => null)];
  const concealedPaths = mayConvert(repo, attributePlaces(names)) ? await hiddenPaths(repo, whole, listing) : [];
  return combine(repo, { ...whole, hidden: concealedPaths }, listing);
}

/** Returns the files whose bytes on disk git does not show in a diff: see `hiddenFiles`. */
async function hiddenPaths(repo: RepositoryPaths, diff: Diff, { unwatched }: Listing): Promise<readonly RepoPath[]> {
  return withWatchedIndex(repo, unwatched, async (env) => {
    const options = { env, config: STRICT_STAT };
    const ask: CallGit = (args, input) => git(repo.root, args, input === undefined ? options : { ...options, input });
    await storeTracked(ask, await changedTracked(ask, pathSet([])));
    const cache = openAnswerCache(repo);
    const files = await hiddenFiles(repo.root, ask, cache, diff.entries);
    cache.save();
    return files.flatMap(({ name }) => (utf8Name(name) as RepoPath | null) ?? []);
  });
}

async function listingWithDeleted(repo: RepositoryPaths) {
  const [listing, deletedListing] = await allEnded([listFiles(repo), git(repo.root, ['ls-files', '-z', '--deleted'])]);
  return { listing, deleted: readNulList(deletedListing.stdout).names as RepoPath[] };
}

async function knownPaths(
  repo: RepositoryPaths,
  paths: readonly RepoPath[],
  requestedBase: string | null,
): Promise<ReadonlySet<RepoPath>> {
  const trackedPaths = new Set<RepoPath>();
  if (!(await hasCommits(repo))) return trackedPaths;
  const baseResult = await asResult(baseAndHead(repo, requestedBase ?? repo.usualBase));
  for (const commit of ['HEAD', ...(baseResult.ok ? [baseResult.value.base.commit] : [])]) {
    for (const part of inChunks(paths)) {
      const answer = await git(repo.root, ['ls-tree', '-z', '--name-only', commit, '--', ...part]);
      for (const name of readNulList(answer.stdout).names) trackedPaths.add(name as RepoPath);
    }
  }
  return trackedPaths;
}

async function isIgnored(repo: RepositoryPaths, path: string): Promise<boolean> {
  // `git check-ignore` does not support literal paths. The "./" keeps git from giving characters of the path a special
  // meaning.
  const options = { expected: [0, 1], env: { GIT_LITERAL_PATHSPECS: '0' } };
  return (await git(repo.root, ['check-ignore', '--quiet', '--', `./${path}`], options)).code === 0;
}

/** The base of a change, and all differences between its merge-base and the working tree. */
type Diff = { readonly base: Base; readonly entries: readonly RawEntry[] };

/**
 * Returns the diff from the merge-base with the branch `requestedBase`; if it is `null`, with the default base branch.
 */
async function diffAgainstBase(repo: RepositoryPaths, requestedBase: string | null): Promise<Diff> {
  const footing = await ifCommitted(repo, baseAndHead(repo, requestedBase ?? repo.usualBase));
  return diffFrom(repo, footing?.base ?? null, []);
}

/**
 * Returns the diff from a base to the working tree, including files with flags that hide changes (`unwatchedPaths`).
 * Without a base, the diff is empty.
 */
async function diffFrom(repo: RepositoryPaths, base: Base, unwatchedPaths: readonly RepoPath[]): Promise<Diff> {
  if (base === null) return { base, entries: [] };
  const from = await baseTree(repo, base);
  return withWatchedIndex(repo, unwatchedPaths, async (env) => {
    const answer = await git(repo.root, [...DIFF, from, '--'], { env, config: STRICT_STAT });
    return { base, entries: readRawDiff(answer.stdout) };
  });
}

/**
 * Calls `work` with a copy of the user's index in which these files do not have the flags assume-unchanged and
 * skip-worktree.
 */
function withWatchedIndex<T>(
  repo: RepositoryPaths,
  unwatchedPaths: readonly RepoPath[],
  work: (env: IndexEnv) => Promise<T>,
): Promise<T> {
  return withIndexCopy(repo, async (env) => {
    for (const part of inChunks(unwatchedPaths)) {
      for (const flag of ['--no-assume-unchanged', '--no-skip-worktree']) {
        await git(repo.root, ['update-index', flag, '--', ...part], { env, config: NO_USER_PROGRAMS });
      }
    }
    return work(env);
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

async function listFiles(repo: RepositoryPaths, onListing?: (listing: Listing) => void): Promise<Listing> {
  const args = ['ls-files', '-z', '-v', '--cached', '--others', '--exclude-standard'];
  const answer = await git(repo.root, args, { config: [...STRICT_STAT, ...caseSensitivity(repo.commonDir)] });
  const listing = readListing(answer.stdout, repo);
  onListing?.(listing);
  return listing;
}

function readListing(output: Buffer, repo: RepositoryPaths): Listing {
  const { names, unnameable } = readNulList(output);
  const trackedPaths: RepoPath[] = [];
  const untrackedPaths: RepoPath[] = [];
  const nestedRepositories: RepoPath[] = [];
  const unwatchedPaths: RepoPath[] = [];
  const leftOut: RepoPath[] = [];
  for (const line of names) {
    const tag = line.charAt(0);
    const path = line.slice(2) as RepoPath;
    if (tag === '?') {
      // git lists an untracked repository as a folder with a final slash, without its files.
      if (path.endsWith('/')) nestedRepositories.push(path.slice(0, -1) as RepoPath);
      else untrackedPaths.push(path);
      continue;
    }
    const isUnwatched = tag === 'S' || tag >= 'a';
    // A missing file with the flag skip-worktree or assume-unchanged was left out by a sparse checkout, not deleted.
    if (isUnwatched && !pathExists(repo, path)) {
      leftOut.push(path);
      continue;
    }
    if (isUnwatched) unwatchedPaths.push(path);
    // During a merge, git lists a conflicting path several times, so add it only once.
    if (tag !== 'M' || trackedPaths.at(-1) !== path) trackedPaths.push(path);
  }
  return {
    tracked: trackedPaths,
    untracked: untrackedPaths,
    nested: nestedRepositories,
    unwatched: unwatchedPaths,
    ...(leftOut.length === 0 ? {} : { leftOut }),
    unnameable: unnameable.map((line) => line.slice(2)),
  };
}

function combine(
  repo: RepositoryPaths,
  diff: Diff & { readonly hidden: readonly RepoPath[] },
  listing: Listing,
): Changes {
  const changedPaths = new Set<RepoPath>([...listing.untracked, ...diff.hidden]);
  const submodules = new Set<RepoPath>(listing.nested);
  const deletedPaths = new Set<RepoPath>();
  for (const { paths, oldMode, newMode, status } of diff.entries) {
    const isSubmodule = newMode === SUBMODULE || (newMode === '000000' && oldMode === SUBMODULE);
    for (const path of paths) {
      if (isSubmodule) submodules.add(path);
      else if (status !== 'D') changedPaths.add(path);
      else if (!changedPaths.has(path)) deletedPaths.add(path);
    }
  }
  // If there are no commits yet, every tracked file counts as changed.
  if (diff.base === null) for (const path of listing.tracked) if (pathExists(repo, path)) changedPaths.add(path);
  for (const path of submodules) changedPaths.delete(path);
  const unnameable = [...new Set([listing, ...diff.entries].flatMap((part) => part.unnameable))];
  return {
    base: diff.base,
    changed: sortedPaths(changedPaths),
    deleted: sortedPaths(deletedPaths),
    submodules: sortedPaths(submodules),
    listing: { ...listing, unnameable },
  };
}

function sortedPaths(paths: Iterable<RepoPath>): RepoPath[] {
  return [...paths].sort(byCodePoint);
}
