import type { IterationEntry, PhaseEndReason } from '../domain/phase.ts';
import type { PhaseOutcome } from '../domain/phase-run.ts';
import { quoteName } from '../domain/quote-name.ts';
import { ARTIFACT_OF } from '../domain/role.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { count } from './count.ts';
import { someNames } from './names.ts';

/** How a phase ended or why it waits, and what to do about it: a line each. `again` is the command that plays it again. */
export function tellPhaseEnd(outcome: PhaseOutcome, again: string): readonly string[] {
  const { end } = outcome;
  if (end === null) return waiting(outcome, again);
  const [what, next] = ENDS[end.why](outcome, again);
  return [`${what} (exit code ${outcome.exitCode})`, ...(next === null ? [] : [next])];
}

function waiting(outcome: PhaseOutcome, again: string): readonly string[] {
  return [
    `Waiting: ${openIssues(outcome)}, to be mended before the next round. (exit code ${outcome.exitCode})`,
    `Next: mend ${outcome.open.length === 1 ? 'it' : 'them'}, then: ${again} --summary "what you did"`,
  ];
}

/** What happened, and what to do next; null: nothing. */
type Told = readonly [what: string, next: string | null];

const ENDS: Readonly<Record<PhaseEndReason, (outcome: PhaseOutcome, again: string) => Told>> = {
  approved: (outcome) => [
    `Approved: ${subject(outcome)}, by ${allOf(reviewers(outcome))}${tellFixes(outcome)}.`,
    asSentence(tellOlder(outcome)),
  ],
  'accepted-with-notes': (outcome) => [
    `Accepted with notes, not approved: ${atCap(outcome)}, and --accept-with-notes lets it go on.`,
    `What is open is noted in ${metaFile(outcome)}.`,
  ],
  cap: (outcome, again) => [
    `Not approved: ${atCap(outcome)}.`,
    `Next: mend what is open and play it again: ${again}; or take it as it is, with what is open noted: ${again} --accept-with-notes`,
  ],
  stalled: (outcome, again) => [
    `Stalled: two fixes in a row changed nothing, and ${openIssues(outcome)}.`,
    `Next: mend what is open yourself and play it again: ${again}.`,
  ],
  'not-fixed': (outcome, again) => [
    `Not approved: ${openIssues(outcome)}, and nobody was asked to mend ${outcome.open.length === 1 ? 'it' : 'them'}.`,
    `Next: mend what is open and play it again: ${again}; with --fixer AGENT an agent mends, with --step you do, round by round.`,
  ],
  'reviewer-failed': (outcome, again) => [
    `Could not judge: ${noVerdict(outcome)}.${alsoOpen(outcome)}`,
    `Next: put that right and play it again: ${again}.`,
  ],
  'fixer-failed': (outcome, again) => [
    `Stopped: the fixer ${failedHow(outcome)}, and ${openIssues(outcome)}.`,
    `Next: look at what it changed ("git diff"), and play it again: ${again}.`,
  ],
  'preparation-failed': (outcome) => [
    `Stopped before the reviews: whoever was to prepare the code ${failedHow(outcome)}.`,
    'Next: look at what it changed ("git diff"), and play it again, with or without --simplify and --deepen-tests.',
  ],
  'forbidden-edit': (outcome, again) => [
    `Stopped: an agent changed what it must not: ${someNames(outcome.end?.paths ?? [])}.${alsoOpen(outcome)}`,
    `Next: look at "git diff", keep or take back what it did, and play it again: ${again}.`,
  ],
  'artifact-missing': (outcome) => [
    `Stopped: ${subject(outcome)} is no longer there, so nobody can look at it.`,
    'Next: bring it back ("git status" and "git log" show what became of it), and play it again.',
  ],
  'artifact-empty': (outcome) => [
    `Stopped: ${subject(outcome)} is empty now, so there is nothing to look at.`,
    'Next: bring back what was in it ("git diff" and "git log -p" show it), and play it again.',
  ],
  'artifact-unreadable': (outcome) => [
    `Stopped: ${subject(outcome)} is no UTF-8 text any more, or nothing that reviewers may be shown.`,
    'Next: look at "git status" and "git diff", put it right, and play it again.',
  ],
  disturbed: (outcome, again) => [
    `Could not judge: ${subject(outcome)} changed again and again while it was looked at, so no approval counts.`,
    `Next: play it again when nobody else works on it: ${again}.`,
  ],
  interrupted: (outcome, again) => [
    `Interrupted: nothing was approved.${alsoOpen(outcome)}`,
    `Next: play it again: ${again}.`,
  ],
  budget: (outcome, again) => [
    `Stopped: the budget is used up, and nothing was approved.${alsoOpen(outcome)}`,
    `Next: raise "budget" in onceover.yml and play it again: ${again}.`,
  ],
  trouble: (outcome, again) => [
    `Could not judge: it had to be stopped.${alsoOpen(outcome)}`,
    `Next: see why above, put it right, and play it again: ${again}.`,
  ],
};

function entries({ run }: PhaseOutcome): readonly IterationEntry[] {
  return run.rounds.map(({ entry }) => entry);
}

function reviewers(outcome: PhaseOutcome): readonly string[] {
  return [...new Set(entries(outcome).flatMap(({ looks }) => looks.map(({ role }) => role)))];
}

function allOf(names: readonly string[]): string {
  const [last = 'nobody', ...others] = [...names].reverse();
  return others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`;
}

/** What is under review. */
function subject({ run: { phase, feature } }: PhaseOutcome): string {
  return phase === 'implement' ? `the code of ${folder(feature)}` : inFeature(feature, ARTIFACT_OF[phase]);
}

function metaFile({ run: { feature } }: PhaseOutcome): string {
  return inFeature(feature, '.meta.json');
}

function inFeature(feature: string, name: string): string {
  return quoteName(feature === '' ? name : `${feature}/${name}`);
}

function folder(feature: string): string {
  return feature === '' ? '.' : quoteName(feature);
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
  return `after ${count(most, 'iteration')} of a loop, as many as there may be, ${openIssues(outcome)}`;
}

function tellFixes({ run: { rounds } }: PhaseOutcome): string {
  const fixes = rounds.filter(({ fix }) => fix !== null && fix.summary !== null).length;
  return fixes === 0 ? '' : `, after ${count(fixes, 'fix', 'fixes')}`;
}

const asSentence = (said: string | null) => (said === null ? null : `${said}.`);

/** Whoever approved something older than what is there now; null: nobody. */
export function tellOlder(outcome: PhaseOutcome): string | null {
  const all = entries(outcome);
  const now = all.at(-1)?.seen.content;
  const older = reviewers(outcome).filter((role) => {
    const last = all.filter(({ looks }) => looks.some((look) => look.role === role)).at(-1);
    return last !== undefined && last.seen.content !== now;
  });
  if (older.length === 0) return null;
  return `${allOf(older)} approved an earlier state and has not seen what changed since ("recheck_domain: true" shows it)`;
}

function noVerdict(outcome: PhaseOutcome): string {
  const [error] = entries(outcome).at(-1)?.errors ?? [];
  if (error === undefined) return `a reviewer ${failedHow(outcome)}`;
  const why = error.why.kind === 'stopped' ? 'was stopped' : tellAgentFailure(error.why);
  return `${error.role} gave no verdict, ${quoteName(error.agent)} ${why}`;
}

function failedHow({ end }: PhaseOutcome): string {
  return end?.failure === null || end === null ? 'gave no answer' : `gave no answer (${tellAgentFailure(end.failure)})`;
}
