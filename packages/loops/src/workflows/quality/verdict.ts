import * as z from 'zod';
import { type CriterionResult, type QualityCriteria, QualityGateError, type QualityGateResult } from './types.ts';

const result = z.object({
  passed: orDefault(z.boolean(), false),
  feedback: orDefault(z.string(), 'No feedback provided'),
  criteria_results: orDefault(
    z.array(z.object({ criterion: z.string(), passed: z.boolean(), feedback: orDefault(z.string().nullable(), null) })),
    [],
  ),
});

function orDefault<T extends z.ZodType>(type: T, value: z.output<T>) {
  return type.nullish().transform((input) => input ?? value);
}

/**
 * Parses the JSON answer of a reviewer as a verdict. Missing fields get defaults. Throws if a field has the wrong type.
 */
export function parseQualityResult(data: unknown): QualityGateResult {
  const answer = result.safeParse(data);
  if (answer.success) return answer.data;
  const why = answer.error.issues.map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`);
  throw new QualityGateError(`The reviewer's answer cannot be interpreted: ${why.join('; ')}.`);
}

/**
 * Returns the verdict as onceover counts it. A pass becomes a fail if a criterion failed, or if the reviewer gave
 * results for some criteria but skipped others. The feedback then names these criteria.
 */
export function settleVerdict(verdict: QualityGateResult, criteria: QualityCriteria): QualityGateResult {
  if (!verdict.passed) return verdict;
  const failedNames = verdict.criteria_results.filter(({ passed }) => !passed).map(({ criterion }) => criterion);
  const skippedNames =
    failedNames.length > 0 ? [] : skippedCriteria(verdict.criteria_results, Object.entries(criteria));
  if (failedNames.length === 0 && skippedNames.length === 0) return verdict;
  const why = `The reviewer passed the outputs as a whole, but ${failedNames.length > 0 ? 'failed' : 'did not judge'}`;
  const names = [...failedNames, ...skippedNames].map((name) => `"${name}"`).join(', ');
  const feedback = [verdict.feedback.trim(), `${why} ${names}.`].filter((text) => text !== '').join('\n\n');
  return { ...verdict, passed: false, feedback };
}

type Criterion = readonly [name: string, question: string];

/**
 * Returns the criteria for which the reviewer gave no result. The list is empty if at least as many results have unknown
 * names as criteria are missing, because the reviewer has then probably renamed the criteria.
 */
function skippedCriteria(results: readonly CriterionResult[], criteria: readonly Criterion[]): readonly string[] {
  if (results.length === 0) return [];
  const openCriteria = withoutResult(criteria, results);
  const strayResults = results.filter((result) => !criteria.some((criterion) => refersTo(result.criterion, criterion)));
  return openCriteria.length <= strayResults.length ? [] : openCriteria.map(([name]) => name);
}

/** The ways in which a result can name a criterion. The most exact way comes first. */
const NAMINGS: readonly ((text: string, criterion: Criterion) => boolean)[] = [
  (text, [name]) => text === name,
  (text, [name]) => plain(text) === plain(name),
  refersTo,
];

/** Assigns each result to one criterion, the best matches first. Returns the criteria that get no result. */
function withoutResult(criteria: readonly Criterion[], results: readonly CriterionResult[]): readonly Criterion[] {
  const freeResults = new Set(results);
  let open = criteria;
  for (const matches of NAMINGS) {
    open = open.filter((criterion) => {
      const result = [...freeResults].find((candidate) => matches(candidate.criterion, criterion));
      if (result !== undefined) freeResults.delete(result);
      return result === undefined;
    });
  }
  return open;
}

/** Whether the text in a result is the name of the criterion, its question, or both. */
function refersTo(text: string, [name, question]: Criterion): boolean {
  const words = plain(text);
  return [name, question, `${name}: ${question}`].some((form) => plain(form) === words);
}

// Removes case, spaces, punctuation and Markdown from a name, because reviewers do not repeat these exactly.
function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s*_`"'?:.]+/g, ' ')
    .trim();
}
