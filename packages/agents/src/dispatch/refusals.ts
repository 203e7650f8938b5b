import { isRecord, objectsIn } from '@onceover/base/kernel/json';
import type { AnswerKind, Answers } from './answer-schemas.ts';

/** A reply whose answer has not been parsed yet. */
export type Reply = { readonly text: string; readonly structured: unknown };

/**
 * Whether an answer rejects the work or names a problem. Always `false` for answers that judge nothing, such as that of
 * a fixing agent.
 */
export function refuses<K extends AnswerKind>(kind: K, answer: Answers[K]): boolean {
  return REFUSES[kind]?.(answer) ?? false;
}

const REFUSES: { readonly [K in AnswerKind]?: (answer: Answers[K]) => boolean } = {
  gate: ({ status, violations, previous = [] }) =>
    status !== 'pass' || violations.length > 0 || previous.some(({ state }) => state === 'open'),
  loop: ({ approved, issues }) => !approved || issues.some(({ severity }) => severity !== 'suggestion'),
  quality: ({ passed, criteria_results: criteria = [] }) => !passed || criteria.some((criterion) => !criterion.passed),
};

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return NOTHING.test(value.trim().replace(/\.$/, ''));
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === null || value === undefined || value === false || value === 0;
}

const NOTHING = /^(?:|none|no|nothing|null|n\/?a|0|false|-|no (?:issue|problem|finding|violation|concern)s?.*)$/i;

/**
 * Whether a value, or any value inside it, has the form of a refusal or a finding. Other JSON may be quoted code, even
 * if it contains a word such as "error", so it does not count.
 */
export function namesProblem(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesProblem);
  if (!isRecord(value)) return false;
  const entries = Object.entries(value);
  const isAnswer = entries.some(([key]) => /^(?:status|approved|passed|violations)$/i.test(key.trim()));
  const isList = (field: unknown) => Array.isArray(field) || (isAnswer && typeof field !== 'object');
  const says = (pattern: RegExp) =>
    entries.some(([key, field]) => pattern.test(key) && !isEmpty(field) && !isRecord(field));
  const isFinding = says(DESCRIPTION) && says(PLACE);
  return (
    isFinding ||
    entries.some(([key, field]) => (isList(field) && PROBLEMS.test(key) && !isEmpty(field)) || namesProblem(field))
  );
}

const DESCRIPTION = /^(?:issue|problem|description|message|violation|finding|bug|defect|concern|comment)$/i;

const PLACE = /^(?:file|path|line|location|severity|priority)$/i;

const PROBLEMS = /violations|issues|findings|problems|defects|vulnerabilities|blockers/i;

/**
 * Patterns that show a refusal in text that is not valid JSON. They cover all kinds of answers, because agents mix the
 * forms up.
 */
const SIGNS = [
  /["']?(?:status|verdict|decision)["']?\s*:\s*["']?\s*(?:fail|reject|refuse|block|not[ _-]|needs?[ _-]|changes?[ _-])/i,
  /["']?violations["']?\s*:\s*\[\s*[^\]\s]/i,
  /["']?(?:approved|passed)["']?\s*:\s*["']?\s*(?:false|fail|no\b(?!\s+(?:issue|problem|finding|violation|concern)))/i,
  // An agent may repeat the form of the answer, "blocker|warning", which is not a refusal. The lookahead excludes that.
  /["']?severity["']?\s*:\s*["']?\s*(?:blocker|warning)\b(?!\s*\|)/i,
];

/** Whether a text contains a sign of a refusal, such as `"status": "fail"`. */
export function hasRefusalSign(text: string): boolean {
  return SIGNS.some((sign) => sign.test(text));
}

/** For each kind of answer that can pass, a function that changes a pass into a refusal. */
const REFUSE: { readonly [K in AnswerKind]?: (first: Reply, later: Answers[K]) => Answers[K] } = {
  gate(first, later) {
    const issue = `The reviewer failed the change in ${quoteFirst(first, 'passed it')}`;
    return { ...later, status: 'fail', violations: [{ file: '', line: null, issue, priority: 'critical' }] };
  },
  loop(first, later) {
    const description = `The reviewer refused in ${quoteFirst(first, 'approved')}`;
    return { ...later, approved: false, issues: [...later.issues, { severity: 'blocker', description }] };
  },
  quality(first, later) {
    const why = `The reviewer failed something in ${quoteFirst(first, 'passed everything')}`;
    return { ...later, passed: false, feedback: `${later.feedback}\n\n${why}` };
  },
};

/**
 * If `later` passes, changes it into a refusal that quotes `first`, an unreadable reply. Otherwise returns it
 * unchanged.
 */
export function withRefusal<K extends AnswerKind>(kind: K, first: Reply, later: Answers[K]): Answers[K] {
  return refuses(kind, later) ? later : (REFUSE[kind]?.(first, later) ?? later);
}

/**
 * Returns what the agent said, to quote it: its structured answer or its text, or both if the text contains JSON
 * objects too.
 */
export function saidBefore({ text, structured }: Reply): string {
  const trimmedText = text.trim();
  const isText = typeof structured === 'string' && structured.trim() !== '';
  if (!isText && !isRecord(structured) && !Array.isArray(structured)) return trimmedText;
  const field = isText ? structured.trim() : JSON.stringify(structured);
  return objectsIn(trimmedText).kind === 'none' || trimmedText === field ? field : `${field}\n${trimmedText}`;
}

function quoteFirst(first: Reply, then: string): string {
  const quotation = shortened(saidBefore(first), 2000);
  return `an answer that could not be read, and a later answer ${then}. The first answer said: ${quotation}`;
}

export function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
