import { grouped } from '@onceover/base/kernel/collections';
import { compileGlob, type Glob, globMatches } from '@onceover/base/kernel/glob';
import { filesDigest, type GateId, type RepoPath, sha256 } from '@onceover/base/kernel/ids';
import { isAtOrBelow, isInside, repoPath } from '@onceover/base/kernel/paths';
import type { Entry } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import type { EntrySettings, Settings } from '@onceover/repo/config/settings';
import type { CheckGate, Gate, GateContent, ReviewGate, Rubric } from '../../gate-types.ts';
import { planTasks } from '../../rules/tasks.ts';
import type { Rule, RuleTask } from '../../rules/types.ts';

/** Returns a hash over the paths, modes and contents of a gate's changed files. Their order does not matter. */
export function contentOf(entries: readonly Entry[]): GateContent {
  return filesDigest(entries) as GateContent;
}

/** Whether both entries exist and describe the same change to the same file. */
export function isSameEntry(a: Entry | null | undefined, b: Entry | null | undefined): boolean {
  return a != null && b != null && contentOf([a]) === contentOf([b]);
}

/** Whether one of the paths belongs to an entry point, which is an item of `gates` in the settings. */
export function matchesEntry(entry: EntrySettings, paths: readonly RepoPath[]): boolean {
  const entryPath = compilePath(entry.path);
  return paths.some((path) => entryName(entryPath, path) !== null);
}

/**
 * Returns the folder or file that an item of `gates` (an entry point) names; `null` for a pattern or a path outside the
 * repository.
 */
export function entryFolder(entry: EntrySettings): RepoPath | null {
  const entryPath = compilePath(entry.path);
  return entryPath.kind === 'glob' ? null : repoPath(entryPath.folder);
}

/**
 * The parsed path of an entry point (an item of `gates` in the settings). `each`: for a path such as `packages/*`,
 * every folder in `packages` gets its own gates.
 */
type EntryPath =
  | { readonly kind: 'folder' | 'each'; readonly folder: string }
  | { readonly kind: 'glob'; readonly source: string; readonly glob: Glob | null };

const GLOB = /[*?[\]{}]/;

function compilePath(source: string): EntryPath {
  const path = plain(source);
  if (!GLOB.test(path)) return { kind: 'folder', folder: path };
  const folder = path.endsWith('/*') ? path.slice(0, -2) : null;
  if (folder !== null && !GLOB.test(folder)) return { kind: 'each', folder };
  return { kind: 'glob', source: path, glob: compile(path) };
}

/**
 * Returns the name, such as `packages/a`, of the gates for this path. `null`: the path does not belong to the entry
 * point (an item of `gates`).
 */
function entryName(entry: EntryPath, path: RepoPath): string | null {
  switch (entry.kind) {
    case 'folder':
      return entry.folder === '' || isInside(path, entry.folder) ? nameOf(entry.folder) : null;
    case 'each': {
      if (!path.startsWith(`${entry.folder}/`)) return null;
      const end = path.indexOf('/', entry.folder.length + 1);
      return end === -1 ? null : path.slice(0, end);
    }
    case 'glob':
      return entry.glob !== null && globMatches(entry.glob, path) ? entry.source : null;
  }
}

function nameOf(folder: string): string {
  return folder === '' ? '.' : folder;
}

/** Returns the path without a leading "./" and slashes around it. An empty string means the whole repository. */
function plain(path: string): string {
  return repoPath(path) ?? path;
}

// Compiles the pattern of a path; `null` if it is invalid. The settings parser rejects invalid patterns, so this does
// not happen with valid settings.
function compile(source: string): Glob | null {
  const globResult = compileGlob(plain(source), '');
  return globResult.ok ? globResult.glob : null;
}

export type GateSources = {
  readonly settings: readonly EntrySettings[];
  readonly rules: readonly Rule[];
  readonly entries: readonly Entry[];
  readonly rubrics: ReadonlyMap<RepoPath, Rubric>;
  /**
   * Returns the files that did not change. It is a function because only rules with `unchangedMatchingFiles` need the
   * list.
   */
  unchanged(): readonly RepoPath[];
};

