import type { OmittedFiles, RepositoryPaths, Selection, Snapshot, Snapshots } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { type RunSettings, readSettings } from '@onceover/repo/config/effective-settings';
import { omittedFolders } from '@onceover/repo/config/settings';
import { cachedBase, openAnswerCache } from '@onceover/repo/git/answer-cache';
import { isRefName } from '@onceover/repo/git/base';
import { type BaseAndHead, findRepositoryWith, keepPrefetched } from '@onceover/repo/git/locate';
import { openSnapshots } from '@onceover/repo/git/snapshot';
import { findWorktreePaths } from '@onceover/repo/git/worktree-paths';

/**
 * While the program is still loading, starts to take a snapshot of the working tree (`first`). The first calls of
 * `compare` and `take` on the returned object return its results.
 */
export function prefetchSnapshot(
  snapshots: Snapshots,
  selection: Selection,
  usualBase: string | null,
  omittedFiles: OmittedFiles,
): { readonly snapshots: Snapshots; readonly first: Promise<Snapshot | null> } {
  const pendingComparison = snapshots.compare(selection, usualBase);
  const pendingSnapshot = pendingComparison.then((comparison) =>
    comparison.ok ? snapshots.take(comparison.value, omittedFiles) : null,
  );
  let isUsed = false;
  return {
    first: pendingSnapshot.then(
      (snapshot) => (snapshot?.ok === true ? snapshot.value : null),
      () => null,
    ),
    snapshots: {
      ...snapshots,
      compare: (...args) => (isUsed ? snapshots.compare(...args) : pendingComparison),
      async take(comparison, omittedNow) {
        const snapshot = isUsed ? null : await pendingSnapshot;
        isUsed = true;
        return snapshot ?? snapshots.take(comparison, omittedNow);
      },
    },
  };
}

type RunPrefetch = ReturnType<typeof prefetchSnapshot> & { readonly read: RunSettings };

/**
 * Returns the settings and the snapshot that were read ahead, if they fit this repository and selection; otherwise
 * reads them now.
 */
export async function takePrefetch(repository: RepositoryPaths, selection: Selection): Promise<Result<RunPrefetch>> {
  const pendingRun = runAhead;
  runAhead = null;
  const isDefault = selection.kind === 'change' && selection.base === null;
  return pendingRun !== null && pendingRun.repository === repository && isDefault
    ? pendingRun.run
    : start(repository, selection);
}

async function start(
  repository: RepositoryPaths,
  selection: Selection,
  footing: BaseAndHead | null = null,
): Promise<Result<RunPrefetch>> {
  const runSettings = await readSettings(repository, selection);
  if (!runSettings.ok) return runSettings;
  const { settings } = runSettings.value;
  const ahead = prefetchSnapshot(
    openSnapshots(repository, footing),
    selection,
    settings.base,
    omittedFolders(settings),
  );
  return ok({ read: runSettings.value, ...ahead });
}

let runAhead: { readonly repository: RepositoryPaths; readonly run: Promise<Result<RunPrefetch>> } | null = null;

/**
 * While the program is still loading, starts to locate the repository and, with `run`, to read settings and snapshot.
 */
export function prefetch({ run }: { readonly run: boolean }): void {
  const cwd = workingFolder();
  if (cwd === null) return;
  const worktree = run ? findWorktreePaths(cwd, process.env) : null;
  const base = worktree === null ? null : cachedBase(openAnswerCache(worktree));
  const pendingSearch = findRepositoryWith(cwd, base !== null && isRefName(base) ? base : null);
  const pendingRepository = pendingSearch.then((result) => {
    if (!result.ok) return result;
    const { place: repository, footing } = result.value;
    if (run)
      runAhead = { repository, run: withHandledRejection(start(repository, { kind: 'change', base: null }, footing)) };
    return ok(repository);
  });
  keepPrefetched({ cwd, place: withHandledRejection(pendingRepository) });
}

/** Keeps a rejected promise from ending the process before a caller awaits it. The caller still gets the rejection. */
function withHandledRejection<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/** Returns the current folder; `null` if it was deleted. The command itself reports that later. */
function workingFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}
