import type { StopReason } from '../domain/phase.ts';
import type { PhaseOutcome } from '../domain/phase-run.ts';
import { quoteName } from '../domain/quote-name.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { count } from './count.ts';
import { oneLine } from './one-line.ts';
import { tellOpenIssues } from './open-issues.ts';
import type { Look } from './paint.ts';
import { tellPhaseEnd } from './phase-end.ts';
import { phaseTable } from './phase-table.ts';
import { AS_IT_IS, fitted, type Shown } from './shown.ts';
import { tellPaid } from './usage.ts';
import { cut } from './width.ts';

/** The end of a phase, for people: its rounds, what was done, what is open, how it ended and what to do, what it cost. */
export function tellPhase(outcome: PhaseOutcome, again: string, shown: Shown = AS_IT_IS): string {
  const [result = '', ...next] = tellPhaseEnd(outcome, again);
  return tellBlocks(outcome, shown, [
    shown.paint(lookOf(outcome), fitted(result, shown)),
    ...next.map((line) => fitted(line, shown)),
  ]);
}

/** What a phase that was interrupted had come to. */
export function tellPhaseSoFar(outcome: PhaseOutcome, shown: Shown = AS_IT_IS): string {
  const [result = ''] = outcome.end?.why === 'approved' ? tellPhaseEnd(outcome, '') : ['Nothing was approved.'];
  return tellBlocks(outcome, shown, [fitted(result, shown)]);
}

function tellBlocks(outcome: PhaseOutcome, shown: Shown, end: readonly string[]): string {
  const { phase, feature } = outcome.run;
  const history = quoteName(feature === '' ? '.review-history.md' : `${feature}/.review-history.md`);
  const blocks = [
    shown.paint('strong', `${phase} of ${feature === '' ? 'this folder' : quoteName(feature)}`),
    phaseTable(outcome.run, shown),
    [...summaries(outcome, shown), ...withoutVerdict(outcome, shown), ...unconfirmed(outcome, shown)].join('\n'),
    tellOpenIssues(outcome.open, shown, `see ${history}`),
    suggestions(outcome, history, shown),
    [...end, ...tellPaid({ ...outcome, dispatches: dispatches(outcome) }).map((line) => fitted(line, shown))].join(
      '\n',
    ),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function lookOf({ end, exitCode }: PhaseOutcome): Look {
  if (end?.why === 'accepted-with-notes') return 'rests';
  if (exitCode === 1) return 'bad';
  return exitCode === 0 ? 'good' : 'broken';
}

const SUMMARY_LINES = 3;
const USUAL_WIDTH = 100;

/** What fixers and callers say that they did. */
function summaries({ run }: PhaseOutcome, shown: Shown): readonly string[] {
  const before = run.preparations.map(({ role, part, summary }) => [part === null ? role : `${role} ${part}`, summary]);
  const fixes = run.rounds.flatMap(({ fix }) => (fix === null || fix.summary === null ? [] : [fix.summary]));
  const most = ((shown.width ?? USUAL_WIDTH) - 2) * SUMMARY_LINES;
  return [...before, ...fixes.map((summary, n) => [`Fix ${n + 1}`, summary])]
    .filter(([, summary = '']) => summary.trim() !== '')
    .map(([who, summary = '']) => fitted(cut(`${who}: ${oneLine(summary)}`, most), shown));
}

/** Who gave no verdict, and why. */
function withoutVerdict({ run }: PhaseOutcome, shown: Shown): readonly string[] {
  const errors = run.rounds.flatMap(({ entry }) => entry.errors);
  return errors.map(({ role, agent, why }) => {
    const told = why.kind === 'stopped' ? STOPPED[why.by] : `${quoteName(agent)} ${tellAgentFailure(why)}`;
    return fitted(`No verdict of ${role}: ${told}`, shown);
  });
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  interrupted: 'interrupted',
  budget: 'the budget is used up',
  trouble: 'stopped by other trouble',
};

/** Who did not confirm that it read what it must. */
function unconfirmed({ run }: PhaseOutcome, shown: Shown): readonly string[] {
  const marks = run.rounds.flatMap(({ entry, fix }) => [...entry.marks, ...(fix?.marks ?? [])]);
  const roles = new Set(marks.filter(({ kind }) => kind === 'lazy-load-warning').map(({ role }) => role));
  return roles.size === 0
    ? []
    : [fitted(`Did not confirm that they read the documents: ${[...roles].join(', ')}`, shown)];
}

/** What nobody has to follow, by the last word of each reviewer. */
function suggestions({ run }: PhaseOutcome, history: string, shown: Shown): string {
  const last = new Map(run.rounds.flatMap(({ entry }) => entry.looks.map((look) => [look.role, look] as const)));
  const made = [...last.values()]
    .flatMap(({ answer }) => answer.issues)
    .filter(({ severity }) => severity === 'suggestion').length;
  return made === 0 ? '' : fitted(`${count(made, 'suggestion')} that nobody has to follow: see ${history}.`, shown);
}

function dispatches({ run }: PhaseOutcome): number {
  const asks = run.rounds.flatMap(({ entry, fix }) => [
    ...[...entry.looks, ...entry.errors].map(({ spent }) => spent.asks),
    fix?.turn?.spent.asks ?? 0,
  ]);
  return run.preparations.length + asks.reduce((sum, one) => sum + one, 0);
}
