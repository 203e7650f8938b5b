import { quoteName } from '@onceover/base/kernel/escape';
import { describeNoAnswer } from '@onceover/base/ui/describe-agent-failure';
import { count, someNames } from '@onceover/base/ui/wording';
import { ARTIFACT_OF } from '../roles/types.ts';
import type { PhaseOutcome } from '../run-types.ts';
import type { IterationEntry, PhaseEndReason } from '../types.ts';
import { describeNoVerdict } from './rounds.ts';

/** Describes how a phase ended or why it waits, and the next step. `again` is the command that runs the phase again. */
export function describePhaseEnd(outcome: PhaseOutcome, again: string): readonly string[] {
  const { end, open, exitCode } = outcome;
  const result = (sentence: string) => `${sentence} (exit code ${exitCode})`;
  if (end === null) {
    const pronoun = open.length === 1 ? 'it' : 'them';
    const next = `Next: fix ${pronoun}, then run: ${again} --summary "what you did"`;
    return [result(`Waiting: ${openIssues(outcome)}.`), next];
  }
  const repair = REPAIRS[end.why];
  return [
    result(RESULTS[end.why](outcome)),
    ...(repair === null ? [] : [`Next: ${repair === '' ? '' : `${repair}, then `}run again: ${again}`]),
    ...(MORE[end.why]?.(outcome, again) ?? []),
  ];
}

const RESULTS: Readonly<Record<PhaseEndReason, (outcome: PhaseOutcome) => string>> = {
  approved: (outcome) => `Approved: ${subject(outcome)}, by ${allOf(reviewers(outcome))}${describeFixes(outcome)}.`,
  'accepted-with-notes': (outcome) => `Accepted with notes, not approved: ${atCap(outcome)}.`,
  cap: (outcome) => `Not approved: ${atCap(outcome)}.`,
  stalled: (outcome) => `Stalled: two fixes in a row changed nothing, and ${openIssues(outcome)}.`,
  'not-fixed': (outcome) => `Not approved: ${openIssues(outcome)}, and there is no fixer.`,
  'reviewer-failed': (outcome) => `Could not judge: ${noVerdict(outcome)}.${alsoOpen(outcome)}`,
  'fixer-failed': (outcome) => `Stopped: the fixer ${failedHow(outcome)}, and ${openIssues(outcome)}.`,
  'preparation-failed': (outcome) =>
    `Stopped before the reviews: the agent that prepares the code ${failedHow(outcome)}.`,
  'forbidden-edit': (outcome) =>
    `Stopped: an agent changed files that it must not change: ${someNames(outcome.end?.paths ?? [])}.${alsoOpen(outcome)}`,
  'artifact-missing': (outcome) => `Stopped: ${subject(outcome)} no longer exists, so it cannot be reviewed.`,
  'artifact-empty': (outcome) => `Stopped: ${subject(outcome)} is empty now, so there is nothing to review.`,
  'artifact-unreadable': (outcome) =>
    `Stopped: ${subject(outcome)} is no longer UTF-8 text, or is a file that reviewers may not see.`,
  disturbed: (outcome) =>
    `Could not judge: ${subject(outcome)} kept changing during the reviews, so no approval counts.`,
  interrupted: (outcome) => `Interrupted: nothing was approved.${alsoOpen(outcome)}`,
  budget: (outcome) => `Stopped: the budget is used up, and nothing was approved.${alsoOpen(outcome)}`,
  trouble: (outcome) => `Could not judge: the phase stopped because of an error.${alsoOpen(outcome)}`,
};

/**
 * For each reason why a phase ended, what the user has to do before running it again. Empty: nothing. null: it need not
 * run again.
 */
export const REPAIRS: Readonly<Record<PhaseEndReason, string | null>> = {
  approved: null,
  'accepted-with-notes': null,
  cap: 'fix the open issues',
  stalled: 'fix the open issues yourself',
  'not-fixed': 'fix the open issues',
  'reviewer-failed': 'fix the error',
  'fixer-failed': 'check the edits of the fixer with "git diff"',
  'preparation-failed': 'check the edits of the agent with "git diff"',
  'forbidden-edit': 'check "git diff" and keep or undo these edits',
  'artifact-missing': 'restore the document ("git status" and "git log" show what happened)',
  'artifact-empty': 'restore the content of the document ("git diff" and "git log -p" show it)',
  'artifact-unreadable': 'restore the document as UTF-8 text ("git status" and "git diff" show what changed)',
  disturbed: 'wait until no one else edits the files',
  interrupted: '',
  budget: 'raise "budget" in onceover.yml',
  trouble: 'fix the error',
};

