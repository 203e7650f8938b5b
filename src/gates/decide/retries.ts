import type { SlotRecord } from '../record-types.ts';
import { type HeldReceipt, isOpen, type KnownFinding, type ReviewGate, type SlotNumber } from '../types.ts';
import { byIteration } from './skip-reviewers.ts';

/**
 * Returns 1 plus the number of failing iterations without progress since the gate's last pass, or since one of its
 * findings was last resolved. An iteration makes progress if it reviews new content, uses a new prompt, or closes a
 * finding. Returns 0 if the gate has not failed on the current content, because changed content gets another review.
 */
export function failingIterations(
  { content, rubric }: Pick<ReviewGate, 'content' | 'rubric'>,
  cycle: readonly SlotRecord[],
  findings: readonly KnownFinding[],
  held: HeldReceipt | null,
): number {
  const resolvedAt = findings.reduce((latest, { resolution }) => {
    const counts = resolution !== null && resolution.how !== 'proposed';
    return counts && resolution.at > latest ? resolution.at : latest;
  }, '');
  const counted = since(held, cycle).filter(({ timestamp }) => timestamp === '' || timestamp >= resolvedAt);
  const reviewed = new Set<string | null>();
  const open = new Map<SlotNumber, ReadonlySet<string>>();
  let retries = 0;
  let failedOn: string | null | undefined;
  for (const [, records] of byIteration(counted)) {
    const subject = subjectOf(records);
    const isNew = reviewed.size === 0 || !reviewed.has(subject);
    const closes = updateOpen(open, records);
    reviewed.add(subject);
    if (!records.some(isFailing)) continue;
    failedOn = subject;
    if (!isNew && !closes) retries++;
  }
  // Records of other tools do not say what they reviewed, so take them to be about the current content.
  const isCurrent = failedOn === null || failedOn === keyOf(content, rubric.digest);
  return isCurrent ? retries + 1 : 0;
}

/** Returns the content and prompt that an iteration reviewed; `null` if unknown. */
function subjectOf(records: readonly SlotRecord[]): string | null {
  const own = records.find((record) => record.own !== null)?.own ?? null;
  return own === null ? null : keyOf(own.content, own.promptDigest);
}

function keyOf(content: string, promptDigest: string): string {
  return `${content} ${promptDigest}`;
}

/** Updates each slot's open findings with the verdicts of an iteration. Returns whether a finding is no longer open. */
function updateOpen(open: Map<SlotNumber, ReadonlySet<string>>, records: readonly SlotRecord[]): boolean {
  let closes = false;
  for (const { slot, status, violations } of records) {
    if (status !== 'pass' && status !== 'fail') continue;
    const now = new Set(
      violations.flatMap(({ id, state }) => (id !== null && state !== null && isOpen(state) ? [id] : [])),
    );
    if ([...(open.get(slot) ?? [])].some((id) => !now.has(id))) closes = true;
    open.set(slot, now);
  }
  return closes;
}

/** Whether the gate passed on this branch, and none of its reviews failed or ended in an error since. */
export function passedWithoutLaterFailure(cycle: readonly SlotRecord[], held: HeldReceipt | null): boolean {
  return held !== null && !since(held, cycle).some((record) => isFailing(record) || record.status === 'error');
}

function since(held: HeldReceipt | null, cycle: readonly SlotRecord[]): readonly SlotRecord[] {
  if (held === null) return cycle;
  const before = cycle.filter(({ timestamp }) => timestamp !== '' && timestamp <= held.at);
  // Some records, such as those written by hand, have no timestamp, so compare iteration numbers.
  const last = Math.max(0, ...before.map(({ iteration }) => iteration));
  return cycle.filter(({ iteration }) => iteration > last);
}

/** Whether the record left a finding open. A reviewer that only repeats waived findings does not fail the gate. */
function isFailing({ status, own, violations }: SlotRecord): boolean {
  return status === 'fail' && (own === null || violations.some(({ state }) => state !== null && isOpen(state)));
}
