import type { AgentFailure, UnreadableAnswer } from '@onceover/base/kernel/agent';
import { digestOf } from '@onceover/base/kernel/ids';
import { duplicateKey, isRecord, objectsIn } from '@onceover/base/kernel/json';
import { jsonrepair } from 'jsonrepair';
import { ANSWER_SCHEMAS, type AnswerKind, type Answers } from './answer-schemas.ts';
import { normaliseAnswer } from './normalise-answer.ts';
import {
  foreignField,
  hasRefusalSign,
  namesProblem,
  type Reply,
  refuses,
  saidBefore,
  shortened,
  withRefusal,
} from './refusals.ts';

export type ReadAnswer<K extends AnswerKind> =
  | { readonly ok: true; readonly answer: Answers[K] }
  | { readonly ok: false; readonly failure: Extract<AgentFailure, { kind: 'unreadable-answer' }> };

/**
 * Returns the answer in a reply. It reads all JSON objects in the agent's text, and the structured answer if the agent
 * has a field for it. The last object is the answer. A pass counts only if all objects pass; a refusal only if all
 * refusals in the reply are equal. Slightly broken JSON is repaired, but an answer that was cut off is never completed.
 */
export function readAnswer<K extends AnswerKind>(kind: K, { text, structured }: Reply): ReadAnswer<K> {
  const hasField = structured !== undefined && structured !== null;
  const jsonObjects = objectsIn(text);
  if (jsonObjects.kind === 'truncated') return unreadable('truncated', text);
  if (jsonObjects.kind === 'none' && !hasField) return unreadable(text.trim() === '' ? 'empty' : 'no-object', text);
  const parseResults = jsonObjects.kind === 'found' ? withoutQuotes(jsonObjects.texts).map(parse) : [];
  const parseFailure = parseResults.find((result) => !result.ok);
  if (parseFailure?.ok === false) return unreadable(parseFailure.why, parseFailure.said);
  const values = parseResults.flatMap((result) => (result.ok ? result.values : []));
  return judge(kind, hasField ? [...values, structured] : values);
}

type Parsed =
  | { readonly ok: true; readonly values: readonly unknown[] }
  | { readonly ok: false; readonly why: 'broken-json' | 'duplicate-key'; readonly said: string };

/**
 * Parses a JSON object, or the items of a list. A key that occurs twice is an error, because either of its values may
 * be meant.
 */
function parse(text: string): Parsed {
  for (const attempt of [() => text, () => jsonrepair(text)]) {
    try {
      const json = attempt();
      const value: unknown = JSON.parse(json);
      const twice = duplicateKey(json);
      if (twice !== null) return { ok: false, why: 'duplicate-key', said: twice };
      return { ok: true, values: Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value] };
    } catch {
      // The text is not valid JSON. Continue with the repaired text.
    }
  }
  return { ok: false, why: 'broken-json', said: text };
}

/**
 * Leaves out objects that an agent only quotes: the answer schema, empty objects except the last one, and code that is
 * not JSON and contains no word of an answer. If nothing is left, returns the last object.
 */
function withoutQuotes(texts: readonly string[]): readonly string[] {
  const answerTexts = texts.filter((text, i) => hasRefusalSign(text) || !isQuote(text, i === texts.length - 1));
  return answerTexts.length === 0 ? texts.slice(-1) : answerTexts;
}

function isQuote(text: string, isLast: boolean): boolean {
  if (/^\{\s*\}$/.test(text)) return !isLast;
  try {
    return isSchema(JSON.parse(text));
  } catch {
    return !ANSWER_WORD.test(text);
  }
}

const SCHEMA_KEYS = ['$schema', 'type', 'properties', 'required', 'additionalProperties', '$defs'];

function isSchema(value: unknown): boolean {
  if (!isRecord(value) || value['type'] !== 'object' || !isRecord(value['properties'])) return false;
  const isPlain = Object.keys(value).every((key) => SCHEMA_KEYS.includes(key));
  return isPlain && Object.values(value['properties']).every(isRecord) && !namesProblem(value);
}

const ANSWER_WORD =
  /status|verdict|result|decision|outcome|approv|accept|pass|fail|reject|refus|violation|issue|finding|problem|error|bug|concern|defect|severity|priority|block|warn|critical|vulnerab|summary|disposition|outline|reply/i;

function judge<K extends AnswerKind>(kind: K, values: readonly unknown[]): ReadAnswer<K> {
  const checks = values.map((value) => ({ value, read: check(kind, value) }));
  const last = checks.at(-1)?.read;
  if (last === undefined) return unreadable('no-object', '');
  if (!last.ok || !mayStandAlone(kind, last.answer)) {
    // A pass counts only if every object in the reply passes.
    const nonPass = checks.find(({ read }) => !read.ok || mayStandAlone(kind, read.answer))?.read;
    return nonPass === undefined ? last : nonPass.ok ? unreadable('several-answers', '') : nonPass;
  }
  const lastDigest = digestOf(last.answer);
  const differs = checks.some(({ value, read }) =>
    read.ok ? mayStandAlone(kind, read.answer) && digestOf(read.answer) !== lastDigest : namesProblem(value),
  );
  return differs ? unreadable('several-answers', '') : last;
}

/**
 * Whether an answer counts even if the reply contains another object that passes or is not an answer. This is so for a
 * refusal, and for an answer that judges nothing.
 */
function mayStandAlone<K extends AnswerKind>(kind: K, answer: Answers[K]): boolean {
  return refuses(kind, answer) || kind === 'fixer' || kind === 'outline' || kind === 'probe';
}

function check<K extends AnswerKind>(kind: K, value: unknown): ReadAnswer<K> {
  const parseResult = ANSWER_SCHEMAS[kind].safeParse(normaliseAnswer(kind, value));
  if (!parseResult.success) {
    const [first] = parseResult.error.issues;
    return unreadable('wrong-shape', `${first?.path.map(String).join('.') || 'the answer'}: ${first?.message ?? ''}`);
  }
  const answer = parseResult.data as Answers[K];
  if (mayStandAlone(kind, answer) || !isRecord(value)) return { ok: true, answer };
  const foreign = foreignField(kind, value);
  if (foreign !== null) return unreadable('wrong-shape', `${foreign}: a pass must not have this field`);
  const quotes = Object.values(value).some((field) => typeof field === 'string' && isRefusalIn(kind, field));
  return quotes ? unreadable('several-answers', '') : { ok: true, answer };
}

/** Whether a text contains a refusal in the form that the answer schema requires. */
function isRefusalIn(kind: AnswerKind, text: string): boolean {
  if (!hasRefusalSign(text)) return false;
  return valuesIn(text).some((value) => {
    const readResult = check(kind, value);
    return readResult.ok && refuses(kind, readResult.answer);
  });
}

/**
 * Returns the values of the JSON objects in a text. Invalid objects are left out. If the text was cut off, the list is
 * empty.
 */
function valuesIn(text: string): readonly unknown[] {
  const jsonObjects = objectsIn(text);
  const parseResults = jsonObjects.kind === 'found' ? jsonObjects.texts.map(parse) : [];
  return parseResults.flatMap((result) => (result.ok ? result.values : []));
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
  return hasRefusalSign(content) || namesProblem(valuesIn(content));
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
