import type { AgentFailure, UnreadableAnswer } from '@onceover/base/kernel/agent';
import { digestOf } from '@onceover/base/kernel/ids';
import { duplicateKey, isRecord, objectsIn } from '@onceover/base/kernel/json';
import { jsonrepair } from 'jsonrepair';
import { answerObject } from './answer-form.ts';
import { ANSWER_SCHEMAS, type AnswerKind, type Answers, PASS_FORMS, type VerdictKind } from './answer-schemas.ts';
import { normaliseAnswer } from './normalise-answer.ts';
import { hasRefusalSign, namesProblem, type Reply, refuses, saidBefore, shortened, withRefusal } from './refusals.ts';

type Read<K extends AnswerKind> = { readonly ok: true; readonly answer: Answers[K] };

export type ReadAnswer<K extends AnswerKind> =
  | Read<K>
  | { readonly ok: false; readonly failure: Extract<AgentFailure, { kind: 'unreadable-answer' }> };

/**
 * Returns the answer in a reply. A pass counts only if the whole reply has the exact form of a pass, because text or
 * fields beside it may contradict it. A refusal also counts with text around it, as long as it is the only answer in the
 * reply and nothing of it is left out: of what is left, all might only warn. An answer that was cut off is never
 * completed.
 */
export function readAnswer<K extends AnswerKind>(kind: K, reply: Reply): ReadAnswer<K> {
  const whole = wholeAnswer(kind, reply);
  if (whole.ok && !refusesBesides(kind, reply)) return whole;
  const only = onlyAnswer(kind, reply);
  if (only !== null && (!isVerdict(kind) || refuses(kind, only.answer))) return only;
  return whole.ok ? unreadable('several-answers', reply.text) : whole;
}

/** Returns the answer that the whole reply consists of. */
function wholeAnswer<K extends AnswerKind>(kind: K, reply: Reply): ReadAnswer<K> {
  const object = answerObject(reply);
  if (!object.ok) return unreadable(object.why, object.said);
  const readResult = check(kind, object.value);
  if (!readResult.ok || !isVerdict(kind)) return readResult;
  if (refuses(kind, readResult.answer))
    return isComplete(kind, object.value) ? readResult : unreadable('wrong-shape', LEFT_OUT);
  const form = PASS_FORMS[kind].safeParse(object.value);
  if (!form.success) return wrongShape(form.error.issues);
  // A model may put its real answer, a refusal, into the message of a pass.
  const quoted = stringsIn(object.value).flatMap(repairedValues);
  const isQuoted = quoted.some((value) => isReadableRefusal(kind, value));
  return isQuoted ? unreadable('several-answers', '') : readResult;
}

function isVerdict(kind: AnswerKind): kind is VerdictKind {
  return kind in PASS_FORMS;
}

const LEFT_OUT = 'it has lists or objects in fields that the schema does not have';

/** Whether reading a refusal leaves out no list and no object, which may contain more problems. */
function isComplete(kind: AnswerKind, value: unknown): boolean {
  if (!isVerdict(kind)) return true;
  const issues = PASS_FORMS[kind].safeParse(value).error?.issues ?? [];
  return issues.every((issue) => {
    if (issue.code !== 'unrecognized_keys') return true;
    const place: unknown = issue.path.reduce<unknown>(
      (at, key) => (Object(at) as Record<PropertyKey, unknown>)[key],
      value,
    );
    return issue.keys.every((key) => !isRecord(place) || typeof place[key] !== 'object' || place[key] === null);
  });
}

/** Whether the text beside a structured answer contains a refusal. An agent may also repeat its answer there. */
function refusesBesides(kind: AnswerKind, { text, structured }: Reply): boolean {
  if (structured === undefined || structured === null || objectsIn(text).kind === 'none') return false;
  const object = answerObject({ text, structured: null });
  if (object.ok && digestOf(object.value) === digestOf(structured)) return false;
  return isRefusal({ text, structured: null }) || repairedValues(text).some((value) => isReadableRefusal(kind, value));
}

function isReadableRefusal(kind: AnswerKind, value: unknown): boolean {
  const readResult = check(kind, value);
  return hasOwnField(kind, value) && readResult.ok && refuses(kind, readResult.answer);
}

