import { isRecord } from '../../kernel/json.ts';
import { type CriterionResult, type QualityCriteria, QualityGateError, type QualityGateResult } from './types.ts';

/**
 * Parses a reviewer's structured answer literally. A missing or `null` field gets its default, and the default of
 * `passed` is false. Throws if a field has the wrong type.
 */
export function parseQualityResult(data: unknown): QualityGateResult {
  if (!isRecord(data)) throw wrongType('the answer', data, 'an object');
  const passed = data['passed'] ?? false;
  const feedback = data['feedback'] ?? 'No feedback provided';
  const results = data['criteria_results'] ?? [];
  if (typeof passed !== 'boolean') throw wrongType('"passed"', passed, 'a boolean');
  if (typeof feedback !== 'string') throw wrongType('"feedback"', feedback, 'a string');
  if (!Array.isArray(results)) throw wrongType('"criteria_results"', results, 'an array');
  return { passed, feedback, criteria_results: results.map(parseCriterion) };
}

function parseCriterion(data: unknown, index: number): CriterionResult {
  const where = `"criteria_results[${index}]`;
  if (!isRecord(data)) throw wrongType(`${where}"`, data, 'an object');
  const { criterion, passed, feedback = null } = data;
  if (typeof criterion !== 'string') throw wrongType(`${where}.criterion"`, criterion, 'a string');
  if (typeof passed !== 'boolean') throw wrongType(`${where}.passed"`, passed, 'a boolean');
  if (feedback !== null && typeof feedback !== 'string') {
    throw wrongType(`${where}.feedback"`, feedback, 'a string or null');
  }
  return { criterion, passed, feedback };
}

function wrongType(what: string, value: unknown, expected: string): QualityGateError {
  return new QualityGateError(
    `The reviewer's answer cannot be interpreted: ${what} must be ${expected}, but is ${typeName(value)}.`,
  );
}

function typeName(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Returns the verdict that counts. A pass does not count if a criterion failed, or if the reviewer judged criteria one
 * by one and skipped some. The feedback then says so.
 */
export function settleVerdict(verdict: QualityGateResult, criteria: QualityCriteria): QualityGateResult {
  if (!verdict.passed) return verdict;
  const failed = verdict.criteria_results.filter(({ passed }) => !passed).map(({ criterion }) => criterion);
  const skipped = failed.length > 0 ? [] : skippedCriteria(verdict.criteria_results, Object.entries(criteria));
  if (failed.length === 0 && skipped.length === 0) return verdict;
  const why = `The reviewer passed the outputs as a whole, but ${failed.length > 0 ? 'failed' : 'did not judge'}`;
  const names = [...failed, ...skipped].map((name) => `"${name}"`).join(', ');
  const feedback = [verdict.feedback.trim(), `${why} ${names}.`].filter((one) => one !== '').join('\n\n');
  return { ...verdict, passed: false, feedback };
}

type Criterion = readonly [name: string, question: string];

/**
 * Returns the criteria without a result. Returns none if at least as many results have unknown names: then the reviewer
 * renamed the criteria.
 */
function skippedCriteria(results: readonly CriterionResult[], criteria: readonly Criterion[]): readonly string[] {
  if (results.length === 0) return [];
  const unanswered = withoutResult(criteria, results);
  const renamed = results.filter((one) => !criteria.some((criterion) => refersTo(one.criterion, criterion)));
  return unanswered.length <= renamed.length ? [] : unanswered.map(([name]) => name);
}

/** The ways in which a result can name a criterion, the most exact first. */
const NAMINGS: readonly ((said: string, criterion: Criterion) => boolean)[] = [
  (said, [name]) => said === name,
  (said, [name]) => plain(said) === plain(name),
  refersTo,
];

/** Assigns each result to one criterion, the best match first, and returns the criteria that are left over. */
function withoutResult(criteria: readonly Criterion[], results: readonly CriterionResult[]): readonly Criterion[] {
  const unused = new Set(results);
  let open = criteria;
  for (const matches of NAMINGS) {
    open = open.filter((criterion) => {
      const result = [...unused].find((one) => matches(one.criterion, criterion));
      if (result !== undefined) unused.delete(result);
      return result === undefined;
    });
  }
  return open;
}

/** Whether the reviewer's text is the name of the criterion, its question, or both. */
function refersTo(said: string, [name, question]: Criterion): boolean {
  const words = plain(said);
  return [name, question, `${name}: ${question}`].some((one) => plain(one) === words);
}

// Reviewers change case, spaces, punctuation and Markdown of the names that they repeat.
function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s*_`"'?:.]+/g, ' ')
    .trim();
}
