import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { byCodePoint } from '@onceover/base/kernel/collections';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type {
  Comparison,
  Entry,
  OmittedFiles,
  RepositoryPaths,
  Snapshot,
  Snapshots,
} from '@onceover/base/kernel/repository';
import { ok } from '@onceover/base/kernel/result';
import { checkFolder } from '@onceover/base/platform/files';
import { findComparison } from './comparison.ts';
import { readRawDiff } from './diff/raw-diff.ts';
import { diffSections } from './diff.ts';
import { NO_USER_PROGRAMS } from './environment.ts';
import { entryFingerprint, indexMayContain } from './fingerprints.ts';
import { asResult, GitError, git, objectId, orThrow, readNulList } from './git.ts';
import type { BaseAndHead } from './locate.ts';
import { treeOfIndex, withPrivateIndex } from './private-index.ts';
import { mayHaveRepositories } from './scan/index-format.ts';
import { RAW, scanWorkingTree } from './scan/scan-working-tree.ts';
import { pathSet } from './scan/tracked-changes.ts';
import { pinForOwner, pinSnapshot, prunePins } from './snapshot-refs.ts';
import { filesInTree, textInTree } from './tree-files.ts';

/** Takes a snapshot without writing to the user's files or index. The content of withheld files is not stored. */
async function takeSnapshot(
  repo: RepositoryPaths,
  comparison: Comparison,
  omittedFiles: OmittedFiles,
): Promise<Snapshot> {
  const { baseTree, headTree } = comparison;
  if (headTree !== null) {
    const diff = await git(repo.root, ['diff-tree', '-r', ...RAW, baseTree, headTree, '--']);
    return {
      ...readDiff(diff.stdout, comparison, omittedFiles),
      withheld: [],
      mayHave: () => true,
      tree: async () => ok(headTree),
    };
  }
  // For a folder behind a symlink, git fails with a message that does not name the folder, so check each folder first.
  for (const folder of omittedFiles.folders) orThrow(checkFolder(repo.root, folder));
  const { index, ...scan } = await withPrivateIndex(repo, comparison.headCommit, (privateIndex) =>
    scanWorkingTree(repo, { comparison, omitted: omittedFiles, index: privateIndex }),
  );
  // Few repositories have submodules, so load the code for them only if needed.
  const dirty = mayHaveRepositories(index)
    ? await (await import('./scan/unseen-content.ts')).dirtyRepositories(repo, index)
    : [];
  const diff = readDiff(scan.diff, comparison, omittedFiles);
  const comparedPaths = pathSet(comparison.files ?? ['']);
  let tree: ReturnType<Snapshot['tree']> | null = null;
  return {
    ...diff,
    dirty,
    withheld: scan.withheld.filter(({ path }) => comparedPaths.path(path)),
    unnameable: [...diff.unnameable, ...scan.unnameable.filter(comparedPaths.bytes)],
    mayHave: (part) => indexMayContain(index, part) || scan.newNames.some((names) => names.includes(part)),
    unseen: async () => asResult((await import('./scan/unseen-content.ts')).unseenContent(repo, index, scan.withheld)),
    tree() {
      tree ??= asResult(treeOfIndex(repo, index));
      return tree;
    },
  };
}

function readDiff(
  output: Buffer,
  comparison: Comparison,
  omittedFiles: OmittedFiles,
): { readonly entries: Entry[]; readonly unnameable: string[] } {
  const isOmitted = pathSet(omittedFiles.folders);
  const comparedPaths = pathSet(comparison.files ?? ['']);
  const entries: Entry[] = [];
  const unnameable: string[] = [];
  const committedOwnFiles: RepoPath[] = [];
  for (const { oldMode, newMode, oldId, newId, status, paths, unnameable: odd } of readRawDiff(output)) {
    unnameable.push(...odd.filter((name) => comparedPaths.bytes(name) && !isOmitted.bytes(name)));
    const mode = status === 'D' ? oldMode : newMode;
    const modes = oldId === null || oldMode === mode ? { mode } : { mode, baseMode: oldMode };
    for (const path of paths.filter((candidate) => comparedPaths.path(candidate))) {
      if (!isOmitted.path(path)) entries.push({ path, ...modes, baseBlob: oldId, headBlob: newId });
      else if (newId !== null) committedOwnFiles.push(path);
    }
  }
  // Reviewers do not see files in onceover's own folders, so a change must not add or edit any. Deleting some is
  // allowed.
  if (committedOwnFiles.length > 0) throw new GitError({ kind: 'own-files-committed', files: committedOwnFiles });
  return { entries: entries.sort((a, b) => byCodePoint(a.path, b.path)), unnameable };
}

/**
 * Returns an object that takes snapshots. The first call of `compare` uses `prefetchedBase`, if that is about the
 * requested base.
 */
export function openSnapshots(repo: RepositoryPaths, prefetchedBase: BaseAndHead | null = null): Snapshots {
  let unusedBase = prefetchedBase;
  return {
    compare(selection, usualBase) {
      const first = unusedBase;
      // Use the prefetched value only once, because the branches may change later.
      unusedBase = null;
      return asResult(findComparison(repo, selection, usualBase, first));
    },
    take: (comparison, omittedFiles) => asResult(takeSnapshot(repo, comparison, omittedFiles)),
    keep: (tree) => asResult(pinSnapshot(repo, tree)),
    prune: (keep) => asResult(prunePins(repo, keep)),
    hold: (owner, trees) => asResult(pinForOwner(repo, owner, trees)),
    sections: (from, to, contextLines) => asResult(diffSections(repo, { from, to }, { contextLines })),
    plainSections: (from, to, paths) => asResult(diffSections(repo, { from, to }, { paths })),
    changedFiles: (from, to) => asResult(changedFiles(repo, from, to)),
    branchMark: async (branch) => (await import('./branch-log.ts')).branchMark(repo, branch),
    onlyGrew: async (since, now) => asResult((await import('./branch-log.ts')).onlyGrew(repo, since, now)),
    filesIn: (tree, paths) => asResult(filesInTree(repo, tree, paths)),
    textIn: (tree, path) => asResult(textInTree(repo, tree, path)),
    touched(paths) {
      const hash = createHash('sha256');
      for (const path of paths) hash.update(`${path}\0${entryFingerprint(join(repo.root, path))}\0`);
      return hash.digest('hex');
    },
    trackedIn: (folder) => asResult(listedNames(repo, ['--', ...(folder === '' ? [] : [folder])])),
    files: () =>
      asResult(
        listedNames(repo, ['--cached', '--others', '--exclude-standard']).then((names) => [...names].sort(byCodePoint)),
      ),
  };
}

async function changedFiles(
  repo: RepositoryPaths,
  from: string,
  to: string,
): Promise<ReadonlyMap<RepoPath, string | null>> {
  const diff = await git(repo.root, ['diff-tree', '-r', ...RAW, objectId(from), objectId(to), '--']);
  return new Map(readRawDiff(diff.stdout).flatMap(({ paths, newId }) => paths.map((path) => [path, newId] as const)));
}

// Returns the names that git lists. git adds a slash to an untracked nested repository; the result has no such slash.
async function listedNames(repo: RepositoryPaths, options: readonly string[]): Promise<ReadonlySet<RepoPath>> {
  const answer = await git(repo.root, ['ls-files', '-z', ...options], { config: NO_USER_PROGRAMS });
  return new Set(readNulList(answer.stdout).names.map((name) => name.replace(/\/$/, '') as RepoPath));
}
