import { isOpen, type KnownFinding } from '../domain/finding.ts';
import type { Gate, GateId } from '../domain/gate.ts';
import type { Comparison, RecordedPast } from '../domain/ports.ts';
import type { SlotRecord } from '../domain/record.ts';
import { findingState, isHere } from './cycle.ts';
import type { StateOptions } from './gate-state.ts';
import { type Asked, isAt } from './select-gates.ts';

/** Gates without entries: their cycle is over, and their records go to the archive. */
export type EndedCycles = {
  readonly records: readonly { readonly gate: GateId; readonly iteration: number }[];
  readonly findings: readonly KnownFinding[];
};

/** Where a run does not speak of all gates, it ends no cycle. */
export const NOTHING_ENDED: EndedCycles = { records: [], findings: [] };

/** What ends with the gates that have nothing to look at here any more. */
export function endedCycles(
  { where, scope }: Pick<Comparison, 'where' | 'scope'>,
  gates: readonly Gate[],
  past: RecordedPast,
  findings: readonly KnownFinding[],
): EndedCycles {
  const ids = new Set(gates.map(({ id }) => id));
  return {
    records: [...past.others, ...past.checks, ...past.slots.flatMap(ownRecord)]
      .filter((record) => !ids.has(record.gate) && isHere(record, where))
      .map(({ gate, iteration }) => ({ gate, iteration })),
    findings: findings.filter(
      (finding) =>
        !ids.has(finding.gate) &&
        finding.scope === scope.key &&
        finding.kept !== 'closed' &&
        !finding.cycleEnded &&
        isHere(finding, where),
    ),
  };
}

function ownRecord({ gate, iteration, own }: SlotRecord) {
  return own === null ? [] : [{ gate, iteration, branch: own.branch, mergeBase: own.mergeBase }];
}

/** Open findings of gates that are no more, as far as the run was asked about their files: their cycles are over. */
export function orphansOf(
  findings: readonly KnownFinding[],
  gates: readonly Gate[],
  options: StateOptions,
  asked: Pick<Asked, 'gates' | 'paths'>,
): readonly KnownFinding[] {
  if (asked.gates.length > 0) return [];
  const ids = new Set(gates.map(({ id }) => id));
  return findings.filter(
    (finding) =>
      !ids.has(finding.gate) &&
      (asked.paths.length === 0 || isAt(finding.file, asked.paths)) &&
      isOpen(findingState({ ...finding, cycleEnded: true }, options, options.entryOf)),
  );
}
