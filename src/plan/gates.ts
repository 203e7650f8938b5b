import type { RepoPath } from '../domain/brand.ts';
import type { CheckGate, Entry, Gate, GateId, ReviewGate, Rubric } from '../domain/gate.ts';
import { isInside } from '../domain/generated.ts';
import { compileGlob, type Glob, globMatches } from '../domain/glob.ts';
import { repoPath } from '../domain/repo-path.ts';
import type { Rule } from '../domain/rule.ts';
import type { EntrySettings } from '../domain/settings.ts';
import type { RuleTask } from '../domain/task.ts';
import { contentOf } from './content.ts';
import { planTasks } from './tasks.ts';

/** What the gates of a run are made of. */
export type GateSources = {
  readonly settings: readonly EntrySettings[];
  readonly rules: readonly Rule[];
  readonly entries: readonly Entry[];
  /** The rubric of each prompt file. */
  readonly rubrics: ReadonlyMap<RepoPath, Rubric>;
  ruleRubric(rule: Rule): Rubric;
  /** Files that did not change; asked for by few rules. */
  unchanged(): readonly RepoPath[];
};

export type PlannedGates = {
  readonly gates: readonly Gate[];
  /** Changed files that no review looks at. */
  readonly uncovered: readonly RepoPath[];
  /** Ids that more than one entry point gives. */
  readonly duplicates: readonly GateId[];
};

/** The gates that the change asks for: those of the entry points with entries, then one a task of the rules. */
export function planGates(sources: GateSources): PlannedGates {
  const gates = [...sources.settings.flatMap((entry) => entryGates(entry, sources)), ...ruleGates(sources)];
  const covered = new Set<RepoPath>();
  const ids = new Set<GateId>();
  const duplicates = new Set<GateId>();
  for (const gate of gates) {
    if (ids.has(gate.id)) duplicates.add(gate.id);
    ids.add(gate.id);
    if (gate.kind !== 'check') for (const { path } of gate.entries) covered.add(path);
  }
  return {
    gates,
    uncovered: sources.entries.map(({ path }) => path).filter((path) => !covered.has(path)),
    duplicates: [...duplicates],
  };
}

/** The ids of gates that are configured by name, whether or not anything changed there. */
export function configuredGates(
  settings: readonly EntrySettings[],
  rules: readonly Rule[],
): readonly Pick<Gate, 'id' | 'kind'>[] {
  const entries = settings.flatMap((entry) => {
    const path = compilePath(entry.path);
    if (path.kind === 'each') return [];
    const name = path.kind === 'all' ? '.' : path.kind === 'folder' ? path.folder : path.source;
    return [
      ...Object.keys(entry.checks).map((check) => ({ kind: 'check', id: `check:${name}:${check}` }) as const),
      ...Object.keys(entry.reviews).map((review) => ({ kind: 'review', id: `review:${name}:${review}` }) as const),
    ];
  });
  const together = rules
    .filter(({ strategy }) => strategy !== 'individual')
    .map((rule) => ({ kind: 'rule', id: `rule:${rule.folder === '' ? '.' : rule.folder}:${rule.name}` }) as const);
  return [...entries, ...together];
}

/** Whether any of the paths lies in the entry point. */
export function matchesEntry(entry: EntrySettings, paths: readonly RepoPath[]): boolean {
  const compiled = compilePath(entry.path);
  return paths.some((path) => entryName(compiled, path) !== null);
}

/** The folder or file that an entry point names; null where it is a pattern, or leads nowhere in the repository. */
export function entryFolder(entry: EntrySettings): RepoPath | null {
  const compiled = compilePath(entry.path);
  if (compiled.kind === 'glob') return null;
  return compiled.kind === 'all' ? ('' as RepoPath) : repoPath(compiled.folder);
}

