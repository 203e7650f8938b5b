import type { Finding, Priority } from '../domain/finding.ts';
import type { Settings } from '../domain/settings.ts';

const RANKS: Readonly<Record<Priority, number>> = { low: 0, medium: 1, high: 2, critical: 3 };

/** Whether a priority lies below a threshold. */
export function isBelow(priority: Priority, threshold: Priority): boolean {
  return RANKS[priority] < RANKS[threshold];
}

/** The graver of two priorities. */
export function graver(a: Priority, b: Priority): Priority {
  return isBelow(a, b) ? b : a;
}

/** From which priority on a finding is more than a warning. */
export type WarnLevels = Pick<Settings, 'failOn' | 'rerunNewIssueThreshold'>;

/** Whether a finding of this priority only warns; what was new on a rerun has a second threshold. */
export function onlyWarns(priority: Priority, { onRerun }: Pick<Finding, 'onRerun'>, levels: WarnLevels): boolean {
  const { failOn, rerunNewIssueThreshold } = levels;
  return isBelow(priority, onRerun === true ? graver(failOn, rerunNewIssueThreshold) : failOn);
}
