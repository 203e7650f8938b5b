import type { Answers } from './answers.ts';

type Said = { readonly text: string; readonly structured: unknown };

/**
 * The answer of a quality reviewer to a repair question. Whoever failed the outputs, or a criterion, in words that could not be
 * read, and passes them when asked to say it again, has not passed them.
 */
export function keepQualityFail(first: Said, repaired: Answers['quality']): Answers['quality'] {
  if (!repaired.passed || !NOT_PASSED.test(wordsOf(first))) return repaired;
  const why = `The reviewer failed something in an answer that could not be read, and passed everything when asked to repeat that answer. It had said: ${shorten(wordsOf(first))}`;
  return { ...repaired, passed: false, feedback: `${repaired.feedback}\n\n${why}` };
}

const NOT_PASSED = /["']?passed["']?\s*:\s*["']?\s*(?:false|no|fail)/i;

function wordsOf({ text, structured }: Said): string {
  return structured === undefined || structured === null ? text.trim() : JSON.stringify(structured);
}

const LONGEST = 2000;

function shorten(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
