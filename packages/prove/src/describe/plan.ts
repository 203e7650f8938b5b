import { quoteName } from '@onceover/base/kernel/escape';
import { type Styled, wrapTo } from '@onceover/base/ui/style';
import { count, someNames, tokensOf, usdOf } from '@onceover/base/ui/wording';
import type { ProvePlan } from '../result-types.ts';
import type { BugClass, CaseSource, ProofVariant, ReadingMode } from '../types.ts';

/** Descriptions of the sources of test cases, as people read them. */
const SOURCE_WORDS: Readonly<Record<CaseSource, string>> = {
  own: 'a case of your own',
  history: 'a fix of this repository, undone',
  mutant: 'a real change with a planted bug',
  scenario: 'a change with a bug in a later round',
  trap: 'a harmless edit that looks wrong',
  clean: 'a real change as it is',
  set: 'a bug of the public set',
};

/** Names of the kinds of bugs, as people read them. */
export const CLASS_WORDS: Readonly<Record<BugClass, string>> = {
  boundary: 'boundary',
  guard: 'dropped or inverted guard',
  await: 'dropped await',
  'swallowed-error': 'swallowed error',
  'argument-order': 'argument order',
  'off-by-one': 'off by one',
  validation: 'missing validation',
  resource: 'resource not closed',
  unit: 'wrong unit',
  fix: 'undone fix',
  other: 'other',
};

/** Describes a compared configuration in words: "3 reviewers, resumed sessions, each reads for itself". */
export function variantText({ reviewers, sessions, reading }: ProofVariant): string {
  const reviewersText = reviewers === null ? '' : `${count(reviewers, 'reviewer')}, `;
  return `${reviewersText}${SESSION_WORDS[sessions]}${reading === null ? '' : `, ${READING_WORDS[reading]}`}`;
}

const READING_WORDS: Readonly<Record<ReadingMode, string>> = {
  off: 'each reviewer reads for itself',
  reviews: 'different reviews share reading',
  all: 'all reviewers share reading',
};

const SESSION_WORDS: Readonly<Record<ProofVariant['sessions'], string>> = {
  new: 'new sessions',
  resumed: 'resumed sessions',
  skipped: 'passed reviewers skipped',
};

/**
 * Describes what `onceover prove` would do: gates, test cases, calls and the estimated cost. `command` is the command
 * that does it.
 */
export function describeProvePlan(plan: ProvePlan, style: Styled, command: string): string {
  const { gates, cases, variants, repeat, calls, checks, install, seed } = plan;
  const caseCount = cases.reduce((sum, group) => sum + group.count, 0);
  if (caseCount === 0) return wrapTo(NO_CASES, style, 0);
  const width = Math.max(...cases.map((group) => String(group.count).length));
  const blocks = [
    [
      style.paint('strong', `${count(caseCount, 'case')} for ${someNames(gates)}`),
      ...cases.map((group) => `  ${String(group.count).padStart(width)} × ${SOURCE_WORDS[group.source]}`),
    ].join('\n'),
    [
      `Calls: at most ${calls} without retries${repeat === 1 ? '' : `, each case ${repeat} times`}. ${estimateText(plan)}`,
      ...(variants.length < 2 ? [] : [`Compared: ${variants.map(variantText).join('; ')}.`]),
      checksText(
        checks,
        cases.some(({ source }) => source === 'mutant' || source === 'trap' || source === 'scenario'),
      ),
    ]
      .filter((line) => line !== '')
      .map((line) => wrapTo(line, style, 0))
      .join('\n'),
    ...(install.length === 0
      ? []
      : [wrapTo(`For planted bugs in more files: npm install -D ${install.join(' ')}`, style, 0)]),
    wrapTo(`No agent was called. To play this proof: ${command} (seed ${seed})`, style, 0),
  ];
  return blocks.join('\n\n');
}

/** The message if `onceover prove` found no test cases. */
export const NO_CASES =
  'No case was found: the history has no small fix or change in files that a review covers. Try the public set with "onceover prove --set", or your own patches with --own.';

function checksText(checks: number, hasEdits: boolean): string {
  if (!hasEdits) return '';
  return checks === 0
    ? 'You have no checks, so every planted bug counts, even one that a test would catch.'
    : `A planted bug counts only if your ${checks === 1 ? 'check lets' : `${checks} checks let`} it pass.`;
}

function estimateText({ calls, perCall, budget }: ProvePlan): string {
  const limit =
    budget.usd !== null
      ? ` The proof stops at ${usdOf(budget.usd)}.`
      : budget.calls !== null
        ? ` The proof stops at ${count(budget.calls, 'call')}.`
        : '';
  if (perCall === null) return `The cost is not known, because the ledger has no call of these gates.${limit}`;
  const usd = perCall.usd === null ? '' : `, ${usdOf(perCall.usd * calls)}`;
  return `By the median of ${count(perCall.calls, 'past call')}: about ${tokensOf(perCall.tokens * calls)} tokens${usd}.${limit}`;
}

/** Returns one line per test case, for `--verbose`. */
export function describeCases({ titles }: ProvePlan): string {
  return titles
    .map((caseTitle) => `  ${caseTitle.source.padEnd(8)} ${caseTitle.class ?? 'no bug'}: ${quoteName(caseTitle.title)}`)
    .join('\n');
}
