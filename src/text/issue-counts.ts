import { type LoopIssue, SEVERITIES } from '../domain/phase.ts';
import { count } from './count.ts';

/** How many issues of each severity there are: "1 blocker, 2 warnings"; empty where there is none. */
export function issueCounts(issues: readonly LoopIssue[]): string {
  return SEVERITIES.map((severity) => ({ severity, number: issues.filter((one) => one.severity === severity).length }))
    .filter(({ number }) => number > 0)
    .map(({ severity, number }) => count(number, severity))
    .join(', ');
}