export type GateList = {
  readonly gates: readonly Gate[];
  /** Changed files that no review applies to. */
  readonly uncovered: readonly RepoPath[];
  /** Ids of gates that are defined more than once, by several items of `gates` in the settings. */
  readonly duplicates: readonly GateId[];
};

/**
 * Returns the gates that apply to the change: first those from the items of `gates` in the settings, then one gate for
 * each review task of a rule.
 */
export function planGates(sources: GateSources): GateList {
  const gates = [...sources.settings.flatMap((entry) => entryGates(entry, sources)), ...ruleGates(sources)];
  const reviews = gates.filter(({ kind }) => kind !== 'check');
  const coveredPaths = new Set(reviews.flatMap(({ entries }) => entries.map(({ path }) => path)));
  const duplicates = [...grouped(gates, ({ id }) => id)].filter(([, gatesWithId]) => gatesWithId.length > 1);
  return {
    gates,
    uncovered: sources.entries.map(({ path }) => path).filter((path) => !coveredPaths.has(path)),
    duplicates: duplicates.map(([id]) => id),
  };
}

/**
 * Returns the gates that exist whatever files changed. Gates for each folder of `packages/*` and for each file of a
 * rule are not among them.
 */
export function configuredGates(
  settings: readonly EntrySettings[],
  rules: readonly Rule[],
): readonly Pick<Gate, 'id' | 'kind'>[] {
  const entries = settings.flatMap((entry) => {
    const path = compilePath(entry.path);
    if (path.kind === 'each') return [];
    const name = path.kind === 'glob' ? path.source : nameOf(path.folder);
    return namesOf(entry).map(({ kind, name: gate }) => ({ kind, id: gateId(kind, name, gate) }));
  });
  const together = rules
    .filter(({ strategy }) => strategy !== 'individual')
    .map((rule) => ({ kind: 'rule', id: ruleId(rule) }) as const);
  return [...entries, ...together];
}

/**
 * Returns a function that reports whether these settings and rules can produce a gate with a given id, for any change.
 */
export function gateIds(settings: readonly EntrySettings[], rules: readonly Rule[]): (id: string) => boolean {
  const configuredIds = new Set<string>(configuredGates(settings, rules).map(({ id }) => id));
  return (id) => configuredIds.has(id) || isVariableId(id, settings, rules);
}

/**
 * Whether a gate with this id exists only for certain changed files: it is for one folder of a path such as
 * `packages/*`, or for one file of a rule.
 */
function isVariableId(id: string, settings: readonly EntrySettings[], rules: readonly Rule[]): boolean {
  const isOfFolder = (entry: EntrySettings) => {
    const path = compilePath(entry.path);
    if (path.kind !== 'each') return false;
    return namesOf(entry).some(({ kind, name }) => id.startsWith(`${kind}:${path.folder}/`) && id.endsWith(`:${name}`));
  };
  const isOfFile = (rule: Rule) => rule.strategy === 'individual' && id.startsWith(`${ruleId(rule)}:`);
  return settings.some(isOfFolder) || rules.some(isOfFile);
}

function namesOf({ checks, reviews }: EntrySettings) {
  return [
    ...Object.keys(checks).map((name) => ({ kind: 'check', name }) as const),
    ...Object.keys(reviews).map((name) => ({ kind: 'review', name }) as const),
  ];
}

function gateId(kind: Gate['kind'], entry: string, name: string): GateId {
  return `${kind}:${entry}:${name}`;
}

function ruleId(rule: Rule): GateId {
  return gateId('rule', nameOf(rule.folder), rule.name);
}

