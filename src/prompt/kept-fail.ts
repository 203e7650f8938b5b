import { isRecord } from '../domain/is-record.ts';
import type { Answers } from './answers.ts';

type Said = { readonly text: string; readonly structured: unknown };

/**
 * The answer to a repair question. Whoever failed the change in words that could not be read, and passes it when asked to
 * say it again, has not passed it: then what was said first is the finding.
 */
export function keepFail(first: Said, repaired: Answers['gate']): Answers['gate'] {
  if (repaired.status === 'fail' || repaired.violations.length > 0 || !saysFail(first)) return repaired;
  const issue = `The reviewer failed the change in an answer that could not be read, and passed it when asked to repeat that answer. It had said: ${shorten(wordsOf(first))}`;
  return { ...repaired, status: 'fail', violations: [{ file: '', line: null, issue, priority: 'critical' }] };
}

function saysFail({ text, structured }: Said): boolean {
  if (isRecord(structured)) return String(structured['status']).trim().toLowerCase() === 'fail';
  return /["']?status["']?\s*:\s*["']?\s*fail\b/i.test(text);
}

function wordsOf({ text, structured }: Said): string {
  return structured === undefined || structured === null ? text.trim() : JSON.stringify(structured);
}

const LONGEST = 2000;

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
