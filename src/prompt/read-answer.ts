import { jsonrepair } from 'jsonrepair';
import type { AgentFailure, UnreadableAnswer } from '../domain/agent.ts';
import { lastObject } from '../domain/last-object.ts';
import { ANSWER_SCHEMAS, type AnswerKind, type Answers } from './answers.ts';
import { normaliseAnswer } from './normalise-answer.ts';

export type ReadAnswer<K extends AnswerKind> =
  | { readonly ok: true; readonly answer: Answers[K] }
  | { readonly ok: false; readonly failure: Extract<AgentFailure, { kind: 'unreadable-answer' }> };

/**
 * Reads an answer: the agent's own field for it, else the last object in its text, repaired once where it is not quite
 * JSON, then checked. What is cut off is never completed.
 */
export function readAnswer<K extends AnswerKind>(
  kind: K,
  reply: { readonly text: string; readonly structured: unknown },
): ReadAnswer<K> {
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
      // The next attempt, or none.
    }
  }
  return { ok: false };
}

function check<K extends AnswerKind>(kind: K, value: unknown, text: string): ReadAnswer<K> {
  const checked = ANSWER_SCHEMAS[kind].safeParse(normaliseAnswer(kind, value));
  if (checked.success) return { ok: true, answer: checked.data as Answers[K] };
  const first = checked.error.issues[0];
  const where = first === undefined ? '' : `${first.path.map(String).join('.') || 'the answer'}: ${first.message}`;
  return unreadable('wrong-shape', where === '' ? text : where);
}

const LONGEST_QUOTE = 500;

function unreadable(why: UnreadableAnswer, said: string) {
  const short = said.length > LONGEST_QUOTE ? `${said.slice(0, LONGEST_QUOTE)}…` : said;
  return { ok: false, failure: { kind: 'unreadable-answer', why, said: short } } as const;
}
