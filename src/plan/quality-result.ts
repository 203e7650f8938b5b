import { isRecord } from '../domain/is-record.ts';
import { type CriterionResult, QualityGateError, type QualityGateResult } from '../domain/quality.ts';

/**
 * A reviewer's structured answer as a verdict, literally. What is missing or null has its default, `passed` that of not having
 * passed; what is there in another form cannot be interpreted.
 */
export function parseQualityResult(data: unknown): QualityGateResult {
  if (!isRecord(data)) throw uninterpretable(`it is ${kindOf(data)} where an object belongs`);
  const passed = data['passed'] ?? false;
  const feedback = data['feedback'] ?? 'No feedback provided';
  const results = data['criteria_results'] ?? [];
  if (typeof passed !== 'boolean') throw uninterpretable(`"passed" is ${kindOf(passed)} where a boolean belongs`);
  if (typeof feedback !== 'string') throw uninterpretable(`"feedback" is ${kindOf(feedback)} where a string belongs`);
  if (!Array.isArray(results)) throw uninterpretable(`"criteria_results" is ${kindOf(results)} where an array belongs`);
  return { passed, feedback, criteria_results: results.map(parseCriterion) };
}

function parseCriterion(data: unknown, index: number): CriterionResult {
  const where = `"criteria_results[${index}]`;
  if (!isRecord(data)) throw uninterpretable(`${where}" is ${kindOf(data)} where an object belongs`);
  const { criterion, passed, feedback = null } = data;
  if (typeof criterion !== 'string')
    throw uninterpretable(`${where}.criterion" is ${kindOf(criterion)} where a string belongs`);
  if (typeof passed !== 'boolean')
    throw uninterpretable(`${where}.passed" is ${kindOf(passed)} where a boolean belongs`);
  if (feedback !== null && typeof feedback !== 'string')
    throw uninterpretable(`${where}.feedback" is ${kindOf(feedback)} where a string or null belongs`);
  return { criterion, passed, feedback };
}

function uninterpretable(why: string): QualityGateError {
  return new QualityGateError(`The reviewer's answer cannot be interpreted: ${why}.`);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