function entryGates(entry: EntrySettings, sources: GateSources): Gate[] {
  return [...groupByEntry(entry, sources.entries)].flatMap(([name, entries]) => {
    const content = contentOf(entries);
    const checks = Object.entries(entry.checks).map(
      ([check, own]): CheckGate => ({
        kind: 'check',
        id: `check:${name}:${check}`,
        entry: name,
        name: check,
        command: own.run,
        timeoutSeconds: own.timeoutSeconds,
        entries,
      }),
    );
    const reviews = Object.entries(entry.reviews).flatMap(([review, own]): ReviewGate[] => {
      const rubric = sources.rubrics.get(own.prompt);
      if (rubric === undefined) return [];
      return [
        {
          kind: 'review',
          id: `review:${name}:${review}`,
          entry: name,
          name: review,
          numReviews: own.numReviews,
          agents: own.agents,
          timeoutSeconds: own.timeoutSeconds,
          rubric,
          entries,
          content,
          task: null,
        },
      ];
    });
    return [...checks, ...reviews];
  });
}

function groupByEntry(entry: EntrySettings, entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const path = compilePath(entry.path);
  const excludes = entry.exclude.map((source) => ({ source: plain(source), glob: compile(source) }));
  const groups = new Map<string, Entry[]>();
  for (const one of entries) {
    const name = entryName(path, one.path);
    if (name === null || excludes.some((exclude) => isExcluded(exclude, one.path))) continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  return groups;
}

/** What an entry point's path stands for. */
type EntryPath =
  | { readonly kind: 'all' }
  | { readonly kind: 'folder'; readonly folder: string }
  /** `packages/*`: an entry for each folder there. */
  | { readonly kind: 'each'; readonly folder: string }
  | { readonly kind: 'glob'; readonly source: string; readonly glob: Glob | null };

const GLOB = /[*?[\]{}]/;

function compilePath(written: string): EntryPath {
  const path = plain(written);
  if (path === '') return { kind: 'all' };
  if (!GLOB.test(path)) return { kind: 'folder', folder: path };
  const folder = path.endsWith('/*') ? path.slice(0, -2) : null;
  if (folder !== null && !GLOB.test(folder)) return { kind: 'each', folder };
  return { kind: 'glob', source: path, glob: compile(path) };
}

/** The name of the entry that a path belongs to; null where it belongs to none. */
function entryName(entry: EntryPath, path: RepoPath): string | null {
  switch (entry.kind) {
    case 'all':
      return '.';
    case 'folder':
      return isInside(path, entry.folder) ? entry.folder : null;
    case 'each': {
      if (!path.startsWith(`${entry.folder}/`)) return null;
      const end = path.indexOf('/', entry.folder.length + 1);
      return end === -1 ? null : path.slice(0, end);
    }
    case 'glob':
      return entry.glob !== null && globMatches(entry.glob, path) ? entry.source : null;
  }
}

function isExcluded(exclude: { readonly source: string; readonly glob: Glob | null }, path: RepoPath): boolean {
  if (exclude.source === '') return false;
  return isInside(path, exclude.source) || (exclude.glob !== null && globMatches(exclude.glob, path));
}

/** A path without "./" and "/" around it; '' is the whole repository. */
function plain(path: string): string {
  return repoPath(path) ?? path;
}

// Globs were checked when the settings were read.
function compile(source: string): Glob | null {
  const compiled = compileGlob(plain(source), '');
  return compiled.ok ? compiled.glob : null;
}

function ruleGates(sources: GateSources): ReviewGate[] {
  if (sources.rules.length === 0) return [];
  const byPath = new Map(sources.entries.map((entry) => [entry.path, entry]));
  const tasks = planTasks(sources.rules, { changed: [...byPath.keys()], unchanged: () => sources.unchanged() });
  return tasks.map((task) => ruleGate(task, byPath, sources.ruleRubric(task.rule)));
}

function ruleGate(task: RuleTask, byPath: ReadonlyMap<RepoPath, Entry>, rubric: Rubric): ReviewGate {
  const { rule } = task;
  const folder = rule.folder === '' ? '.' : rule.folder;
  const [first] = task.files;
  const entries = task.files.flatMap((path) => byPath.get(path) ?? []);
  return {
    kind: 'rule',
    id: `rule:${folder}:${rule.name}${rule.strategy === 'individual' ? `:${first}` : ''}`,
    entry: folder,
    name: rule.name,
    numReviews: rule.numReviews,
    agents: rule.agents,
    timeoutSeconds: null,
    rubric,
    entries,
    content: contentOf(entries),
    task,
  };
}
