import { byCodePoint, inChunks } from '../kernel/collections.ts';
import type { CommitId, RepoPath } from '../kernel/ids.ts';
import {
  type Base,
  type Changes,
  type Listing,
  type Repository,
  type RepositoryPaths,
  SUBMODULE,
} from '../kernel/repository.ts';
import { ok, type Result } from '../kernel/result.ts';
import { pathExists } from '../platform/user-paths.ts';
import { baseAndHead, baseTree, hasCommits } from './base.ts';
import { type RawEntry, readRawDiff } from './diff.ts';
import { caseSensitivity, NO_USER_PROGRAMS, STRICT_STAT } from './environment.ts';
import { git, readNulList } from './git.ts';
import { type IndexEnv, withIndexCopy } from './private-index.ts';

const RULE_FILE = '.deepreview';

/** Whether the name of any file may contain this text. `false` is certain, `true` is not. */
export type MayHave = (part: string) => boolean;

/**
 * Returns the `.deepreview` files of a commit. If `commit` is `null`, returns those in the working tree that git tracks
 * or would track.
 */
export async function listRuleFiles(
  repo: RepositoryPaths,
  commit: CommitId | null,
  mayHave: Promise<MayHave | null>,
): Promise<Result<readonly RepoPath[]>> {
  if (commit !== null) {
    const answer = await git(repo.root, ['ls-tree', '-r', '-z', '--name-only', commit]);
    return answer.ok ? ok(ruleFiles(answer.value.stdout)) : answer;
  }
  if ((await mayHave)?.(RULE_FILE) === false) return ok([]);
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', `:(top,glob)**/${RULE_FILE}`];
  const config = [...NO_USER_PROGRAMS, ...caseSensitivity(repo.commonDir)];
  const answer = await git(repo.root, args, { env: { GIT_LITERAL_PATHSPECS: '0' }, config });
  return answer.ok ? ok(ruleFiles(answer.value.stdout)) : answer;
}

/** Whether the file at this path is a `.deepreview` file. */
export function isRuleFile(path: string): boolean {
  return path === RULE_FILE || path.endsWith(`/${RULE_FILE}`);
}

function ruleFiles(output: Buffer): RepoPath[] {
  return [...new Set(readNulList(output).names)].filter(isRuleFile) as RepoPath[];
}

/** Opens the port that reads a repository through git. It never writes to the user's index or files. */
export function openRepository(repo: RepositoryPaths): Repository {
  return {
    place: repo,
    async changes(requested, onListing) {
      const [diff, listing] = await Promise.all([diffAgainstBase(repo, requested), listFiles(repo, onListing)]);
      if (!diff.ok) return diff;
      if (!listing.ok) return listing;
      const { unwatched } = listing.value;
      // `git diff` omits files with the flag assume-unchanged or skip-worktree, so a second diff clears the flags in a
      // copied index.
      const whole = unwatched.length === 0 ? diff : await diffFrom(repo, diff.value.base, unwatched);
      return whole.ok ? ok(combine(repo, whole.value, listing.value)) : whole;
    },
    async listing() {
      const [listing, deleted] = await Promise.all([listFiles(repo), git(repo.root, ['ls-files', '-z', '--deleted'])]);
      if (!listing.ok) return listing;
      if (!deleted.ok) return deleted;
      return ok({ listing: listing.value, deleted: readNulList(deleted.value.stdout).names as RepoPath[] });
    },
    async known(paths, requested) {
      const known = new Set<RepoPath>();
      if (!(await hasCommits(repo))) return ok(known);
      const found = await baseAndHead(repo, requested ?? repo.usualBase);
      for (const commit of ['HEAD', ...(found.ok ? [found.value.base.commit] : [])]) {
        for (const part of inChunks(paths)) {
          const answer = await git(repo.root, ['ls-tree', '-z', '--name-only', commit, '--', ...part]);
          if (!answer.ok) return answer;
          for (const name of readNulList(answer.value.stdout).names) known.add(name as RepoPath);
        }
      }
      return ok(known);
    },
    async ignores(path) {
      // `git check-ignore` does not support literal pathspecs. The "./" keeps git from giving the path a special
      // meaning.
      const env = { GIT_LITERAL_PATHSPECS: '0' };
      const answer = await git(repo.root, ['check-ignore', '--quiet', '--', `./${path}`], { expected: [0, 1], env });
      return answer.ok ? ok(answer.value.code === 0) : answer;
    },
  };
}

