import type { GateId, RepoPath, SnapshotId } from '@onceover/base/kernel/ids';
import type { BranchContext, Entry, Scope } from '@onceover/base/kernel/repository';
import type { Priority } from '@onceover/repo/config/settings';
import { differences, type MemoryTree, type Moment, treeId } from '../memory/git.ts';
import { compareIn, isWanted } from '../memory/snapshots.ts';
import type { Ground } from './model.ts';
import type { Asked } from './observed.ts';
import { CHECKS, promptText, REVIEWS, type Setup } from './setup.ts';

/** The subject of a run: its scope, its branch, the changes, and the selected gates. */
export type Stand = {
  readonly scope: Scope;
  readonly where: BranchContext;
  readonly tree: SnapshotId;
  /** Under the current settings, findings below the first are warnings, and new ones of a rerun below either. */
  readonly warnsBelow: readonly [failOn: Priority, rerun: Priority];
  readonly base: MemoryTree;
  readonly files: MemoryTree;
  readonly entries: readonly Entry[];
  /** The selected gates, and the ids of all gates with changes. */
  readonly gates: readonly ModelGate[];
  readonly checks: readonly ModelCheck[];
  readonly ids: ReadonlySet<GateId>;
  /** Whether the run is about the whole change and all gates. */
  readonly isWhole: boolean;
  /** Whether the run covers findings of a removed gate in a file. */
  isAskedAbout(file: RepoPath | null): boolean;
};

export type ModelGate = {
  readonly id: GateId;
  readonly kind: 'review' | 'rule';
  readonly count: number;
  readonly prompt: string;
  readonly entries: readonly Entry[];
  readonly content: string;
};

export type ModelCheck = { readonly id: GateId; readonly command: string };

type Group = {
  readonly name: string;
  readonly checks: readonly (keyof typeof CHECKS)[];
  readonly reviews: readonly number[];
};

export function standAt({ clone, setup }: Ground, moment: Moment, asked: Asked): Stand {
  const compared = compareIn(clone, moment, asked.selection, 'main');
  if (compared === null) throw new Error('there is always a main');
  const files = compared.head ?? moment.files;
  const entries = differences(compared.base, files).filter(({ path }) => isWanted(path, compared.files));
  const groups: Group[] = [
    { name: 'src', checks: ['lint'], reviews: setup.hasSecurity ? [0, 1] : [0] },
    { name: 'packages/one', checks: ['unit'], reviews: [2] },
    { name: 'packages/two', checks: ['unit'], reviews: [2] },
  ];
  const checks: (ModelCheck & { readonly name: string; readonly entries: readonly Entry[] })[] = [];
  const gates: (ModelGate & { readonly name: string })[] = [];
  for (const { name: entry, ...group } of groups) {
    const own = entries.filter(({ path }) => path.startsWith(`${entry}/`) && !path.endsWith('.snap'));
    if (own.length === 0) continue;
    for (const name of group.checks)
      checks.push({ id: `check:${entry}:${name}`, name, command: CHECKS[name], entries: own });
    for (const n of group.reviews) gates.push({ ...gateOf(setup, n, own), id: `review:${entry}:${REVIEWS[n]}` });
  }
  const notes = entries.filter(({ path }) => path.startsWith('docs/'));
  if (notes.length > 0) gates.push({ ...gateOf(setup, 3, notes), id: 'rule:.:notes', kind: 'rule' });

  const isNamed = ({ id, name }: { readonly id: string; readonly name: string }) =>
    asked.gates.length === 0 || asked.gates.includes(id) || asked.gates.includes(name);
  const isUnder = (gate: { readonly entries: readonly Entry[] }) =>
    asked.paths.length === 0 || gate.entries.some(({ path }) => isWanted(path, asked.paths as readonly RepoPath[]));
  return {
    scope: compared.scope,
    where: compared.where,
    tree: treeId(files),
    warnsBelow: [setup.failOn, setup.rerunNewIssueThreshold],
    base: compared.base,
    files,
    entries,
    gates: gates.filter((gate) => isNamed(gate) && isUnder(gate)),
    checks: compared.head === null ? checks.filter((check) => isNamed(check) && isUnder(check)) : [],
    ids: new Set([...checks, ...gates].map(({ id }) => id)),
    isWhole: compared.scope.kind === 'full' && asked.gates.length === 0 && asked.paths.length === 0,
    isAskedAbout: (file) =>
      asked.gates.length === 0 &&
      (asked.paths.length === 0 || (file !== null && isWanted(file, asked.paths as readonly RepoPath[]))),
  };
}

function gateOf(setup: Setup, review: number, entries: readonly Entry[]) {
  return {
    kind: 'review' as const,
    name: REVIEWS[review] ?? '',
    count: setup.counts[review] ?? 1,
    prompt: promptText(setup, review),
    entries,
    content: JSON.stringify(entries),
  };
}
