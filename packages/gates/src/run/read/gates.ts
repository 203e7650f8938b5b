import type { RepoPath } from '@onceover/base/kernel/ids';
import { isInside } from '@onceover/base/kernel/paths';
import type { Snapshot } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { SETTINGS_FILE, type Settings } from '@onceover/repo/config/settings';
import { entryFolder, type GateList, matchesEntry, planGates } from '../decide/gate-list.ts';
import type { RunPorts, RunRequest } from '../ports.ts';

/** Returns the gates that apply to a snapshot, and the paths in the settings that match no file. */
export async function gatesOf(
  ports: RunPorts,
  request: RunRequest,
  snapshot: Snapshot,
): Promise<Result<{ readonly planned: GateList; readonly idle: readonly string[] }>> {
  const { settings, rules, rubrics } = request;
  const { entries } = snapshot;
  const changedPaths = entries.map(({ path }) => path);
  const maybeIdle = await withoutFolder(ports, settings.gates, changedPaths);
  const needsUnchanged = rules.some((rule) => rule.context.unchangedMatchingFiles);
  // Listing all files is slow, so list them only if they are needed.
  const allPaths = needsUnchanged || maybeIdle.length > 0 ? await ports.snapshots.files() : ok(changedPaths);
  if (!allPaths.ok) return allPaths;
  const listUnchangedPaths = () => {
    const isChanged = new Set(changedPaths);
    return allPaths.value.filter((path) => !isChanged.has(path));
  };
  const gateList = planGates({ settings: settings.gates, rules, entries, rubrics, unchanged: listUnchangedPaths });
  const [duplicate] = gateList.duplicates;
  if (duplicate !== undefined) {
    const problem = { kind: 'bad-value', key: 'gates', said: `give the gate ${duplicate} more than once` } as const;
    return err({ kind: 'broken-config', problems: [{ file: SETTINGS_FILE, line: 1, column: 1, what: problem }] });
  }
  const idle = maybeIdle.filter((entry) => !matchesEntry(entry, allPaths.value)).map(({ path }) => path);
  return ok({ planned: gateList, idle });
}

/**
 * Returns the items of `gates` in the settings that have no changed file and may match no file at all: missing folders,
 * and all patterns.
 */
async function withoutFolder(
  ports: RunPorts,
  entries: Settings['gates'],
  changedPaths: readonly RepoPath[],
): Promise<Settings['gates']> {
  const unmatchedEntries = entries.filter((entry) => !matchesEntry(entry, changedPaths));
  const contents = ports.contents();
  const exists = await Promise.all(
    unmatchedEntries.map(async (entry) => {
      const folder = entryFolder(entry);
      return folder !== null && (folder === '' || (await contents.exists(folder)) !== 'missing');
    }),
  );
  return unmatchedEntries.filter((_, n) => exists[n] !== true);
}

/** Returns a requested path that does not exist, which is probably a typo; `null` if all exist. */
export async function unknownPath(
  ports: RunPorts,
  request: RunRequest,
  { entries }: Snapshot,
): Promise<RepoPath | null> {
  const { selection, paths } = request;
  const contents = ports.contents();
  for (const path of [...paths, ...(selection.kind === 'files' ? selection.files : [])]) {
    const isChanged = path === '' || entries.some((entry) => isInside(entry.path, path));
    if (!isChanged && (await contents.exists(path)) === 'missing') return path;
  }
  return null;
}
