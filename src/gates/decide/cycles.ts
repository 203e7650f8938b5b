import { grouped } from '../../kernel/collections.ts';
import { digestOf, type GateId, type SnapshotId, sha256 } from '../../kernel/ids.ts';
import { isAtOrBelow, safeName } from '../../kernel/paths.ts';
import type { Comparison, UnseenContent } from '../../kernel/repository.ts';
import type { ArchivedRecord, GateName, RecordHistory } from '../record-types.ts';
import { type Gate, isOpen, type KnownFinding } from '../types.ts';
import type { GateRequest } from './gate-list.ts';
import { findingState, isSameBranch, type StateOptions } from './gate-state.ts';

/** Returns an id of all files that a check may read, in the tree or not. A check's pass counts only for this id. */
export function checkedTree(tree: SnapshotId, unseen: readonly UnseenContent[] = []): SnapshotId {
  return unseen.length === 0 ? tree : (`${tree} ${digestOf(unseen)}` as SnapshotId);
}

/** Records and findings of ended cycles (a gate's reviews of one change) on this branch. A run archives them. */
export type EndedCycles = {
  readonly records: readonly ArchivedRecord[];
  readonly findings: readonly KnownFinding[];
};

/**
 * Returns the records and findings of gates that have no changed files any more. A gate that is not in the settings and
 * rules (`isConfigured`) is left out, because its settings may be missing for one run only. For a gate with changed
 * files, returns only the records before its current cycle, which begins at the iteration in `starts`. The findings of
 * such a gate stay open until a reviewer closes them, because the change may still contain the problem.
 */
export function endedCycles(
  { where, scope }: Pick<Comparison, 'where' | 'scope'>,
  gates: readonly Gate[],
  { isConfigured, starts }: { isConfigured(gate: GateId): boolean; readonly starts: ReadonlyMap<GateId, number> },
  past: RecordHistory,
  findings: readonly KnownFinding[],
): EndedCycles {
  const ids = new Set(gates.map(({ id }) => id));
  const isIdle = (gate: GateId) => !ids.has(gate) && isConfigured(gate);
  const isEarlier = ({ gate, iteration }: ArchivedRecord) => ids.has(gate) && iteration < (starts.get(gate) ?? 0);
  const slots = past.slots.flatMap(({ gate, iteration, own }) => (own === null ? [] : [{ ...own, gate, iteration }]));
  return {
    records: [...past.others, ...past.checks, ...slots]
      .filter((record) => (isIdle(record.gate) || isEarlier(record)) && isSameBranch(record, where))
      .map(({ gate, iteration }) => ({ gate, iteration })),
    findings: findings.filter(
      (finding) =>
        isIdle(finding.gate) &&
        finding.scope === scope.key &&
        finding.kept !== 'closed' &&
        !finding.cycleEnded &&
        isSameBranch(finding, where),
    ),
  };
}

/** Returns the open findings of removed gates in the requested files, without those whose file has changed since. */
export function findingsOfRemovedGates(
  findings: readonly KnownFinding[],
  gates: readonly Gate[],
  options: StateOptions,
  requested: Pick<GateRequest, 'gates' | 'paths'>,
): readonly KnownFinding[] {
  if (requested.gates.length > 0) return [];
  const ids = new Set(gates.map(({ id }) => id));
  return findings.filter(
    (finding) =>
      !ids.has(finding.gate) &&
      (requested.paths.length === 0 || isAtOrBelow(finding.file, requested.paths)) &&
      isOpen(findingState({ ...finding, cycleEnded: true }, options)),
  );
}

const LONGEST_STEM = 150;
const HASH_STEP = 6;

/** Returns the start of each gate's file names: the id in safe characters, with a hash if it is long or not unique. */
export function gateNames(gates: readonly Pick<Gate, 'id' | 'kind'>[]): readonly GateName[] {
  const digits = new Map<GateId, number>();
  for (;;) {
    const names = gates.map(({ id, kind }) => ({ id, kind, stem: stemOf(id, kind, digits.get(id) ?? 0) }));
    // Some file systems ignore case, so stems must differ in more than case.
    const shared = [...grouped(names, ({ stem }) => stem.toLowerCase()).values()]
      .map((own) => new Set(own.map(({ id }) => id)))
      .filter((ids) => ids.size > 1);
    if (shared.length === 0) return names;
    // A stem with a longer hash can equal yet another stem, so the loop checks again.
    for (const id of shared.flatMap((ids) => [...ids])) digits.set(id, (digits.get(id) ?? 0) + HASH_STEP);
  }
}

function stemOf(id: GateId, kind: Gate['kind'], digits: number): string {
  const stem = `${kind}_${safeName(id.slice(kind.length + 1))}`;
  if (digits === 0 && stem.length <= LONGEST_STEM) return stem;
  return `${stem.slice(0, LONGEST_STEM)}-${sha256(id).slice(0, Math.max(digits, HASH_STEP))}`;
}