/** The base of a change, and all differences between its merge-base and the working tree. */
type Diff = { readonly base: Base; readonly entries: readonly RawEntry[] };

/**
 * Returns the diff against the merge-base with `requested`, or with the default base branch. Without commits, the diff
 * is empty.
 */
async function diffAgainstBase(repo: RepositoryPaths, requested: string | null): Promise<Result<Diff>> {
  const found = await baseAndHead(repo, requested ?? repo.usualBase);
  if (!found.ok) return (await hasCommits(repo)) ? found : ok({ base: null, entries: [] });
  return diffFrom(repo, found.value.base, []);
}

/**
 * Returns the diff from a base to the working tree. git compares the files in `unwatched` only after their index flags
 * are cleared.
 */
async function diffFrom(repo: RepositoryPaths, base: Base, unwatched: readonly RepoPath[]): Promise<Result<Diff>> {
  if (base === null) return ok({ base, entries: [] });
  const from = await baseTree(repo, base);
  if (!from.ok) return from;
  return withIndexCopy(repo, async (env) => {
    const watched = await rewatch(repo, unwatched, env);
    if (!watched.ok) return watched;
    const answer = await git(repo.root, [...DIFF, from.value, '--'], { env, config: STRICT_STAT });
    return answer.ok ? ok({ base, entries: readRawDiff(answer.value.stdout) }) : answer;
  });
}

/** Clears assume-unchanged and skip-worktree in a copied index, so that git compares these files again. */
async function rewatch(repo: RepositoryPaths, paths: readonly RepoPath[], env: IndexEnv): Promise<Result<void>> {
  for (const part of inChunks(paths)) {
    for (const flag of ['--no-assume-unchanged', '--no-skip-worktree']) {
      const answer = await git(repo.root, ['update-index', flag, '--', ...part], { env });
      if (!answer.ok) return answer;
    }
  }
  return ok(undefined);
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

async function listFiles(repo: RepositoryPaths, onListing?: (listing: Listing) => void): Promise<Result<Listing>> {
  const args = ['ls-files', '-z', '-v', '--cached', '--others', '--exclude-standard'];
  const answer = await git(repo.root, args, { config: [...STRICT_STAT, ...caseSensitivity(repo.commonDir)] });
  if (!answer.ok) return answer;
  const listing = readListing(answer.value.stdout, repo);
  onListing?.(listing);
  return ok(listing);
}

function readListing(output: Buffer, repo: RepositoryPaths): Listing {
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
      // git lists an untracked repository as a folder with a final slash, without its files.
      if (path.endsWith('/')) nested.push(path.slice(0, -1) as RepoPath);
      else untracked.push(path);
      continue;
    }
    const isUnwatched = tag === 'S' || tag >= 'a';
    // A file with the flag assume-unchanged or skip-worktree that is not on disk was left out by a sparse checkout, not
    // deleted.
    if (isUnwatched && !pathExists(repo, path)) {
      leftOut.push(path);
      continue;
    }
    if (isUnwatched) unwatched.push(path);
    // During a merge, git lists a conflicting path once per side, so add it only once.
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

function combine(repo: RepositoryPaths, diff: Diff, listing: Listing): Changes {
  const changed = new Set<RepoPath>(listing.untracked);
  const submodules = new Set<RepoPath>(listing.nested);
  const deleted = new Set<RepoPath>();
  for (const { paths, oldMode, newMode, status } of diff.entries) {
    const isSubmodule = newMode === SUBMODULE || (newMode === '000000' && oldMode === SUBMODULE);
    for (const path of paths) {
      if (isSubmodule) submodules.add(path);
      else if (status !== 'D') changed.add(path);
      else if (!changed.has(path)) deleted.add(path);
    }
  }
  // If there are no commits yet, every tracked file is a change.
  if (diff.base === null) for (const path of listing.tracked) if (pathExists(repo, path)) changed.add(path);
  for (const path of submodules) changed.delete(path);
  const unnameable = [...new Set([listing, ...diff.entries].flatMap((one) => one.unnameable))];
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
