import { jsonrepair } from 'jsonrepair';
import { PRIORITIES } from '../config/settings.ts';
import type { AgentFailure, UnreadableAnswer } from '../kernel/agent.ts';
import { isRecord, lastObject } from '../kernel/json.ts';
import { SEVERITIES } from '../kernel/review-loops.ts';
import { ANSWER_SCHEMAS, type AnswerKind, type Answers } from './answer-schemas.ts';

/** A reply from which the answer has not been read yet. */
type Reply = { readonly text: string; readonly structured: unknown };

/** By kind of answer: turns a repeated answer that passes into a refusal, and returns any other answer unchanged. */
const REFUSE: { readonly [K in AnswerKind]?: (first: Reply, repeated: Answers[K]) => Answers[K] } = {
  gate(first, repeated) {
    if (repeated.status !== 'pass' || repeated.violations.length > 0) return repeated;
    const issue = `The reviewer failed the change in ${quoteFirst(first, 'passed it')}`;
    return { ...repeated, status: 'fail', violations: [{ file: '', line: null, issue, priority: 'critical' }] };
  },
  loop(first, repeated) {
    if (!repeated.approved || repeated.issues.some(({ severity }) => severity !== 'suggestion')) return repeated;
    const description = `The reviewer refused in ${quoteFirst(first, 'approved')}`;
    return { ...repeated, approved: false, issues: [...repeated.issues, { severity: 'blocker', description }] };
  },
  quality(first, repeated) {
    if (!repeated.passed) return repeated;
    const why = `The reviewer failed something in ${quoteFirst(first, 'passed everything')}`;
    return { ...repeated, passed: false, feedback: `${repeated.feedback}\n\n${why}` };
  },
};

/**
 * Returns the answer to a repair question. If the first, unreadable answer was a refusal and the repeated one passes,
 * the result is a refusal that quotes the first answer.
 */
export function keepRefusal<K extends AnswerKind>(kind: K, first: Reply, repeated: Answers[K]): Answers[K] {
  return isRefusal(first) ? (REFUSE[kind]?.(first, repeated) ?? repeated) : repeated;
}

const LONGEST_SUMMARY = 1000;

/** Makes an answer from a fixer's unreadable reply, because its edits are already made; `null` for other agents. */
export function answerFromEdits<K extends AnswerKind>(kind: K, reply: Reply): Answers[K] | null {
  const edits: Answers['fixer'] = { summary: reply.text.trim().slice(0, LONGEST_SUMMARY) };
  return kind === 'fixer' ? (edits as Answers[K]) : null;
}