function entryGates(entry: EntrySettings, sources: GateSources): Gate[] {
  return [...entriesByName(entry, sources.entries)].flatMap(([name, entries]) => {
    const content = contentOf(entries);
    const checks = Object.entries(entry.checks).map(([check, { run, timeoutSeconds }]): CheckGate => {
      const id = gateId('check', name, check);
      return { kind: 'check', id, entry: name, name: check, command: run, timeoutSeconds, entries };
    });
    const reviews = Object.entries(entry.reviews).map(
      ([review, { prompt, numReviews, agents, timeoutSeconds }]): ReviewGate => {
        const id = gateId('review', name, review);
        const rubric = sources.rubrics.get(prompt);
        // Fail if the prompt is missing: if the gate were left out instead, the run could pass although this review
        // never ran.
        if (rubric === undefined) throw new Error(`the prompt ${prompt} was not read`);
        const definition = {
          kind: 'review',
          id,
          entry: name,
          name: review,
          numReviews,
          agents,
          timeoutSeconds,
        } as const;
        return { ...definition, rubric, entries, content, task: null };
      },
    );
    return [...checks, ...reviews];
  });
}

/**
 * Groups the changed files of an entry point (an item of `gates`) by the name of the gates for them (see `entryName`).
 */
function entriesByName(
  { path, exclude }: EntrySettings,
  entries: readonly Entry[],
): ReadonlyMap<string, readonly Entry[]> {
  const entryPath = compilePath(path);
  const excludes = exclude.map((source) => ({ folder: plain(source), glob: compile(source) }));
  const isExcluded = (filePath: RepoPath) =>
    excludes.some(
      ({ folder, glob }) =>
        folder !== '' && (isInside(filePath, folder) || (glob !== null && globMatches(glob, filePath))),
    );
  const namesByEntry = new Map<Entry, string>();
  for (const entry of entries) {
    const name = entryName(entryPath, entry.path);
    if (name !== null && !isExcluded(entry.path)) namesByEntry.set(entry, name);
  }
  return grouped([...namesByEntry.keys()], (entry) => namesByEntry.get(entry) ?? '');
}

function ruleGates({ rules, entries, unchanged }: GateSources): ReviewGate[] {
  if (rules.length === 0) return [];
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  return planTasks(rules, { changed: [...byPath.keys()], unchanged }).map((task) => ruleGate(task, byPath));
}

function ruleGate(task: RuleTask, byPath: ReadonlyMap<RepoPath, Entry>): ReviewGate {
  const { rule } = task;
  const { name, numReviews, agents } = rule;
  const id = `${ruleId(rule)}${rule.strategy === 'individual' ? `:${task.files[0]}` : ''}`;
  const entries = task.files.flatMap((path) => byPath.get(path) ?? []);
  return {
    ...{ kind: 'rule', id, entry: nameOf(rule.folder), name, numReviews, agents, timeoutSeconds: null },
    ...{ rubric: ruleRubric(rule), entries, content: contentOf(entries), task },
  };
}

export function fileRubric(source: string, text: string): Rubric {
  return { source, text, digest: sha256(text) };
}

export function ruleRubric(rule: Rule): Rubric {
  return fileRubric(`${rule.source.file}:${rule.source.line}`, rule.instructions);
}

/** The gates that a user asks for. Empty lists select all gates. */
export type GateRequest = {
  readonly gates: readonly string[];
  /** Selects the gates with changed files at or below one of these paths. */
  readonly paths: readonly RepoPath[];
  readonly settings: Pick<Settings, 'gates'>;
  readonly rules: readonly Rule[];
};

/**
 * Returns the selected gates. An unknown name is an error; the name of a configured gate without changed files is not.
 */
export function selectGates(gates: readonly Gate[], request: GateRequest): Result<readonly Gate[]> {
  const { settings, rules, paths } = request;
  const configuredNames = [
    ...settings.gates.flatMap((entry) => [...Object.keys(entry.checks), ...Object.keys(entry.reviews)]),
    ...rules.map(({ name }) => name),
  ];
  const isGateId = gateIds(settings.gates, rules);
  for (const gate of request.gates) {
    const isKnown = configuredNames.includes(gate) || gates.some(({ id }) => id === gate);
    if (!isKnown && !isGateId(gate)) {
      return err({ kind: 'unknown-gate', gate, known: [...new Set(configuredNames)] });
    }
  }
  return ok(
    gates.filter(
      ({ id, name, entries }) =>
        (request.gates.length === 0 ||
          request.gates.some((requestedName) => requestedName === id || requestedName === name)) &&
        (paths.length === 0 || entries.some((entry) => isAtOrBelow(entry.path, paths))),
    ),
  );
}
