import type { KnownFinding } from '../domain/finding.ts';
import type { HeldReceipt } from '../domain/receipt.ts';
import type { SlotRecord } from '../domain/record.ts';
import { byIteration } from './iterations.ts';

/** How many iterations of a gate failed with a verdict since it last held, or since somebody resolved a finding of it. */
export function failingIterations(
  cycle: readonly SlotRecord[],
  findings: readonly KnownFinding[],
  held: HeldReceipt | null,
): number {
  const resolvedAt = findings.reduce((latest, { resolution }) => {
    const counts = resolution !== null && resolution.how !== 'disputed';
    return counts && resolution.at > latest ? resolution.at : latest;
  }, '');
  const counted = since(held, cycle).filter(({ timestamp }) => timestamp === '' || timestamp >= resolvedAt);
  return byIteration(counted).filter(([, records]) => records.some(isFailing)).length;
}

/** Whether the gate held, and no look since has failed or come to nothing. */
export function heldLast(cycle: readonly SlotRecord[], held: HeldReceipt | null): boolean {
  return held !== null && !since(held, cycle).some((record) => isFailing(record) || record.status === 'error');
}

/** The records of iterations that came after it held. */
function since(held: HeldReceipt | null, cycle: readonly SlotRecord[]): readonly SlotRecord[] {
  if (held === null) return cycle;
  const before = cycle.filter(({ timestamp }) => timestamp !== '' && timestamp <= held.at);
  // Records by hand may tell no time; iterations have an order all the same.
  const last = Math.max(0, ...before.map(({ iteration }) => iteration));
  return cycle.filter(({ iteration }) => iteration > last);
}

/** Whether something was left open; a reviewer that repeats what was waived does not fail its gate. */
function isFailing(record: SlotRecord): boolean {
  if (record.status !== 'fail') return false;
  return record.own === null || record.violations.some(({ state }) => state === 'open' || state === 'fixed_claimed');
}
