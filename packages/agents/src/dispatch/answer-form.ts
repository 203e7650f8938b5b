import type { UnreadableAnswer } from '@onceover/base/kernel/agent';
import { duplicateKey, isRecord, objectsIn } from '@onceover/base/kernel/json';
import type { Reply } from './refusals.ts';

/** The JSON object that a reply consists of, or why the reply is something else. */
export type AnswerObject =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly why: UnreadableAnswer; readonly said: string };

/**
 * Returns the object that a reply consists of: the structured answer if the agent has a field for it, otherwise the one
 * JSON object in its text. Only white space, one code fence and a lead-in may be around the object. Nothing is repaired.
 */
export function answerObject({ text, structured }: Reply): AnswerObject {
  if (structured !== undefined && structured !== null) return { ok: true, value: structured };
  const { leadIn, json } = splitReply(text);
  const value = isLeadIn(leadIn) ? parsedObject(json) : null;
  if (value === null) return { ok: false, ...otherForm(text) };
  const twice = duplicateKey(json);
  return twice === null ? { ok: true, value } : { ok: false, why: 'duplicate-key', said: twice };
}

const LONGEST_LEAD_IN = 4000;

const FENCE = /(?:^|\n)[^\S\n]*(`{3,}|~{3,})[^\S\n]*\w*[^\S\n]*\n\s*$/;

/** Splits a text before its first brace. A code fence around the rest is removed. */
function splitReply(text: string): { readonly leadIn: string; readonly json: string } {
  // `trim` also removes a byte order mark.
  const trimmedText = text.trim();
  const begin = trimmedText.indexOf('{');
  if (begin === -1) return { leadIn: trimmedText, json: '' };
  const [before, json] = [trimmedText.slice(0, begin), trimmedText.slice(begin)];
  const fence = before.length > LONGEST_LEAD_IN ? null : FENCE.exec(before);
  if (fence === null) return { leadIn: before, json };
  const closing = fence[1] ?? '';
  const isClosed = json.endsWith(`\n${closing}`);
  return { leadIn: before.slice(0, fence.index), json: isClosed ? json.slice(0, -closing.length).trimEnd() : json };
}

/**
 * Whether a text may stand before an answer: nothing, the line "Files read: …" of a review loop, or one line that
 * announces the answer. An announcement ends with a colon and has no other sentence in it, so a judgement, which is a
 * sentence, does not fit.
 */
export function isLeadIn(text: string): boolean {
  if (text.length > LONGEST_LEAD_IN) return false;
  const lines = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const others = FILES_READ.test(lines[0] ?? '') ? lines.slice(1) : lines;
  return others.length === 0 || (others.length === 1 && ANNOUNCEMENT.test(others[0] ?? ''));
}

const ANNOUNCEMENT = /^(?!.*\.\s)[\p{L}\p{M}\p{N}\p{Zs},'’_/*#().-]{1,120}[:：]\**$/u;

// The form that prompts of review loops ask for: names with numbers of lines, separated by commas.
const FILES_READ = /^\**Files read:\**(?: *[^\s,()]+(?: [^\s,()]+){0,3} \([^()]{0,10}\d[^()]{0,10}\)[,.]?){1,20}$/;

function parsedObject(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Names the reason why a text does not consist of one object, for people and for the agent. */
function otherForm(text: string): { readonly why: UnreadableAnswer; readonly said: string } {
  const jsonObjects = objectsIn(text);
  if (jsonObjects.kind === 'truncated') return { why: 'truncated', said: text };
  if (jsonObjects.kind === 'none') return { why: text.trim() === '' ? 'empty' : 'no-object', said: text };
  const [first, ...others] = jsonObjects.texts;
  if (others.length > 0 || first.startsWith('[')) return { why: 'several-answers', said: text };
  return { why: parsedObject(first) === null ? 'broken-json' : 'extra-text', said: text };
}
