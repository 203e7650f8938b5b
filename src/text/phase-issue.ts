import type { RoleIssue } from '../domain/phase.ts';
import { oneLine } from './one-line.ts';

/** An issue of a loop in one line, for lists that others read. */
export function tellIssueLine({ role, issue }: RoleIssue): string {
  const place = issue.location === undefined ? '' : ` (at: ${oneLine(issue.location)})`;
  return `[${issue.severity}] ${role}: ${oneLine(issue.description)}${place}`;
}
