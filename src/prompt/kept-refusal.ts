import { isRecord } from '../domain/is-record.ts';
import type { Answers } from './answers.ts';

// Whoever refused in words that could not be read, and passes when asked to say it again, has not passed.

/** An answer that could not be read. */
type Said = { readonly text: string; readonly structured: unknown };

/** The answer of a gate's reviewer to a repair question: where it refused before, what it said then is the finding. */
export function keepFail(first: Said, repaired: Answers['gate']): Answers['gate'] {
  const passes = repaired.status === 'pass' && repaired.violations.length === 0;
  if (!passes || !refuses(first)) return repaired;
  const issue = `The reviewer failed the change in ${told(first, 'passed it')}`;
  return { ...repaired, status: 'fail', violations: [{ file: '', line: null, issue, priority: 'critical' }] };
}

/** The same of a loop's reviewer: what it said then is the issue. */
export function keepRefusal(first: Said, repaired: Answers['loop']): Answers['loop'] {
  const passes = repaired.approved && !repaired.issues.some(({ severity }) => severity !== 'suggestion');
  if (!passes || !refuses(first)) return repaired;
  const description = `The reviewer refused in ${told(first, 'approved')}`;
  return { ...repaired, approved: false, issues: [...repaired.issues, { severity: 'blocker', description }] };
}

/** The same of a quality reviewer: what it said then is in the feedback. */
export function keepQualityFail(first: Said, repaired: Answers['quality']): Answers['quality'] {
  if (!repaired.passed || !refuses(first)) return repaired;
  const why = `The reviewer failed something in ${told(first, 'passed everything')}`;
  return { ...repaired, passed: false, feedback: `${repaired.feedback}\n\n${why}` };
}

/** Signs of a refusal in any kind of answer: one of the wrong form may well have the words of another. */
const REFUSALS = [
  /["']?status["']?\s*:\s*["']?\s*(?:fail|reject|refuse|block|not[ _-]|needs?[ _-]|changes?[ _-])/i,
  /["']?violations["']?\s*:\s*\[\s*[^\]\s]/i,
  /["']?(?:approved|passed)["']?\s*:\s*["']?\s*(?:false|fail|no\b(?!\s+(?:issue|problem|finding|violation|concern)))/i,
  // Not the form that was asked for, which names them all.
  /["']?severity["']?\s*:\s*["']?\s*(?:blocker|warning)\b(?!\s*\|)/i,
];

function refuses(said: Said): boolean {
  const words = wordsOf(said);
  return REFUSALS.some((sign) => sign.test(words));
}

function wordsOf({ text, structured }: Said): string {
  if (typeof structured === 'string' && structured.trim() !== '') return structured.trim();
  return isRecord(structured) || Array.isArray(structured) ? JSON.stringify(structured) : text.trim();
}

const LONGEST = 2000;

function told(said: Said, then: string): string {
  const words = wordsOf(said);
  const short = words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
  return `an answer that could not be read, and ${then} when asked to repeat that answer. It had said: ${short}`;
}
