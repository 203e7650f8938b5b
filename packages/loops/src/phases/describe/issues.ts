import { oneLine, showInvisible } from '@onceover/base/kernel/escape';
import { SEVERITIES } from '@onceover/base/kernel/review-loops';
import { describeAgentFailure } from '@onceover/base/ui/describe-agent-failure';
import { type Styled, wrapTo } from '@onceover/base/ui/style';
import { count } from '@onceover/base/ui/wording';
import type { PhaseDocument } from '../json-schema.ts';
import type { LoopIssue, LostState, PhaseMark, RoleIssue } from '../types.ts';

export type IssueTags = readonly (string | undefined)[];

/** Returns an issue as a list item: severity, tags, reviewer, description and location, and below it the suggestion. */
export function issueLines(
  { severity, description, location, suggestion }: LoopIssue,
  clean: (text: string) => string,
  { tags, by = '', hint = 'Suggestion' }: { readonly tags: IssueTags; readonly by?: string; readonly hint?: string },
): readonly string[] {
  const labels = [severity, ...tags.filter((tag) => tag !== undefined)].map((tag) => `[${clean(tag)}]`).join(' ');
  const place = location === undefined ? '' : ` (at: ${clean(location)})`;
  return [
    `- ${labels} ${by === '' ? '' : `${by}: `}${clean(description)}${place}`,
    ...(suggestion === undefined ? [] : [`  ${hint}: ${clean(suggestion)}`]),
  ];
}

/** Describes an issue on one line, for `.meta.json`. */
export function describeIssueLine({ role, issue }: RoleIssue): string {
  const place = issue.location === undefined ? '' : ` (at: ${oneLine(issue.location)})`;
  return `[${issue.severity}] ${role}: ${oneLine(issue.description)}${place}`;
}

/**
 * Returns a line that marks an event in the history file, such as a failed resume. Users search for these lines, so
 * their format must not change.
 */
export function describeIssueMark(mark: PhaseMark): string {
  switch (mark.kind) {
    case 'resume-fallback':
      return `RESUME-FALLBACK: ${mark.role} iteration ${mark.iteration} — ${shorten(describeCause(mark.because))}`;
    case 'delta-guard':
      return `DELTA-GUARD: ${mark.role} iteration ${mark.iteration} — ${mark.length}/${mark.limit}`;
    case 'lazy-load-warning':
      return `LAZY-LOAD-WARNING: ${mark.role} did not confirm artifact reads`;
  }
}

/**
 * Returns an agent's text in which the key words of marker lines (such as RESUME-FALLBACK) are in lower case.
 * Otherwise, a search for marker lines in the history would find the agent's text.
 */
export function withoutMarks(text: string): string {
  return text.replace(/RESUME-FALLBACK|DELTA-GUARD|LAZY-LOAD-WARNING/g, (mark) => mark.toLowerCase());
}

const LOST: Readonly<Record<LostState, string>> = {
  session: 'its session is gone',
  snapshot: 'the snapshot of its last review is gone',
  diff: 'the changes could not be determined',
  commit: 'the fixes could not be committed',
};

function describeCause(because: Extract<PhaseMark, { kind: 'resume-fallback' }>['because']): string {
  return because.kind === 'lost' ? LOST[because.what] : withoutMarks(oneLine(describeAgentFailure(because)));
}

const MAX_LENGTH = 300;

function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** Returns the number of issues of each severity, such as "1 blocker, 2 warnings"; empty if there are no issues. */
export function issueCounts(issues: readonly Pick<LoopIssue, 'severity'>[]): string {
  return SEVERITIES.map((severity) => ({
    severity,
    number: issues.filter((issue) => issue.severity === severity).length,
  }))
    .filter(({ number }) => number > 0)
    .map(({ severity, number }) => count(number, severity))
    .join(', ');
}

type OpenIssue = PhaseDocument['open_issues'][number];

/** Returns open issues as they appear in JSON documents: blockers before warnings, otherwise in the given order. */
export function openIssueDocuments(open: readonly RoleIssue[]): OpenIssue[] {
  const documents = open.map(({ role, issue }) => ({ role, ...issueDocument(issue) }));
  return SEVERITIES.flatMap((severity) => documents.filter((document) => document.severity === severity));
}

/** Returns an issue as it appears in JSON documents, with null for missing fields. */
export function issueDocument({ severity, level, category, description, location, suggestion }: LoopIssue) {
  return {
    severity,
    level: level ?? null,
    category: category ?? null,
    description,
    location: location ?? null,
    suggestion: suggestion ?? null,
  };
}

const MAX_ISSUES = 20;

/** Lists open issues. If there are more than `limit`, the last line says where to find the others. */
export function describeOpenIssues(
  open: readonly OpenIssue[],
  style: Styled,
  where: string,
  limit = MAX_ISSUES,
): string {
  if (open.length === 0) return '';
  const omittedCount = open.length - limit;
  return [
    style.paint('strong', `Open: ${issueCounts(open)}`),
    ...open.slice(0, limit).map((issue) => describeIssue(issue, style)),
    ...(omittedCount <= 0 ? [] : [wrapTo(`… and ${omittedCount} more: ${where}.`, style)]),
  ].join('\n');
}

const STYLES = { blocker: 'bad', warning: 'rests', suggestion: 'quiet' } as const satisfies Record<
  LoopIssue['severity'],
  Parameters<Styled['paint']>[0]
>;

function describeIssue(issue: OpenIssue, style: Styled): string {
  const about = [issue.role, issue.level, issue.category, issue.location].map((text) => oneLine(text ?? ''));
  const where = about.filter((text) => text.trim() !== '').join(', ');
  const suggestion = issue.suggestion ?? '';
  return [
    wrapTo(`  ${style.paint(STYLES[issue.severity], issue.severity)}  ${where}`, style),
    ...paragraph(issue.description, style),
    ...(suggestion.trim() === '' ? [] : paragraph(`Suggestion: ${suggestion}`, style)),
  ].join('\n');
}

function paragraph(text: string, style: Styled): readonly string[] {
  const lines = text.trim().split(/\r\n|[\r\n\u2028\u2029]/);
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => wrapTo(`    ${showInvisible(line.trimEnd())}`, style, 0));
}
