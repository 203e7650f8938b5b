import { PRIORITIES } from '../domain/finding.ts';
import { isRecord } from '../domain/is-record.ts';
import { SEVERITIES } from '../domain/phase.ts';
import type { AnswerKind } from './answers.ts';
import { withReasons } from './loop-verdict.ts';

/**
 * Brings an answer that is right in substance into the form of its schema: other names for a field, numbers in quotes,
 * null for what is left out. Whatever is unclear is read the way that blocks.
 */
export function normaliseAnswer(kind: AnswerKind, value: unknown): unknown {
  if (!isRecord(value)) return value;
  switch (kind) {
    case 'gate':
      return withoutNulls({
        ...value,
        status: lower(value['status']),
        violations: list(value['violations'] ?? []).map(violation),
        previous: value['previous'] == null ? null : list(value['previous']).map(disposition),
      });
    case 'loop':
      return withReasons(
        withoutNulls({ ...value, issues: list(value['issues'] ?? []).map(issue), summary: value['summary'] ?? '' }),
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
        outlines: list(value['outlines'] ?? []).map((one) => (isRecord(one) ? withoutNulls(one) : one)),
        summary: value['summary'] ?? '',
      };
    case 'probe':
      return { ...value, issues: value['issues'] ?? [] };
  }
}

function violation(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const priority = lower(value['priority']);
  return withoutNulls(
    {
      ...value,
      file: typeof value['file'] === 'string' ? value['file'].replace(/^(?:\.\/)+/, '') : '',
      line: lineOf(value['line']),
      no_such_line: isGiven(value['line']) && lineOf(value['line']) === null ? true : null,
      // A priority that nobody knows must not fall below anyone's threshold.
      priority: PRIORITIES.some((one) => one === priority) ? priority : 'critical',
    },
    ['line'],
  );
}

/** The first line of whatever was given: a number, "12", "12-15", "L12"; null where there is none. */
function lineOf(value: unknown): number | null {
  const first = typeof value === 'string' ? Number(/\d+/.exec(value)?.[0] ?? Number.NaN) : value;
  return typeof first === 'number' && Number.isSafeInteger(first) && first >= 1 ? first : null;
}

function isGiven(value: unknown): boolean {
  return value != null && value !== '';
}

function disposition(value: unknown): unknown {
  return isRecord(value) ? { ...value, state: lower(value['state']), why: value['why'] ?? '' } : value;
}

function issue(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { task, challenge, ...rest } = value;
  const severity = lower(rest['severity']);
  return withoutNulls({
    ...rest,
    severity: SEVERITIES.some((one) => one === severity) ? severity : 'blocker',
    location: rest['location'] ?? task ?? null,
    suggestion: rest['suggestion'] ?? challenge ?? null,
  });
}

function withoutNulls(value: Readonly<Record<string, unknown>>, keep: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key, one]) => one !== null || keep.includes(key)));
}

function lower(value: unknown): unknown {
  return typeof value === 'string' ? value.trim().toLowerCase() : value;
}

// What is no list where one belongs is handed on, so that the schema refuses it.
function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
