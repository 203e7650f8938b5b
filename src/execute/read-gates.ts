import type { RepoPath } from '../domain/brand.ts';
import type { Snapshot } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { SETTINGS_FILE, type Settings } from '../domain/settings.ts';
import { entryFolder, matchesEntry } from '../plan/entry-point.ts';
import { type PlannedGates, planGates } from '../plan/gates.ts';
import { ruleRubric } from '../plan/rubric.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';

/** The gates that a look at the working tree asks for, and entry points that no file lies in. */
export async function gatesOf(
  ports: RunPorts,
  request: RunRequest,
  snapshot: Snapshot,
): Promise<Result<{ readonly planned: PlannedGates; readonly idle: readonly string[] }>> {
  const { settings, rules } = request;
  const changed = snapshot.entries.map(({ path }) => path);
  const maybeIdle = await withoutFolder(ports, settings.gates, changed);
  const wantsUnchanged = rules.some((rule) => rule.context.unchangedMatchingFiles);
  // The whole listing is long, and seldom asked for.
  const all = wantsUnchanged || maybeIdle.length > 0 ? await ports.snapshots.files() : done(changed);
  if (!all.ok) return all;
  const planned = planGates({
    settings: settings.gates,
    rules,
    entries: snapshot.entries,
    rubrics: request.rubrics,
    ruleRubric,
    unchanged: () => {
      const isChanged = new Set(changed);
      return all.value.filter((path) => !isChanged.has(path));
    },
  });
  const [duplicate] = planned.duplicates;
  if (duplicate !== undefined) {
    const what = { kind: 'bad-value', key: 'gates', said: `give the gate ${duplicate} more than once` } as const;
    return failed({ kind: 'broken-config', problems: [{ file: SETTINGS_FILE, line: 1, column: 1, what }] });
  }
  const idle = maybeIdle.filter((entry) => !matchesEntry(entry, all.value)).map(({ path }) => path);
  return done({ planned, idle });
}

/** Entry points without any change whose folder is not there either; of a pattern only a listing can tell. */
async function withoutFolder(
  ports: RunPorts,
  entries: Settings['gates'],
  changed: readonly RepoPath[],
): Promise<Settings['gates']> {
  const unchanged = entries.filter((entry) => !matchesEntry(entry, changed));
  const contents = ports.contents();
  const there = await Promise.all(
    unchanged.map(async (entry) => {
      const folder = entryFolder(entry);
      return folder !== null && (folder === '' || (await contents.exists(folder)) !== 'missing');
    }),
  );
  return unchanged.filter((_, n) => there[n] !== true);
}
