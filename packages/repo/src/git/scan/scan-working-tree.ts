import { existsSync, lstatSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { byCodePoint } from '@onceover/base/kernel/collections';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { folderOf } from '@onceover/base/kernel/paths';
import {
  type Comparison,
  LARGEST_UNTRACKED_BYTES,
  looksSecret,
  type OmittedFiles,
  type RepositoryPaths,
  type WithheldFile,
} from '@onceover/base/kernel/repository';
import { checkFolder } from '@onceover/base/platform/files';
import { type AnswerCache, cacheBase, openAnswerCache } from '../answer-cache.ts';
import { readRawDiff } from '../diff/raw-diff.ts';
import { NO_USER_PROGRAMS, withStrictStat } from '../environment.ts';
import { statFingerprints } from '../fingerprints.ts';
import { allEnded, asResult, git, type Names, readNulList, utf8Name } from '../git.ts';
import { checksumAt, type PrivateIndex } from '../private-index.ts';
import {
  type AttributePlaces,
  asLatin1,
  asNulList,
  attributePlaces,
  type CallGit,
  hiddenFiles,
  mayConvert,
  pathOnDisk,
} from './disk-bytes.ts';
import { indexEntries } from './index-format.ts';
import { askWithoutSkips, changedTracked, type PathSet, pathSet, STORE, storeTracked } from './tracked-changes.ts';

/** Files that are not in the last commit: untracked files, and staged files even if git ignores them. */
type NewFiles = { readonly untracked: Names; readonly staged: Names };

type ClassifiedFiles = {
  /** Names of the files to add to the snapshot, with a NUL after each. */
  readonly add: Buffer;
  readonly withheld: readonly WithheldFile[];
  readonly unnameable: readonly string[];
};

/** Decides which new files are added to the snapshot and which are withheld from reviewers. */
async function classifyNewFiles(
  repo: RepositoryPaths,
  { untracked, staged }: NewFiles,
  omittedPaths: PathSet,
): Promise<ClassifiedFiles> {
  const add: string[] = [];
  const withheld: WithheldFile[] = [];
  const unnameable: string[] = [];

  const nestedRepositories = new Set<string>();
  const uncertain = new Set(staged.names.filter((name) => !omittedPaths.path(name)));
  for (const path of untracked.names.filter((name) => !omittedPaths.path(name))) {
    // git lists an untracked repository as a folder with a final slash.
    if (path.endsWith('/')) {
      nestedRepositories.add(path.slice(0, -1));
      uncertain.add(path.slice(0, -1));
      continue;
    }
    const why = uncertain.delete(path) ? null : reasonToWithhold(repo, asLatin1(path));
    if (why === null) add.push(asLatin1(path));
    else withheld.push({ path: path as RepoPath, why });
  }
  for (const path of uncertain) {
    const kind = await kindOnDisk(repo, path);
    if (kind === 'addable') add.push(asLatin1(path));
    else if (kind === 'folder' && nestedRepositories.has(path))
      withheld.push({ path: path as RepoPath, why: 'repository' });
  }
  const stagedUnnameable = new Set(staged.unnameable);
  for (const name of untracked.unnameable.filter((candidate) => !omittedPaths.bytes(candidate))) {
    const why = stagedUnnameable.has(name) ? null : reasonToWithhold(repo, name);
    if (why === null && !name.endsWith('/')) add.push(name);
    else unnameable.push(name);
  }
  withheld.sort((a, b) => byCodePoint(a.path, b.path));
  return { add: asNulList(add), withheld, unnameable };
}

function reasonToWithhold(repo: RepositoryPaths, name: string): WithheldFile['why'] | null {
  if (looksSecret(utf8Name(name) ?? name)) return 'secret';
  return (statOf(repo, name)?.size ?? 0) > LARGEST_UNTRACKED_BYTES ? 'too-large' : null;
}

// Returns `missing`, `folder` or `addable` for a path on disk. A file behind a symlink is outside the repository, so it
// counts as missing. git can add a folder only if it is a repository with a commit.
async function kindOnDisk(repo: RepositoryPaths, path: string): Promise<'addable' | 'missing' | 'folder'> {
  const folder = folderOf(path);
  if (folder !== '' && !checkFolder(repo.root, folder).ok) return 'missing';
  const stats = statOf(repo, asLatin1(path));
  if (stats?.isDirectory() !== true) return stats === null ? 'missing' : 'addable';
  const head = ['--git-dir', join(repo.root, path, '.git'), 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  const answer = await asResult(git(repo.root, head, { expected: [0, 1, 128] }));
  return answer.ok && answer.value.code === 0 ? 'addable' : 'folder';
}

// Returns the file's metadata; `null` if the file is missing or cannot be read. git reports an unreadable file later,
// when it adds the file.
function statOf(repo: RepositoryPaths, name: string): Stats | null {
  try {
    return lstatSync(pathOnDisk(repo.root, name), { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Returns the staged paths that are not in the commit `head`. `listed` is the output of git with their names. */
async function stagedNames(
  repo: RepositoryPaths,
  head: string,
  cache: AnswerCache,
): Promise<Names & { readonly listed: Buffer }> {
  // Compute the key before git reads the index. Otherwise an answer about an older index could be cached under the key
  // of a newer one.
  const key = `${head} ${Object.values(statFingerprints([repo.index])).join()}`;
  const diffOutput = await cache.getOrAsk('staged', key, () =>
    git(repo.root, [...DIFF_INDEX, '--diff-filter=AU', head, '--'], { config: NO_USER_PROGRAMS }),
  );
  const entries = readRawDiff(diffOutput);
  return {
    names: entries.flatMap(({ paths }) => paths),
    unnameable: entries.flatMap(({ unnameable }) => unnameable),
    listed: diffOutput,
  };
}

/**
 * Returns the names of the files that a sparse checkout leaves out. In the names, each character stands for one byte
 * (latin1).
 */
async function notCheckedOut(repo: RepositoryPaths): Promise<ReadonlySet<string>> {
  const answer = await git(repo.root, ['ls-files', '-z', '-t', '--cached'], { config: NO_USER_PROGRAMS });
  const lines = answer.stdout.toString('latin1').split('\0');
  return new Set(lines.filter((line) => line.startsWith('S ')).map((line) => line.slice(2)));
}

/**
 * Returns staged changes to files that a sparse checkout leaves out, in the format of `update-index --index-info`.
 * These files are not on disk, so their changes are only in the user's index.
 */
async function stagedElsewhere(repo: RepositoryPaths, head: string, elsewhere: ReadonlySet<string>): Promise<Buffer> {
  const answer = await git(repo.root, [...DIFF_INDEX, head, '--'], { config: NO_USER_PROGRAMS });
  const isLeftOut = (name: string) => elsewhere.has(name) && statOf(repo, name) === null;
  const lines = readRawDiff(answer.stdout).flatMap(({ newMode, newId, paths, unnameable }) => {
    const names = [...paths.map(asLatin1), ...unnameable];
    return newId === null ? [] : names.filter(isLeftOut).map((name) => `${newMode} ${newId}\t${name}\0`);
  });
  return Buffer.from(lines.join(''), 'latin1');
}

/** The differences from the base in git's raw format, with the files that are not in the snapshot. */
type ScannedTree = Pick<ClassifiedFiles, 'withheld' | 'unnameable'> & {
  readonly diff: Buffer;
  /** Whether the index has exactly the paths of the last commit. */
  readonly hasNames: boolean;
  /** Outputs of git that contain the names of the files that are not in the last commit. */
  readonly newNames: readonly Buffer[];
};

/**
 * Updates a private index to the state of the working tree, and returns the differences from the base. The paths come
 * from the last commit and not from the user's index, because the flags assume-unchanged and skip-worktree there would
 * hide changes.
 */
export async function scanWorkingTree(
  repo: RepositoryPaths,
  {
    comparison,
    omitted,
    index,
  }: { readonly comparison: Comparison; readonly omitted: OmittedFiles; readonly index: PrivateIndex },
): Promise<ScannedTree> {
  const options = { env: index.env, config: withStrictStat(repo.commonDir) };
  const ask: CallGit = (args, input) => git(repo.root, args, input === undefined ? options : { ...options, input });
  const { headCommit: commit } = comparison;
  const head = commit ?? comparison.baseTree;
  const reset = () => ask(commit === null ? ['read-tree', '--empty'] : ['read-tree', '-m', commit]);
  const omittedPaths = pathSet(omitted.folders);
  const update = async () => storeTracked(ask, await changedTracked(ask, omittedPaths));
  const listUntracked = () =>
    askWithoutSkips(ask, ['ls-files', '-z', '--others', '--exclude-standard', ATTRIBUTES_TOO]);

  const cache = openAnswerCache(repo);
  const path = index.env.GIT_INDEX_FILE;
  const isFirst = !existsSync(path);
  if (!index.hasNames) await reset();
  // A new index contains no file times. Without a refresh, every file would count as changed and be stored again.
  if (isFirst) await asResult(git(repo.root, ['update-index', '-q', '--refresh'], { ...options, expected: [0, 1] }));
  const [changedFiles, listing, stagedFiles] = await allEnded([
    changedTracked(ask, omittedPaths),
    listUntracked(),
    stagedNames(repo, head, cache),
  ]);
  const isMissing = (name: string) => statOf(repo, asLatin1(name)) === null;
  const isComplete = changedFiles.remove.length === 0 && !stagedFiles.names.some(isMissing);
  if (!isComplete) await storeTracked(ask, changedFiles);
  const hiddenNames = isComplete ? NONE : await restoreSparseFiles(repo, { ask, reset, update, head });
  // If a folder replaced a file, git lists the files in the folder only after the file has left the index, so list
  // again.
  const untrackedListing = isComplete ? listing : await listUntracked();

  const newFiles = { untracked: readNulList(untrackedListing.stdout), staged: stagedFiles };
  const { add, withheld, unnameable } = await classifyNewFiles(repo, newFiles, omittedPaths);
  const store = isComplete ? Buffer.concat([changedFiles.store, add]) : add;
  if (store.length > 0) await askWithoutSkips(ask, STORE, store);
  const askDiff = () => ask([...DIFF_INDEX, comparison.baseTree, '--']);
  let diff = await cache.getOrAsk('diff', `${checksumAt(path)} ${comparison.baseTree}`, askDiff);
  if (mayConvert(repo, cachedPlaces(cache, path))) {
    const entries = await storeBothTexts(ask, await hiddenFiles(repo.root, ask, cache, readRawDiff(diff)));
    await setEntries(ask, entries);
    if (entries.length > 0) diff = (await askDiff()).stdout;
  }
  if (comparison.scope.kind === 'full' && comparison.baseName !== null) cacheBase(cache, comparison.baseName);
  cache.save();
  await flag(ask, '--no-skip-worktree', hiddenNames);
  const newNames = [untrackedListing.stdout, stagedFiles.listed];
  return { withheld, unnameable, diff, newNames, hasNames: isComplete && add.length === 0 };
}

/**
 * Returns the paths at which git looks for attributes of the files in an index. They are cached under the checksum of
 * the index.
 */
function cachedPlaces(cache: AnswerCache, path: string): AttributePlaces {
  const checksum = checksumAt(path);
  const cachedAnswer = cache.get('attributes', checksum);
  if (cachedAnswer !== null) return JSON.parse(cachedAnswer.toString('utf8')) as AttributePlaces;
  const entries = indexEntries(readFileSync(path));
  const places = entries === null ? null : attributePlaces(entries.map(({ name }) => utf8Name(name)));
  if (places !== null) cache.put('attributes', checksum, Buffer.from(JSON.stringify(places), 'utf8'));
  return places;
}

/**
 * For each file, stores in git a text that contains both git's version and the bytes on disk. Returns entries for the
 * index.
 */
async function storeBothTexts(ask: CallGit, files: Awaited<ReturnType<typeof hiddenFiles>>): Promise<Buffer> {
  const entries: string[] = [];
  for (const { mode, name, shown } of files) {
    const answer = await ask(['hash-object', '-w', '--no-filters', '--stdin'], shown);
    entries.push(`${mode} ${answer.stdout.toString('utf8').trim()} 0\t${name}\0`);
  }
  return Buffer.from(entries.join(''), 'latin1');
}

type Steps = {
  readonly ask: CallGit;
  readonly reset: () => ReturnType<CallGit>;
  readonly update: () => Promise<void>;
  readonly head: string;
};

/**
 * Updates the index again, this time including the files that a sparse checkout leaves out. It sets their flag
 * skip-worktree, so that git does not remove them, and returns their names. The caller has to clear the flags.
 */
async function restoreSparseFiles(repo: RepositoryPaths, { ask, reset, update, head }: Steps): Promise<Buffer> {
  const elsewhere = await notCheckedOut(repo);
  if (elsewhere.size === 0) return NONE;
  await reset();
  const hiddenNames = await hide(ask, elsewhere);
  await update();
  await setEntries(ask, await stagedElsewhere(repo, head, elsewhere));
  return hiddenNames;
}

const NONE = Buffer.alloc(0);

/** Options for a raw diff with full object ids and with submodules, whatever the user's settings are. */
export const RAW = ['--raw', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none'];

const DIFF_INDEX = ['diff-index', '--cached', ...RAW];

// git uses a `.gitattributes` file even if it ignores that file, so list ignored ones too.
const ATTRIBUTES_TOO = '--exclude=!.gitattributes';

async function setEntries(ask: CallGit, entries: Buffer): Promise<void> {
  if (entries.length > 0) await ask(['update-index', '-z', '--index-info'], entries);
}

// Sets the flag skip-worktree of files that a sparse checkout leaves out, so that an update does not remove them from
// the index. The flag must be cleared after the scan, because it would hide a later deletion.
async function hide(ask: CallGit, elsewhere: ReadonlySet<string>): Promise<Buffer> {
  const missing = await ask(['ls-files', '-z', '--deleted']);
  const names = missing.stdout.toString('latin1').split('\0');
  return flag(ask, '--skip-worktree', asNulList(names.filter((name) => elsewhere.has(name))));
}

async function flag(ask: CallGit, option: string, names: Buffer): Promise<Buffer> {
  if (names.length > 0) await ask(['update-index', option, '-z', '--stdin'], names);
  return names;
}
