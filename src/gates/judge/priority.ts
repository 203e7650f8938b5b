import { PRIORITIES, type Priority, type Settings } from '../../config/settings.ts';
import type { Finding } from '../types.ts';

export function isBelow(priority: Priority, threshold: Priority): boolean {
  return PRIORITIES.indexOf(priority) > PRIORITIES.indexOf(threshold);
}

export function moreSevere(a: Priority, b: Priority): Priority {
  return isBelow(a, b) ? b : a;
}

/** The priorities from which a finding is more than a warning. */
export type WarnLevels = Pick<Settings, 'failOn' | 'rerunNewIssueThreshold'>;

/** Whether a finding is only a warning. A finding that first appeared on a rerun has to reach both thresholds. */
export function onlyWarns(priority: Priority, { onRerun }: Pick<Finding, 'onRerun'>, levels: WarnLevels): boolean {
  const { failOn, rerunNewIssueThreshold } = levels;
  return isBelow(priority, onRerun === true ? moreSevere(failOn, rerunNewIssueThreshold) : failOn);
}

/**
 * The findings that a fix loop tolerates. Only the loop knows them: on disk they are open and their reviewer failed the
 * change, so the next run reports them.
 */
export type Ratchet = {
  /** New findings below this priority do not fail a gate; `null` if all do. */
  readonly below: Priority | null;
  /** Ids of the tolerated findings. */
  readonly letBe: ReadonlySet<string>;
};

/** Returns the priority that a new finding must have to fail a gate in this round; `null` before the third round. */
export function ratchetBelow(round: number): Priority | null {
  if (round < 3) return null;
  return round === 3 ? 'high' : 'critical';
}

export type RatchetedReview = {
  readonly isRerun: boolean;
  readonly isStale: boolean;
  /** Findings as the review left them. */
  readonly updated: readonly Finding[];
  readonly added: readonly Finding[];
};

/**
 * Returns the ids of tolerated findings after a review: new findings below the threshold, and earlier ones that the
 * reviewer did not report as more severe. If the reviewer silently dropped a finding, a new one may be the same finding
 * in other words. Then no new finding is tolerated.
 */
export function toleratedAfter({ below, letBe }: Ratchet, review: RatchetedReview): ReadonlySet<string> {
  if (below === null) return letBe;
  const { isRerun, isStale, updated, added } = review;
  const severe = new Set(updated.filter(({ priority }) => !isBelow(priority, below)).map(({ id }) => id));
  const hasDropped = updated.some(({ kept, closed }) => kept === 'closed' && closed?.how === 'silent');
  const toleratesNew = isRerun && !isStale && !hasDropped;
  const tolerated = added.filter(({ kept, priority }) => toleratesNew && kept === 'open' && isBelow(priority, below));
  return new Set([...[...letBe].filter((id) => !severe.has(id)), ...tolerated.map(({ id }) => id)]);
}