/** Signs that an answer is not a pass. A malformed answer may use the words of another kind of answer. */
const REFUSALS = [
  /["']?status["']?\s*:\s*["']?\s*(?:fail|reject|refuse|block|not[ _-]|needs?[ _-]|changes?[ _-])/i,
  /["']?violations["']?\s*:\s*\[\s*[^\]\s]/i,
  /["']?(?:approved|passed)["']?\s*:\s*["']?\s*(?:false|fail|no\b(?!\s+(?:issue|problem|finding|violation|concern)))/i,
  // An agent may repeat the requested form, "blocker|warning", which is not a refusal, so the lookahead skips it.
  /["']?severity["']?\s*:\s*["']?\s*(?:blocker|warning)\b(?!\s*\|)/i,
];

function isRefusal(reply: Reply): boolean {
  const content = contentOf(reply);
  return REFUSALS.some((sign) => sign.test(content));
}

function contentOf({ text, structured }: Reply): string {
  if (typeof structured === 'string' && structured.trim() !== '') return structured.trim();
  return isRecord(structured) || Array.isArray(structured) ? JSON.stringify(structured) : text.trim();
}

function quoteFirst(first: Reply, then: string): string {
  const quoted = shortened(contentOf(first), 2000);
  return `an answer that could not be read, and ${then} when asked to repeat that answer. It had said: ${quoted}`;
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns an answer in which every refusal has a blocking issue for a fixer to act on. A refusal without one gets a
 * blocker with its summary; a failed level without an issue gets a blocker that names the level.
 */
function withDefaultReasons(answer: Fields): Fields {
  const issues: readonly unknown[] = Array.isArray(answer['issues']) ? answer['issues'] : [];
  const added = Object.entries(levelsPassed(answer['levels']) ?? {})
    .filter(([, passed]) => !passed)
    .map(([name]) => name)
    .filter((level) => !issues.some((one) => isRecord(one) && one['level'] === level))
    .map((level) => blocker(`Level "${level}" is reported as failed, without an issue that says why.`, { level }));
  const all = [...issues, ...added];
  if (answer['approved'] !== false || all.some(isBlocking)) return { ...answer, issues: all };
  return { ...answer, issues: [...all, blocker(refusal(answer['summary']))] };
}

/** Returns whether each level passed; `null` if no level has a clear result. */
function levelsPassed(levels: unknown): Readonly<Record<string, boolean>> | null {
  if (!isRecord(levels)) return null;
  const judged = Object.entries(levels).flatMap(([name, level]) => {
    const passed = isRecord(level) ? level['passed'] : level;
    return typeof passed === 'boolean' ? [[name, passed] as const] : [];
  });
  return judged.length === 0 ? null : Object.fromEntries(judged);
}

function refusal(summary: unknown): string {
  if (typeof summary === 'string' && summary.trim() !== '') return `Not approved: ${summary.trim()}`;
  return 'The reviewer did not approve and gave no reason.';
}

function blocker(description: string, more: Fields = {}): Fields {
  return { severity: 'blocker', description, ...more };
}

// An issue that is not an object counts as blocking here; the schema rejects it later.
function isBlocking(issue: unknown): boolean {
  return !isRecord(issue) || issue['severity'] !== 'suggestion';
}

/**
 * Returns an answer in the form of its schema: alternative field names, numbers in quotes, and null for omitted fields
 * are accepted. An ambiguous value is read as blocking.
 */
function normaliseAnswer(kind: AnswerKind, value: unknown): unknown {
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
      return withDefaultReasons(
        withoutNulls({
          ...value,
          issues: list(value['issues'] ?? []).map(issue),
          summary: value['summary'] ?? '',
          levels: levelsPassed(value['levels']),
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
      no_such_line: (value['line'] ?? '') !== '' && lineOf(value['line']) === null ? true : null,
      // An unknown priority counts as critical, so that the setting `fail_on` cannot turn it into a warning.
      priority: PRIORITIES.some((one) => one === priority) ? priority : 'critical',
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
  return isRecord(value) ? { ...value, state: lower(value['state']), why: value['why'] ?? '' } : value;
}

function issue(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { task, challenge, ...rest } = value;
  const severity = lower(rest['severity']);
  return withoutNulls({
    ...rest,
    severity: SEVERITIES.some((one) => one === severity) ? severity : 'blocker',
    level: typeof rest['level'] === 'string' ? rest['level'] : null,
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

// A value that is not a list becomes the only element of one, so that the schema checks it and no finding is lost.
function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

export type ReadAnswer<K extends AnswerKind> =
  | { readonly ok: true; readonly answer: Answers[K] }
  | { readonly ok: false; readonly failure: Extract<AgentFailure, { kind: 'unreadable-answer' }> };

/**
 * Returns the answer in the agent's structured field, else in the last JSON object of its text. Slightly broken JSON is
 * repaired before the schema is checked, but a truncated answer is never completed.
 */
export function readAnswer<K extends AnswerKind>(kind: K, reply: Reply): ReadAnswer<K> {
  if (reply.structured !== undefined && reply.structured !== null) return check(kind, reply.structured, reply.text);
  if (reply.text.trim() === '') return unreadable('empty', '');
  const extracted = lastObject(reply.text);
  switch (extracted.kind) {
    case 'none':
      return unreadable('no-object', reply.text);
    case 'truncated':
      return unreadable('truncated', reply.text);
    case 'object': {
      const parsed = parse(extracted.text);
      return parsed.ok ? check(kind, parsed.value, reply.text) : unreadable('broken-json', reply.text);
    }
  }
}

function parse(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  for (const attempt of [() => text, () => jsonrepair(text)]) {
    try {
      return { ok: true, value: JSON.parse(attempt()) };
    } catch {
      // The text is not valid JSON, so try the repaired text.
    }
  }
  return { ok: false };
}

function check<K extends AnswerKind>(kind: K, value: unknown, text: string): ReadAnswer<K> {
  const checked = ANSWER_SCHEMAS[kind].safeParse(normaliseAnswer(kind, value));
  if (checked.success) return { ok: true, answer: checked.data as Answers[K] };
  const [first] = checked.error.issues;
  if (first === undefined) return unreadable('wrong-shape', text);
  return unreadable('wrong-shape', `${first.path.map(String).join('.') || 'the answer'}: ${first.message}`);
}

function unreadable(why: UnreadableAnswer, said: string) {
  return { ok: false, failure: { kind: 'unreadable-answer', why, said: shortened(said, 500) } } as const;
}
