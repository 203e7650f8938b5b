import { type LoopIssue, type RoleIssue, SEVERITIES } from '../domain/phase.ts';
import { showUnseen } from '../domain/quote-name.ts';
import { issueCounts } from './issue-counts.ts';
import { oneLine } from './one-line.ts';
import { fitted, type Shown } from './shown.ts';

const MOST_ISSUES = 20;

/** What is open, the heaviest first; of many, how many more there are and where to see them. */
export function tellOpenIssues(open: readonly RoleIssue[], shown: Shown, where: string): string {
  if (open.length === 0) return '';
  const sorted = heaviestFirst(open);
  const told = sorted.slice(0, MOST_ISSUES).map((one) => tellIssue(one, shown));
  const left = open.length - told.length;
  const title = shown.paint('strong', `Open: ${issueCounts(open.map(({ issue }) => issue))}`);
  return [title, ...told, ...(left === 0 ? [] : [fitted(`… and ${left} more: ${where}.`, shown, 2)])].join('\n');
}

/** Blockers before warnings; otherwise as they were reported. */
export function heaviestFirst(open: readonly RoleIssue[]): readonly RoleIssue[] {
  const weight = ({ issue }: RoleIssue) => SEVERITIES.indexOf(issue.severity);
  return [...open].sort((a, b) => weight(a) - weight(b));
}

const LOOKS = { blocker: 'bad', warning: 'rests', suggestion: 'quiet' } as const satisfies Record<
  LoopIssue['severity'],
  Parameters<Shown['paint']>[0]
>;

function tellIssue({ role, issue }: RoleIssue, shown: Shown): string {
  const about = [issue.level, issue.category, issue.location].filter((one) => one !== undefined && one.trim() !== '');
  const where = [role, ...about.map((one) => oneLine(one ?? ''))].join(', ');
  return [
    fitted(`  ${shown.paint(LOOKS[issue.severity], issue.severity)}  ${where}`, shown, 2),
    ...paragraph(issue.description, shown),
    ...(issue.suggestion === undefined || issue.suggestion.trim() === ''
      ? []
      : paragraph(`Suggestion: ${issue.suggestion}`, shown)),
  ].join('\n');
}

/** What a reviewer wrote, line by line below its title. */
function paragraph(text: string, shown: Shown): readonly string[] {
  const lines = text.trim().split(/\r\n|[\r\n\u2028\u2029]/);
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => fitted(`    ${showUnseen(line.trimEnd())}`, shown, 0));
}
