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
  const counted = cycle.filter(({ timestamp }) => timestamp === '' || timestamp >= resolvedAt);
  let failing = 0;
  for (const records of byIteration(counted)) {
    if (records.some(isFailing)) failing++;
    else if (held(records, numReviews)) failing = 0;
  }
  return failing;
}

/** Whether the gate held, and no look since has failed or come to nothing. */
export function heldLast(cycle: readonly SlotRecord[], numReviews: number): boolean {
  let isHeld = false;
  for (const records of byIteration(cycle)) {
    if (records.some((record) => isFailing(record) || record.status === 'error')) isHeld = false;
    else if (held(records, numReviews)) isHeld = true;
  }
  return isHeld;
}

/** The records of each iteration, the oldest first. */
function byIteration(cycle: readonly SlotRecord[]): readonly (readonly SlotRecord[])[] {
  const iterations = new Map<number, SlotRecord[]>();
  for (const record of cycle) {
    const own = iterations.get(record.iteration);
    if (own === undefined) iterations.set(record.iteration, [record]);
    else own.push(record);
  }
  return [...iterations].sort(([a], [b]) => a - b).map(([, records]) => records);
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
