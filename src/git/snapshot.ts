import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { byCodePoint } from '../kernel/collections.ts';
import type { RepoPath } from '../kernel/ids.ts';
import type { Comparison, Entry, OmittedFiles, RepositoryPaths, Snapshot, Snapshots } from '../kernel/repository.ts';
import { ok, type Result } from '../kernel/result.ts';
import { checkFolder } from '../platform/files.ts';
import { entryFingerprint, indexMayContain } from './change-detection.ts';
import { findComparison } from './comparison.ts';
import { diffSections, readRawDiff } from './diff.ts';
import { NO_USER_PROGRAMS } from './environment.ts';
import { git, readNulList } from './git.ts';
import type { BaseAndHead } from './locate.ts';
import { mayHaveRepositories, treeOfIndex, withPrivateIndex } from './private-index.ts';
import { pathSet, RAW, scanWorkingTree } from './scan-working-tree.ts';
import { pinForOwner, pinSnapshot, prunePins } from './snapshot-refs.ts';
import { filesInTree, textInTree } from './tree-files.ts';

/**
 * Takes a snapshot without writing to the user's files or index. The content of withheld files is not stored in git.
 */
async function takeSnapshot(
  repo: RepositoryPaths,
  comparison: Comparison,
  omitted: OmittedFiles,
): Promise<Result<Snapshot>> {
  const { baseTree, headTree } = comparison;
  if (headTree !== null) {
    const diff = await git(repo.root, ['diff-tree', '-r', ...RAW, baseTree, headTree, '--']);
    if (!diff.ok) return diff;
    return ok({
      ...readDiff(diff.value.stdout, comparison, omitted),
      withheld: [],
      mayHave: () => true,
      tree: async () => ok(headTree),
    });
  }
  const scanned = await withPrivateIndex(repo, comparison.headCommit, (index) =>
    scanWorkingTree(repo, { comparison, omitted, index }),
  );
  if (!scanned.ok) return scanned;
  const { value, index } = scanned.value;
  // Few repositories have submodules, so the code for them is loaded only if needed.
  const dirty = mayHaveRepositories(index)
    ? await (await import('./submodules.ts')).dirtyRepositories(repo, index)
    : ok([]);
  if (!dirty.ok) return dirty;
  const diff = readDiff(value.diff, comparison, omitted);
  const wanted = pathSet(comparison.files ?? ['']);
  let tree: ReturnType<Snapshot['tree']> | null = null;
  return ok({
    ...diff,
    dirty: dirty.value,
    withheld: value.withheld.filter(({ path }) => wanted.path(path)),
    unnameable: [...diff.unnameable, ...value.unnameable.filter(wanted.bytes)],
    mayHave: (part) => indexMayContain(index, part) || value.newNames.some((names) => names.includes(part)),
    tree() {
      tree ??= treeOfIndex(repo, index);
      return tree;
    },
  });
}

function readDiff(
  output: Buffer,
  comparison: Comparison,
  omitted: OmittedFiles,
): { readonly entries: Entry[]; readonly unnameable: string[]; readonly left: RepoPath[] } {
  const isOmitted = pathSet(omitted.folders);
  const wanted = pathSet(comparison.files ?? ['']);
  const entries: Entry[] = [];
  const unnameable: string[] = [];
  const left: RepoPath[] = [];
  for (const { oldMode, newMode, oldId, newId, status, paths, unnameable: odd } of readRawDiff(output)) {
    unnameable.push(...odd.filter((name) => wanted.bytes(name) && !isOmitted.bytes(name)));
    const mode = status === 'D' ? oldMode : newMode;
    const modes = oldId === null || oldMode === mode ? { mode } : { mode, baseMode: oldMode };
    for (const path of paths.filter((one) => wanted.path(one))) {
      if (isOmitted.path(path)) left.push(path);
      else entries.push({ path, ...modes, baseBlob: oldId, headBlob: newId });
    }
  }
  return { entries: entries.sort((a, b) => byCodePoint(a.path, b.path)), unnameable, left };
}

/**
 * Opens the port for snapshots of a working tree. `prefetched` is a base and head that git has just reported; the first
 * `compare` uses it.
 */
export function openSnapshots(repo: RepositoryPaths, prefetched: BaseAndHead | null = null): Snapshots {
  let known = prefetched;
  return {
    compare(selection, usualBase) {
      const first = known;
      // The prefetched value is used only once, because the branches may change later.
      known = null;
      return findComparison(repo, selection, usualBase, first);
    },
    async take(comparison, omitted) {
      // git fails for an omitted folder behind a symlink without naming the folder, so check each folder first.
      for (const folder of comparison.headTree === null ? omitted.folders : []) {
        const checked = checkFolder(repo.root, folder);
        if (!checked.ok) return checked;
      }
      return takeSnapshot(repo, comparison, omitted);
    },
    keep: (tree) => pinSnapshot(repo, tree),
    prune: (keep) => prunePins(repo, keep),
    hold: (owner, trees) => pinForOwner(repo, owner, trees),
    sections: (from, to, contextLines) => diffSections(repo, { from, to }, { contextLines }),
    plainSections: (from, to, paths) => diffSections(repo, { from, to }, { paths }),
    filesIn: (tree, paths) => filesInTree(repo, tree, paths),
    textIn: (tree, path) => textInTree(repo, tree, path),
    touched(paths) {
      const hash = createHash('sha256');
      for (const path of paths) hash.update(`${path}\0${entryFingerprint(join(repo.root, path))}\0`);
      return hash.digest('hex');
    },
    async trackedIn(folder) {
      const answer = await git(repo.root, ['ls-files', '-z', '--', ...(folder === '' ? [] : [folder])], {
        config: NO_USER_PROGRAMS,
      });
      return answer.ok ? ok(new Set(readNulList(answer.value.stdout).names as RepoPath[])) : answer;
    },
    async files() {
      const answer = await git(repo.root, ALL_FILES, { config: NO_USER_PROGRAMS });
      if (!answer.ok) return answer;
      const names = readNulList(answer.value.stdout).names.map((name) => name.replace(/\/$/, '') as RepoPath);
      return ok([...new Set(names)].sort(byCodePoint));
    },
  };
}

const ALL_FILES = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