// Missing fields may have defaults, so any object, such as a piece of code, could be read as an answer.
function hasOwnField(kind: AnswerKind, value: unknown): boolean {
  return isRecord(value) && Object.keys(value).some((key) => key in ANSWER_SCHEMAS[kind].shape);
}

/** Returns all strings in a JSON value. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/**
 * Returns the answer in a reply that contains exactly one, with any text and other JSON around it. Returns `null` if
 * there are several different ones, or if something else in the reply names a problem. Broken JSON is repaired only in
 * answers that judge nothing.
 */
function onlyAnswer<K extends AnswerKind>(kind: K, { text, structured }: Reply): Read<K> | null {
  const texts = objectTexts(text);
  if (texts === null) return null;
  const objects = texts.map((json) => ({ json, values: isVerdict(kind) ? parseValues(json) : parseRepaired(json) }));
  if (objects.some(({ json, values }) => values === null && isRefusal({ text: json, structured: null }))) return null;
  const values = [...objects.flatMap((object) => object.values ?? []), ...(isRecord(structured) ? [structured] : [])];
  const checks = values.map((value) => ({ value, read: check(kind, value) }));
  const [first, ...others] = checks.flatMap(({ value, read }) => (read.ok && hasOwnField(kind, value) ? [read] : []));
  if (first === undefined || others.some(({ answer }) => digestOf(answer) !== digestOf(first.answer))) return null;
  return checks.some(({ value, read }) => (read.ok ? !isComplete(kind, value) : namesProblem(value))) ? null : first;
}

/** Returns the JSON objects in a text, as texts; `null` if the last one was cut off. */
function objectTexts(text: string): readonly string[] | null {
  const jsonObjects = objectsIn(text);
  if (jsonObjects.kind === 'truncated') return null;
  return jsonObjects.kind === 'found' ? jsonObjects.texts : [];
}

/** Returns the values of the JSON objects in a text, with broken JSON repaired; empty if the text was cut off. */
function repairedValues(text: string): readonly unknown[] {
  return (objectTexts(text) ?? []).flatMap((json) => parseRepaired(json) ?? []);
}

function parseRepaired(json: string): readonly unknown[] | null {
  try {
    return parseValues(json) ?? parseValues(jsonrepair(json));
  } catch {
    return null;
  }
}

/**
 * Parses a JSON object, or the items of a list. Returns `null` if the JSON is broken or has a key twice, because either
 * of its values may be meant.
 */
function parseValues(json: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(json);
    if (duplicateKey(json) !== null) return null;
    return Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value];
  } catch {
    return null;
  }
}

function check<K extends AnswerKind>(kind: K, value: unknown): ReadAnswer<K> {
  const parseResult = ANSWER_SCHEMAS[kind].safeParse(normaliseAnswer(kind, value));
  return parseResult.success
    ? { ok: true, answer: parseResult.data as Answers[K] }
    : wrongShape(parseResult.error.issues);
}

type FormIssue = { readonly path: readonly PropertyKey[]; readonly message: string };

function wrongShape([first]: readonly FormIssue[]) {
  return unreadable('wrong-shape', `${first?.path.map(String).join('.') || 'the answer'}: ${first?.message ?? ''}`);
}

function unreadable(why: UnreadableAnswer, text: string) {
  return { ok: false, failure: { kind: 'unreadable-answer', why, said: shortened(text, 500) } } as const;
}

/**
 * Returns `later`, the answer that was read after the unreadable reply `first`. If `first` was a refusal and `later`
 * passes, returns a refusal that quotes `first`, so that no problem is lost.
 */
export function keepRefusal<K extends AnswerKind>(kind: K, first: Reply, later: Answers[K]): Answers[K] {
  return isRefusal(first) ? withRefusal(kind, first, later) : later;
}

function isRefusal(reply: Reply): boolean {
  const content = saidBefore(reply);
  return hasRefusalSign(content) || namesProblem(repairedValues(content));
}

const LONGEST_SUMMARY = 1000;

/**
 * Returns an answer made from a fixing agent's unreadable reply, because its edits are already made; `null` for other
 * agents.
 */
export function answerFromEdits<K extends AnswerKind>(kind: K, reply: Reply): Answers[K] | null {
  const edits: Answers['fixer'] = { summary: reply.text.trim().slice(0, LONGEST_SUMMARY) };
  return kind === 'fixer' ? (edits as Answers[K]) : null;
}
