import { fence } from '../domain/fence.ts';
import { type LoopIssue, type RoleIssue, SEVERITIES } from '../domain/phase.ts';

/** An issue, and who reported it where that is not plain anyway. */
type ToldIssue = { readonly role: RoleIssue['role'] | null; readonly issue: LoopIssue };

const MOST = 200;
const LONGEST = 4000;

/** Issues as one block of text, the heaviest first; of very many the first, and how many more there are. */
export function tellIssues(issues: readonly ToldIssue[]): string {
  if (issues.length === 0) return '(none)';
  const weight = ({ issue }: ToldIssue) => SEVERITIES.indexOf(issue.severity);
  const sorted = [...issues].sort((a, b) => weight(a) - weight(b));
  const more = sorted.length - MOST;
  return fence(
    [
      ...sorted.slice(0, MOST).map(tellIssue),
      ...(more > 0 ? [`(and ${more} more, which will be told when these are settled)`] : []),
    ].join('\n'),
  );
}

function tellIssue({ role, issue }: ToldIssue): string {
  const tags = [issue.severity, issue.level, issue.category].filter((tag) => tag !== undefined);
  const place = issue.location === undefined ? '' : ` (at: ${line(issue.location)})`;
  return [
    `- ${tags.map((tag) => `[${line(tag)}]`).join(' ')}${role === null ? '' : ` ${role}:`} ${line(issue.description)}${place}`,
    ...suggestion(issue),
  ].join('\n');
}

function suggestion({ suggestion }: LoopIssue): readonly string[] {
  return suggestion === undefined ? [] : [`  Suggestion: ${line(suggestion)}`];
}

/** One issue keeps to its own lines, whatever its text. */
function line(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return short.trim().replace(/\s*[\r\n\u2028\u2029]\s*/g, '\n    ');
}
