import { PRIORITIES, type Priority, type Settings } from '@onceover/repo/config/settings';
import type { Finding } from './types.ts';

export function isBelow(priority: Priority, threshold: Priority): boolean {
  return PRIORITIES.indexOf(priority) > PRIORITIES.indexOf(threshold);
}

export function moreSevere(a: Priority, b: Priority): Priority {
  return isBelow(a, b) ? b : a;
}

/**
 * The thresholds below which findings are only warnings. `failOn`: the lowest priority that fails a gate.
 * `rerunNewIssueThreshold`: the same for findings that are new in a repeated review.
 */
export type WarnLevels = Pick<Settings, 'failOn' | 'rerunNewIssueThreshold'> & Partial<Pick<Settings, 'convergence'>>;

/** Whether a finding is only a warning. If several thresholds in `levels` apply to it, the most severe one counts. */
export function onlyWarns(
  priority: Priority,
  { onRerun, seenBefore = 0 }: Pick<Finding, 'onRerun' | 'seenBefore'>,
  { failOn, rerunNewIssueThreshold, convergence }: WarnLevels,
): boolean {
  const thresholds: Priority[] = [
    ...(onRerun === true ? [rerunNewIssueThreshold] : []),
    ...(seenBefore >= 1 && convergence?.unchangedCode === 'must_fix_only' ? (['high'] as const) : []),
  ];
  return isBelow(priority, thresholds.reduce(moreSevere, failOn));
}

/**
 * The findings that `run --until-pass --ratchet` tolerates. They are stored as open, so that the next run reports them.
 */
export type Ratchet = {
  /** New findings below this priority do not fail a gate; `null` if all of them do. */
  readonly below: Priority | null;
  readonly tolerated: ReadonlySet<string>;
};

/**
 * Returns the lowest priority with which a new finding fails a gate in this round of `--until-pass`; `null` if any
 * priority does.
 */
export function ratchetBelow(round: number): Priority | null {
  if (round < 3) return null;
  return round === 3 ? 'high' : 'critical';
}

export type RatchetedReview = {
  readonly isRerun: boolean;
  readonly isStale: boolean;
  /** The earlier findings after the review. */
  readonly updated: readonly Finding[];
  readonly added: readonly Finding[];
};

/**
 * Returns the ids of the findings to tolerate after a review: new ones below the priority `below`, and those tolerated
 * before that are still below it. If the reviewer dropped a finding without comment, no new finding is tolerated,
 * because it may be the same problem in other words.
 */
export function toleratedAfter({ below, tolerated }: Ratchet, review: RatchetedReview): ReadonlySet<string> {
  if (below === null) return tolerated;
  const { isRerun, isStale, updated, added } = review;
  const severe = new Set(updated.filter(({ priority }) => !isBelow(priority, below)).map(({ id }) => id));
  const hasDropped = updated.some(({ kept, closed }) => kept === 'closed' && closed?.how === 'silent');
  const toleratesNew = isRerun && !isStale && !hasDropped;
  const toleratedFindings = added.filter(
    ({ kept, priority }) => toleratesNew && kept === 'open' && isBelow(priority, below),
  );
  return new Set([...[...tolerated].filter((id) => !severe.has(id)), ...toleratedFindings.map(({ id }) => id)]);
}
