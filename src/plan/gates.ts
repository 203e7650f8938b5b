import type { RepoPath } from '../domain/brand.ts';
import type { CheckGate, Entry, Gate, GateId, ReviewGate, Rubric } from '../domain/gate.ts';
import type { Rule } from '../domain/rule.ts';
import type { EntrySettings, ReviewSettings } from '../domain/settings.ts';
import type { RuleTask } from '../domain/task.ts';
import { contentOf } from './content.ts';
import { entriesByName, nameOfEntry } from './entry-point.ts';
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

/** The gates that are configured by name, whether or not anything changed there. */
export function configuredGates(
  settings: readonly EntrySettings[],
  rules: readonly Rule[],
): readonly Pick<Gate, 'id' | 'kind'>[] {
  const entries = settings.flatMap((entry) => {
    const name = nameOfEntry(entry);
    return 'whole' in name ? gatesNamed(entry, (kind, gate) => gateId(kind, name.whole, gate)) : [];
  });
  const together = rules
    .filter(({ strategy }) => strategy !== 'individual')
    .map((rule) => ({ kind: 'rule', id: gateId('rule', folderName(rule), rule.name) }) as const);
  return [...entries, ...together];
}

/** Whether an id is one that the settings and rules can give, although nothing changed there. */
export function canBeGate(id: string, settings: readonly EntrySettings[], rules: readonly Rule[]): boolean {
  if (configuredGates(settings, rules).some((gate) => gate.id === id)) return true;
  const isOfFolder = (entry: EntrySettings) => {
    const name = nameOfEntry(entry);
    if ('whole' in name) return false;
    const ends = gatesNamed(entry, (_kind, gate) => `:${gate}`);
    return ends.some((gate) => id.startsWith(`${gate.kind}:${name.beginning}`) && id.endsWith(gate.id));
  };
  const isOfFile = (rule: Rule) =>
    rule.strategy === 'individual' && id.startsWith(`${gateId('rule', folderName(rule), rule.name)}:`);
  return settings.some(isOfFolder) || rules.some(isOfFile);
}

function gatesNamed(
  { checks, reviews }: EntrySettings,
  idOf: (kind: 'check' | 'review', name: string) => GateId,
): readonly Pick<Gate, 'id' | 'kind'>[] {
  return [
    ...Object.keys(checks).map((name) => ({ kind: 'check', id: idOf('check', name) }) as const),
    ...Object.keys(reviews).map((name) => ({ kind: 'review', id: idOf('review', name) }) as const),
  ];
}

function gateId(kind: Gate['kind'], entry: string, name: string): GateId {
  return `${kind}:${entry}:${name}`;
}

function folderName({ folder }: Rule): string {
  return folder === '' ? '.' : folder;
}

function entryGates(entry: EntrySettings, sources: GateSources): Gate[] {
  return [...entriesByName(entry, sources.entries)].flatMap(([name, entries]) => {
    const content = contentOf(entries);
    const checks = Object.entries(entry.checks).map(
      ([check, own]): CheckGate => ({
        kind: 'check',
        id: gateId('check', name, check),
        entry: name,
        name: check,
        command: own.run,
        timeoutSeconds: own.timeoutSeconds,
        entries,
      }),
    );
    const reviews = Object.entries(entry.reviews).map(
      ([review, own]): ReviewGate => ({
        kind: 'review',
        id: gateId('review', name, review),
        entry: name,
        name: review,
        numReviews: own.numReviews,
        agents: own.agents,
        timeoutSeconds: own.timeoutSeconds,
        rubric: rubricOf(own, sources),
        entries,
        content,
        task: null,
      }),
    );
    return [...checks, ...reviews];
  });
}

/** Without its prompt nobody could look, and a gate that is left out would be taken for a pass. */
function rubricOf({ prompt }: ReviewSettings, { rubrics }: GateSources): Rubric {
  const rubric = rubrics.get(prompt);
  if (rubric === undefined) throw new Error(`the prompt ${prompt} was not read`);
  return rubric;
}

function ruleGates(sources: GateSources): ReviewGate[] {
  if (sources.rules.length === 0) return [];
  const byPath = new Map(sources.entries.map((entry) => [entry.path, entry]));
  const tasks = planTasks(sources.rules, { changed: [...byPath.keys()], unchanged: () => sources.unchanged() });
  return tasks.map((task) => ruleGate(task, byPath, sources.ruleRubric(task.rule)));
}

function ruleGate(task: RuleTask, byPath: ReadonlyMap<RepoPath, Entry>, rubric: Rubric): ReviewGate {
  const { rule } = task;
  const folder = folderName(rule);
  const [first] = task.files;
  const entries = task.files.flatMap((path) => byPath.get(path) ?? []);
  return {
    kind: 'rule',
    id: `${gateId('rule', folder, rule.name)}${rule.strategy === 'individual' ? `:${first}` : ''}`,
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
