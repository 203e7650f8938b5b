import { isRecord } from '../domain/is-record.ts';
import type { Answers } from './answers.ts';

type Said = { readonly text: string; readonly structured: unknown };

/**
 * The answer of a loop's reviewer to a repair question. Whoever refused in words that could not be read, or named what blocks, and
 * approves when asked to say it again, has not approved: then what was said first is the issue.
 */
export function keepRefusal(first: Said, repaired: Answers['loop']): Answers['loop'] {
  const passes = repaired.approved && !repaired.issues.some(({ severity }) => severity !== 'suggestion');
  if (!passes || !refuses(first)) return repaired;
  const description = `The reviewer refused in an answer that could not be read, and approved when asked to repeat that answer. It had said: ${shorten(wordsOf(first))}`;
  return { ...repaired, approved: false, issues: [...repaired.issues, { severity: 'blocker', description }] };
}

const REFUSAL =
  /["']?approved["']?\s*:\s*["']?\s*(?:false|no)\b|["']?severity["']?\s*:\s*["']?\s*(?:blocker|warning)\b(?!\s*\|)/i;

function refuses(said: Said): boolean {
  return REFUSAL.test(wordsOf(said));
}

function wordsOf({ text, structured }: Said): string {
  return isRecord(structured) || Array.isArray(structured) ? JSON.stringify(structured) : text.trim();
}

const LONGEST = 2000;

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
