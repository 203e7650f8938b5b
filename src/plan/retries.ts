import type { KnownFinding } from '../domain/finding.ts';
import type { SlotRecord } from '../domain/record.ts';

/** How many iterations of a gate failed with a verdict since it last held, or since somebody resolved a finding of it. */
export function failingIterations(
  cycle: readonly SlotRecord[],
  numReviews: number,
  findings: readonly KnownFinding[],
): number {
  const resolvedAt = findings.reduce((latest, { resolution }) => {
    return resolution !== null && resolution.at > latest ? resolution.at : latest;
  }, '');
  const iterations = new Map<number, SlotRecord[]>();
  for (const record of cycle) {
    if (record.timestamp !== '' && record.timestamp < resolvedAt) continue;
    iterations.set(record.iteration, [...(iterations.get(record.iteration) ?? []), record]);
  }
  let failing = 0;
  for (const [, records] of [...iterations].sort(([a], [b]) => a - b)) {
    if (records.some(isFailing)) failing++;
    else if (held(records, numReviews)) failing = 0;
  }
  return failing;
}

/** Whether the newest iteration left the gate holding: nothing open, nobody without a verdict. */
export function heldLast(cycle: readonly SlotRecord[], numReviews: number): boolean {
  const latest = Math.max(0, ...cycle.map(({ iteration }) => iteration));
  const records = cycle.filter(({ iteration }) => iteration === latest);
  return records.length > 0 && !records.some(isFailing) && held(records, numReviews);
}

/** Whether something was left open; a reviewer that repeats what was waived does not fail its gate. */
function isFailing(record: SlotRecord): boolean {
  if (record.status !== 'fail') return false;
  return record.own === null || record.violations.some(({ state }) => state === 'open' || state === 'fixed_claimed');
}

function held(records: readonly SlotRecord[], numReviews: number): boolean {
  return (
    records.every(({ status }) => status !== 'error') && new Set(records.map(({ slot }) => slot)).size >= numReviews
  );
}
