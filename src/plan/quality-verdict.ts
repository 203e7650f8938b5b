import type { CriterionResult, QualityCriteria, QualityGateResult } from '../domain/quality.ts';

/**
 * The verdict that counts: a pass in which a criterion failed, or which goes through the criteria one by one and leaves some
 * out, is none. What the reviewer said stays in the feedback.
 */
export function settleVerdict(said: QualityGateResult, asked: QualityCriteria): QualityGateResult {
  if (!said.passed) return said;
  const failed = said.criteria_results.filter(({ passed }) => !passed).map(({ criterion }) => criterion);
  if (failed.length > 0) {
    return notPassed(said, `The reviewer passed the outputs as a whole, but failed ${quotedList(failed)}.`);
  }
  const left = leftOut(said, asked);
  if (left.length === 0) return said;
  return notPassed(said, `The reviewer passed the outputs as a whole, but did not judge ${quotedList(left)}.`);
}

function notPassed(said: QualityGateResult, why: string): QualityGateResult {
  return { ...said, passed: false, feedback: [said.feedback.trim(), why].filter((one) => one !== '').join('\n\n') };
}

/** The criteria that nothing was said of, unless as many results have a name that nobody gave: those were renamed. */
function leftOut({ criteria_results: results }: QualityGateResult, asked: QualityCriteria): readonly string[] {
  if (results.length === 0) return [];
  const criteria = Object.entries(asked);
  const unanswered = withoutResult(criteria, results);
  const strange = results.filter((one) => !criteria.some(([name, question]) => isAbout(one.criterion, name, question)));
  return unanswered.length <= strange.length ? [] : unanswered.map(([name]) => name);
}

type Criterion = readonly [name: string, question: string];

/** The best way to name a criterion first. */
const WAYS_TO_NAME: readonly ((said: string, criterion: Criterion) => boolean)[] = [
  (said, [name]) => said === name,
  (said, [name]) => plain(said) === plain(name),
  (said, [name, question]) => isAbout(said, name, question),
];

/** Each result judges one criterion, also where several are named or asked alike: the one that it names best. */
function withoutResult(criteria: readonly Criterion[], results: readonly CriterionResult[]): readonly Criterion[] {
  const unused = new Set(results);
  let open = criteria;
  for (const names of WAYS_TO_NAME) {
    open = open.filter((criterion) => {
      const result = [...unused].find((one) => names(one.criterion, criterion));
      if (result !== undefined) unused.delete(result);
      return result === undefined;
    });
  }
  return open;
}

/** Whether a reviewer means this criterion: by its name, its question, or both. */
function isAbout(said: string, name: string, question: string): boolean {
  const words = plain(said);
  return [name, question, `${name}: ${question}`].some((one) => plain(one) === words);
}

// Case, spaces and Markdown around a name make no other name of it.
function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s*_`"'?:.]+/g, ' ')
    .trim();
}

function quotedList(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