type MoreLines = (outcome: PhaseOutcome, again: string) => readonly string[];

/** Additional lines of output for some of the reasons why a phase ended. */
const MORE: Readonly<Partial<Record<PhaseEndReason, MoreLines>>> = {
  approved: (outcome) => {
    const older = describeEarlierRounds(outcome);
    return older === null ? [] : [`${older}.`];
  },
  'accepted-with-notes': (outcome) => [`The open issues are listed in ${inFeature(outcome, '.meta.json')}.`],
  'preparation-failed': () => ['Add --simplify or --deepen-tests to prepare the code again.'],
  cap: (_, again) => [`Or accept the open issues: ${again} --accept-with-notes`],
  'not-fixed': () => ['Add --fixer AGENT to let an agent fix them, or --step to fix them yourself, round by round.'],
};

function entries({ run }: PhaseOutcome): readonly IterationEntry[] {
  return run.rounds.map(({ entry }) => entry);
}

function reviewers(outcome: PhaseOutcome): readonly string[] {
  return [...new Set(entries(outcome).flatMap(({ looks }) => looks.map(({ role }) => role)))];
}

function allOf(names: readonly string[]): string {
  const [last = 'no reviewer', ...earlierNames] = [...names].reverse();
  return earlierNames.length === 0 ? last : `${earlierNames.reverse().join(', ')} and ${last}`;
}

function subject(outcome: PhaseOutcome): string {
  const { phase, feature } = outcome.run;
  if (phase !== 'implement') return inFeature(outcome, ARTIFACT_OF[phase]);
  return `the code of ${feature === '' ? '.' : quoteName(feature)}`;
}

/** Returns the path of a file in the feature's folder, as the output shows it. */
export function inFeature({ run: { feature } }: Pick<PhaseOutcome, 'run'>, name: string): string {
  return quoteName(feature === '' ? name : `${feature}/${name}`);
}

function openIssues({ open }: PhaseOutcome): string {
  if (open.length === 0) return 'no issue is open';
  return `${count(open.length, 'issue')} ${open.length === 1 ? 'is' : 'are'} open`;
}

function alsoOpen(outcome: PhaseOutcome): string {
  return outcome.open.length === 0 ? '' : ` ${openIssues(outcome)}.`;
}

function atCap(outcome: PhaseOutcome): string {
  const limit = entries(outcome).at(-1)?.most ?? 0;
  return `${openIssues(outcome)} after ${count(limit, 'iteration')}, the maximum per loop`;
}

function describeFixes({ run: { rounds } }: PhaseOutcome): string {
  const fixes = rounds.filter(({ fix }) => fix !== null && fix.summary !== null).length;
  return fixes === 0 ? '' : `, after ${count(fixes, 'fix', 'fixes')}`;
}

/** Names the reviewers that approved an earlier version and did not review the last one; null if there are none. */
export function describeEarlierRounds(outcome: PhaseOutcome): string | null {
  const iterations = entries(outcome);
  const current = iterations.at(-1)?.seen.content;
  const older = reviewers(outcome).filter((role) => {
    const last = iterations.findLast(({ looks }) => looks.some((look) => look.role === role));
    return last !== undefined && last.seen.content !== current;
  });
  if (older.length === 0) return null;
  return `${allOf(older)} approved an earlier version and did not see the later changes ("recheck_domain: true" in onceover.yml shows them)`;
}

function noVerdict(outcome: PhaseOutcome): string {
  const [error] = entries(outcome).at(-1)?.errors ?? [];
  if (error === undefined) return `a reviewer ${failedHow(outcome)}`;
  return `${error.role} gave no verdict, ${quoteName(error.agent)} ${describeNoVerdict(error)}`;
}

function failedHow({ end }: PhaseOutcome): string {
  return describeNoAnswer(end?.failure ?? null);
}
