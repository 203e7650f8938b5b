import type { FindingState, KnownFinding } from '../domain/finding.ts';
import type { Entry } from '../domain/gate.ts';
import type { SlotRecord } from '../domain/record.ts';
import type { Scope, Whereabouts } from '../domain/scope.ts';
import { isSameEntry } from './content.ts';
import { onlyWarns, type WarnLevels } from './priority.ts';

/** Where a run stands: which records and findings belong to it. */
export type Standpoint = { readonly scope: Scope; readonly where: Whereabouts };

/**
 * Whether a record belongs to the gate's present cycle: made on this branch (detached: with this merge-base) or naming
 * none. A narrow run starts from nothing, and leaves nothing to later ones.
 */
export function isInCycle(record: SlotRecord, { scope, where }: Standpoint): boolean {
  if (scope.kind === 'narrow') return false;
  if (record.own === null) return true;
  return record.own.scope === scope.key && isHere(record.own, where);
}

/** Whether something was made on this branch, or detached from the same merge-base. */
export function isHere(made: Whereabouts, where: Whereabouts): boolean {
  if (where.branch !== null) return made.branch === where.branch;
  return made.branch === null && made.mergeBase === where.mergeBase;
}

/** How a finding stands here and now; `entryOf` tells what differs at a path today. */
export function findingState(
  finding: KnownFinding,
  { scope, where, levels, letBe }: Standpoint & { readonly levels?: WarnLevels; readonly letBe?: ReadonlySet<string> },
  entryOf: (path: string) => Entry | undefined,
): FindingState {
  if (finding.kept === 'closed') return 'closed';
  const now = finding.entry === null ? undefined : entryOf(finding.entry.path);
  if (finding.entry !== null && now === undefined) return 'gone';
  // A waiver is kept across cycles and scopes: what it lets pass is told wherever it does.
  if (finding.resolution?.how === 'skipped') return 'waived';
  if (finding.scope !== scope.key) return 'gone';
  // An open finding outlives its cycle while its entry is unchanged.
  const counts = (isHere(finding, where) && !finding.cycleEnded) || isSameEntry(finding.entry, now);
  if (!counts) return 'gone';
  if (letBe?.has(finding.id) === true) return 'warning';
  // By stricter settings than those of the time, it is more than a warning.
  if (finding.kept === 'warning' && (levels === undefined || onlyWarns(finding.priority, finding, levels)))
    return 'warning';
  return finding.resolution?.how === 'fixed' ? 'fixed_claimed' : 'open';
}
