import { quoteName } from '../../kernel/escape.ts';
import { describeAgentFailure } from '../../ui/describe-agent-failure.ts';
import { count, someNames } from '../../ui/wording.ts';
import { ARTIFACT_OF } from '../roles/types.ts';
import type { PhaseOutcome } from '../run-types.ts';
import type { IterationEntry, PhaseEndReason } from '../types.ts';

/** Describes how a phase ended or why it waits, and the next step. `again` is the command that runs the phase again. */
export function describePhaseEnd(outcome: PhaseOutcome, again: string): readonly string[] {
  const { end } = outcome;
  const [what, ...next] = end === null ? waiting(outcome, again) : ENDS[end.why](outcome, again);
  return [`${what} (exit code ${outcome.exitCode})`, ...next];
}

/** The result, followed by the next steps. */
type Sentences = readonly [what: string, ...next: string[]];

function waiting(outcome: PhaseOutcome, again: string): Sentences {
  const them = outcome.open.length === 1 ? 'it' : 'them';
  return [`Waiting: ${openIssues(outcome)}.`, `Next: fix ${them}, then run: ${again} --summary "what you did"`];
}

const ENDS: Readonly<Record<PhaseEndReason, (outcome: PhaseOutcome, again: string) => Sentences>> = {
  approved: (outcome) => {
    const older = describeEarlierRounds(outcome);
    return [
      `Approved: ${subject(outcome)}, by ${allOf(reviewers(outcome))}${describeFixes(outcome)}.`,
      ...(older === null ? [] : [`${older}.`]),
    ];
  },
  'accepted-with-notes': (outcome) => [
    `Accepted with notes, not approved: ${atCap(outcome)}.`,
    `The open issues are listed in ${inFeature(outcome, '.meta.json')}.`,
  ],
  cap: (outcome, again) => [
    `Not approved: ${atCap(outcome)}.`,
    `Next: fix the open issues and run again: ${again}`,
    `Or accept the open issues: ${again} --accept-with-notes`,
  ],
  stalled: (outcome, again) => [
    `Stalled: two fixes in a row changed nothing, and ${openIssues(outcome)}.`,
    `Next: fix the open issues yourself and run again: ${again}`,
  ],
  'not-fixed': (outcome, again) => [
    `Not approved: ${openIssues(outcome)}, and there is no fixer.`,
    `Next: fix the open issues and run again: ${again}`,
    'Add --fixer AGENT to let an agent fix them, or --step to fix them yourself, round by round.',
  ],
  'reviewer-failed': (outcome, again) => [
    `Could not judge: ${noVerdict(outcome)}.${alsoOpen(outcome)}`,
    `Next: fix the error and run again: ${again}`,
  ],
  'fixer-failed': (outcome, again) => [
    `Stopped: the fixer ${failedHow(outcome)}, and ${openIssues(outcome)}.`,
    `Next: check its edits with "git diff" and run again: ${again}`,
  ],
  'preparation-failed': (outcome) => [
    `Stopped before the reviews: the agent that prepares the code ${failedHow(outcome)}.`,
    'Next: check its edits with "git diff" and run again, with or without --simplify and --deepen-tests.',
  ],
  'forbidden-edit': (outcome, again) => [
    `Stopped: an agent changed files that it must not change: ${someNames(outcome.end?.paths ?? [])}.${alsoOpen(outcome)}`,
    `Next: check "git diff", keep or undo these edits, and run again: ${again}`,
  ],
  'artifact-missing': (outcome) => [
    `Stopped: ${subject(outcome)} no longer exists, so it cannot be reviewed.`,
    'Next: restore it ("git status" and "git log" show what happened) and run again.',
  ],
  'artifact-empty': (outcome) => [
    `Stopped: ${subject(outcome)} is empty now, so there is nothing to review.`,
    'Next: restore the content ("git diff" and "git log -p" show it) and run again.',
  ],
  'artifact-unreadable': (outcome) => [
    `Stopped: ${subject(outcome)} is no longer UTF-8 text, or is a file that reviewers may not see.`,
    'Next: check "git status" and "git diff", fix the file, and run again.',
  ],
  disturbed: (outcome, again) => [
    `Could not judge: ${subject(outcome)} kept changing during the reviews, so no approval counts.`,
    `Next: run again when no one else edits the files: ${again}`,
  ],
  interrupted: (outcome, again) => [
    `Interrupted: nothing was approved.${alsoOpen(outcome)}`,
    `Next: run again: ${again}`,
  ],
  budget: (outcome, again) => [
    `Stopped: the budget is used up, and nothing was approved.${alsoOpen(outcome)}`,
    `Next: raise "budget" in onceover.yml and run again: ${again}`,
  ],
  trouble: (outcome, again) => [
    `Could not judge: the phase stopped because of an error.${alsoOpen(outcome)}`,
    `Next: fix the error above and run again: ${again}`,
  ],
};

function entries({ run }: PhaseOutcome): readonly IterationEntry[] {
  return run.rounds.map(({ entry }) => entry);
}

function reviewers(outcome: PhaseOutcome): readonly string[] {
  return [...new Set(entries(outcome).flatMap(({ looks }) => looks.map(({ role }) => role)))];
}

function allOf(names: readonly string[]): string {
  const [last = 'no reviewer', ...others] = [...names].reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`;
}

function subject(outcome: PhaseOutcome): string {
  const { phase, feature } = outcome.run;
  if (phase !== 'implement') return inFeature(outcome, ARTIFACT_OF[phase]);
  return `the code of ${feature === '' ? '.' : quoteName(feature)}`;
}

function inFeature({ run: { feature } }: PhaseOutcome, name: string): string {
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
  const most = entries(outcome).at(-1)?.most ?? 0;
  return `${openIssues(outcome)} after ${count(most, 'iteration')}, the maximum per loop`;
}

function describeFixes({ run: { rounds } }: PhaseOutcome): string {
  const fixes = rounds.filter(({ fix }) => fix !== null && fix.summary !== null).length;
  return fixes === 0 ? '' : `, after ${count(fixes, 'fix', 'fixes')}`;
}

/** Names the reviewers that approved an earlier version than the last one reviewed; null if there are none. */
export function describeEarlierRounds(outcome: PhaseOutcome): string | null {
  const all = entries(outcome);
  const current = all.at(-1)?.seen.content;
  const older = reviewers(outcome).filter((role) => {
    const last = all.findLast(({ looks }) => looks.some((look) => look.role === role));
    return last !== undefined && last.seen.content !== current;
  });
  if (older.length === 0) return null;
  return `${allOf(older)} approved an earlier version and did not see the later changes ("recheck_domain: true" in onceover.yml shows them)`;
}

function noVerdict(outcome: PhaseOutcome): string {
  const [error] = entries(outcome).at(-1)?.errors ?? [];
  if (error === undefined) return `a reviewer ${failedHow(outcome)}`;
  const why = error.why.kind === 'stopped' ? 'was stopped' : describeAgentFailure(error.why);
  return `${error.role} gave no verdict, ${quoteName(error.agent)} ${why}`;
}

function failedHow({ end }: PhaseOutcome): string {
  const failure = end?.failure ?? null;
  return `gave no answer${failure === null ? '' : ` (${describeAgentFailure(failure)})`}`;
}
