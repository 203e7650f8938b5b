import { grouped } from '@onceover/base/kernel/collections';
import { digestOf, type GateId, type SnapshotId, sha256 } from '@onceover/base/kernel/ids';
import { isAtOrBelow, safeName } from '@onceover/base/kernel/paths';
import type { Comparison, UnseenContent } from '@onceover/base/kernel/repository';
import { isOpen, type KnownFinding } from '../../findings/types.ts';
import type { Gate } from '../../gate-types.ts';
import type { ArchivedRecord, GateName, RecordHistory } from '../record-types.ts';
import type { GateRequest } from './gate-list.ts';
import { findingState, isSameBranch, type StateOptions } from './gate-state.ts';

/**
 * Returns an id of everything that a check may read: the snapshot's tree and content outside of it. A check's pass
 * counts only while this id is the same.
 */
export function checkedTree(tree: SnapshotId, unseenContents: readonly UnseenContent[] = []): SnapshotId {
  return unseenContents.length === 0 ? tree : (`${tree} ${digestOf(unseenContents)}` as SnapshotId);
}

/**
 * Records and findings on this branch whose review cycle (a gate's reviews of one change) has ended. A run archives
 * them.
 */
export type EndedCycles = {
  readonly records: readonly ArchivedRecord[];
  readonly findings: readonly KnownFinding[];
};

/**
 * Returns the records and findings that no longer belong to the current change. For a gate without changed files, these
 * are all its records and findings. For any other gate, these are its records before the iteration in `starts`, the
 * first one about the current change; its findings stay open until a reviewer closes them. A gate that is not
 * configured (`isConfigured`) is left out, because its settings may be missing for one run only.
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

/**
 * Returns the open findings of gates that are no longer configured, for the requested files. Leaves out findings whose
 * file has changed since.
 */
export function findingsOfRemovedGates(
  findings: readonly KnownFinding[],
  gates: readonly Gate[],
  options: StateOptions,
  request: Pick<GateRequest, 'gates' | 'paths'>,
): readonly KnownFinding[] {
  if (request.gates.length > 0) return [];
  const ids = new Set(gates.map(({ id }) => id));
  return findings.filter(
    (finding) =>
      !ids.has(finding.gate) &&
      (request.paths.length === 0 || isAtOrBelow(finding.file, request.paths)) &&
      isOpen(findingState({ ...finding, cycleEnded: true }, options)),
  );
}

const LONGEST_STEM = 150;
const HASH_STEP = 6;

/**
 * Returns the beginning of each gate's file names: the gate's id in safe characters. A hash is added if the id is long,
 * or if two gates would get the same name.
 */
export function gateNames(gates: readonly Pick<Gate, 'id' | 'kind'>[]): readonly GateName[] {
  const digits = new Map<GateId, number>();
  for (;;) {
    const names = gates.map(({ id, kind }) => ({ id, kind, stem: stemOf(id, kind, digits.get(id) ?? 0) }));
    // Some file systems ignore case, so file names must differ in more than case.
    const collisions = [...grouped(names, ({ stem }) => stem.toLowerCase()).values()]
      .map((group) => new Set(group.map(({ id }) => id)))
      .filter((ids) => ids.size > 1);
    if (collisions.length === 0) return names;
    // After a longer hash was added, a name can be equal to yet another name, so the loop checks all names again.
    for (const id of collisions.flatMap((ids) => [...ids])) digits.set(id, (digits.get(id) ?? 0) + HASH_STEP);
  }
}

function stemOf(id: GateId, kind: Gate['kind'], digits: number): string {
  const stem = `${kind}_${safeName(id.slice(kind.length + 1))}`;
  if (digits === 0 && stem.length <= LONGEST_STEM) return stem;
  return `${stem.slice(0, LONGEST_STEM)}-${sha256(id).slice(0, Math.max(digits, HASH_STEP))}`;
}
