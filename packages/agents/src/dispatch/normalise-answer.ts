import { isRecord } from '@onceover/base/kernel/json';
import { SEVERITIES } from '@onceover/base/kernel/review-loops';
import { PRIORITIES } from '@onceover/repo/config/settings';
import type { AnswerKind } from './answer-schemas.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns an answer in the form of its schema. It accepts other names for some fields, numbers in quotes, and null for
 * a missing field. An ambiguous value is read as a problem that blocks.
 */
export function normaliseAnswer(kind: AnswerKind, value: unknown): unknown {
  if (!isRecord(value)) return value;
  switch (kind) {
    case 'gate':
      return withoutNulls({
        ...value,
        status: lower(value['status']),
        violations: listOr(lower(value['status']) === 'fail' ? [] : null, value['violations'], violation),
        previous: value['previous'] == null ? null : list(value['previous']).map(disposition),
      });
    case 'loop':
      return withDefaultReasons(
        withoutNulls({
          ...value,
          issues: listOr(value['approved'] === false ? [] : null, value['issues'], issue),
          summary: value['summary'] ?? '',
          levels: levelsPassed(value['levels'] ?? null),
        }),
      );
    case 'quality':
      return withoutNulls({
        ...value,
        passed: value['passed'] ?? false,
        feedback: value['feedback'] ?? 'No feedback provided',
      });
    case 'fixer':
      return withoutNulls({ ...value });
    case 'outline':
      return {
        ...value,
        outlines: list(value['outlines'] ?? []).map((outline) => (isRecord(outline) ? withoutNulls(outline) : outline)),
        summary: value['summary'] ?? '',
      };
    case 'probe':
      return { ...value, issues: value['issues'] ?? [] };
  }
}

/**
 * Returns the answer with a blocking issue for each refusal, so that the fixing agent knows what to fix. If the answer
 * names none, its summary becomes one; for a failed level without an issue, one is added that names the level.
 */
function withDefaultReasons(answer: Fields): Fields {
  if (!Array.isArray(answer['issues'])) return answer;
  const issues: readonly unknown[] = answer['issues'];
  const explainedLevels = new Set(
    issues.filter(isBlocking).map((blockingIssue) => (isRecord(blockingIssue) ? blockingIssue['level'] : null)),
  );
  const levels = isRecord(answer['levels']) ? Object.entries(answer['levels']) : [];
  const addedIssues = levels
    .filter(([level, hasPassed]) => hasPassed === false && !explainedLevels.has(level))
    .map(([level]) => blocker(`Level "${level}" is reported as failed, without an issue that says why.`, { level }));
  const allIssues = [...issues, ...addedIssues];
  if (answer['approved'] !== false || allIssues.some(isBlocking)) return { ...answer, issues: allIssues };
  return { ...answer, issues: [...allIssues, blocker(refusal(answer['summary']))] };
}

/**
 * Returns whether the work passed on each level. A level that was not judged is left out; an unclear result counts as
 * failed.
 */
function levelsPassed(levels: unknown): unknown {
  if (!isRecord(levels)) return levels;
  const results = Object.entries(levels).flatMap(([name, level]) => {
    const verdict = isRecord(level) ? level['passed'] : level;
    if (typeof verdict === 'boolean') return [[name, verdict] as const];
    const isHarmless =
      verdict === null || verdict === undefined || (typeof verdict === 'string' && PASSED.test(verdict));
    return isHarmless ? [] : [[name, false] as const];
  });
  return results.length === 0 ? null : Object.fromEntries(results);
}

const PASSED = /^\s*(?:|pass(?:ed)?|ok|yes|true|n\/?a|none|not applicable)\s*$/i;

function refusal(summary: unknown): string {
  if (typeof summary === 'string' && summary.trim() !== '') return `Not approved: ${summary.trim()}`;
  return 'The reviewer did not approve and gave no reason.';
}

function blocker(description: string, fields: Fields = {}): Fields {
  return { severity: 'blocker', description, ...fields };
}

// An issue that is not an object counts as blocking here. The schema rejects the answer later.
function isBlocking(issue: unknown): boolean {
  return !isRecord(issue) || issue['severity'] !== 'suggestion';
}

function violation(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const priority = lower(value['priority']);
  return withoutNulls(
    {
      ...value,
      file: typeof value['file'] === 'string' ? value['file'].replace(/^(?:\.\/)+/, '') : '',
      line: lineOf(value['line']),
      no_such_line: (value['line'] ?? '') !== '' && lineOf(value['line']) === null ? true : null,
      // An unknown priority counts as critical. Otherwise the setting `fail_on` could turn it into a warning.
      priority: PRIORITIES.some((candidate) => candidate === priority) ? priority : 'critical',
    },
    ['line'],
  );
}

/** Returns the first line number in a value such as 12, "12", "12-15" or "L12"; `null` if there is none. */
function lineOf(value: unknown): number | null {
  const first = typeof value === 'string' ? Number(/\d+/.exec(value)?.[0] ?? Number.NaN) : value;
  return typeof first === 'number' && Number.isSafeInteger(first) && first >= 1 ? first : null;
}

function disposition(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const id =
    typeof value['id'] === 'string'
      ? (/^\W*(f\d+)\W*$/i.exec(value['id'])?.[1]?.toUpperCase() ?? value['id'])
      : value['id'];
  return { ...value, id, state: lower(value['state']), why: value['why'] ?? '' };
}

function issue(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { task, challenge, ...rest } = value;
  const severity = lower(rest['severity']);
  return withoutNulls({
    ...rest,
    severity: SEVERITIES.some((candidate) => candidate === severity) ? severity : 'blocker',
    level: typeof rest['level'] === 'string' ? rest['level'] : null,
    location: rest['location'] ?? task ?? null,
    suggestion: rest['suggestion'] ?? challenge ?? null,
  });
}

function withoutNulls(value: Readonly<Record<string, unknown>>, keep: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key, field]) => field !== null || keep.includes(key)));
}

function lower(value: unknown): unknown {
  return typeof value === 'string' ? value.trim().toLowerCase() : value;
}

/**
 * Returns the converted items of a list. If the list is missing, returns `whenOmitted`; if that is null, the answer is
 * invalid.
 */
function listOr(whenOmitted: [] | null, value: unknown, item: (value: unknown) => unknown): unknown[] | null {
  return value === undefined || value === null ? whenOmitted : list(value).map(item);
}

// Wrap a value that is not a list in a list, so that the schema checks it and no finding is lost.
function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
