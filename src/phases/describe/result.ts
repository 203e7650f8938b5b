import { oneLine, quoteName } from '../../kernel/escape.ts';
import { describePaid } from '../../ledger/describe.ts';
import { describeAgentFailure } from '../../ui/describe-agent-failure.ts';
import { describeFailure } from '../../ui/describe-failure.ts';
import { cells, cut, padCells } from '../../ui/layout.ts';
import { PLAIN, type Styled, type TextStyle, truncated, UNSTYLED } from '../../ui/style.ts';
import { count, describeTakenBack, quoted, someNames } from '../../ui/wording.ts';
import type { PhaseNotice, PhaseOutcome, PhasePlan } from '../run-types.ts';
import type { StopReason } from '../types.ts';
import { describePhaseEnd } from './end.ts';
import { describeDispatchReason, describeOpenIssues } from './issues.ts';
import { phaseTable } from './table.ts';

/** Describes a notice in one sentence, without a full stop. */
export function describePhaseNotice(notice: PhaseNotice): string {
  switch (notice.kind) {
    case 'meta-put-aside':
      return `${quoteName(notice.path)} is unreadable; it was renamed to ${quoteName(notice.aside)} and a new one was created`;
    case 'prd-left-out':
      return `.meta.json names ${quoteName(notice.path)} as the PRD, but it ${notice.why === 'outside' ? 'is outside the repository' : 'does not exist'}; the reviews ran without a PRD`;
    case 'unseen-edits':
      return `the fixer also changed ${someNames(notice.paths)}, which is not under review; these edits are in the working tree and not committed`;
    case 'withheld':
      return `not reviewed, ${WITHHELD[notice.why]}: ${someNames(notice.paths)}`;
    case 'commit-failed':
      return `git could not commit ${quoted(notice.message)}: ${oneLine(notice.said)}; the changes are in the working tree`;
    case 'not-in-ledger':
      return `the cost of this phase is not in the ledger: ${describeFailure(notice.failure).what}`;
    case 'no-price':
      return `budget.usd does not count ${someNames(notice.agents)}, which reported no price; budget.dispatches counts every call`;
    case 'proof-taken-back':
      return describeTakenBack(notice.paths);
    case 'not-resumed':
      return `${quoteName(notice.agent)} gets a new session every time, because it failed a resume test: ${oneLine(notice.why)}`;
  }
}

const WITHHELD = {
  secret: 'untracked and named like a secret',
  'too-large': 'untracked and over 5 MB',
  repository: 'a nested repository without a commit',
} as const;

/** Describes a phase for people: rounds, fixes, open issues, result, next step and cost. */
export function describePhase(outcome: PhaseOutcome, again: string, shown: Styled = UNSTYLED): string {
  const [result = '', ...next] = describePhaseEnd(outcome, again);
  return describeBlocks(outcome, shown, [
    shown.paint(styleOf(outcome), truncated(result, shown)),
    ...next.map((line) => truncated(line, shown)),
  ]);
}

/** Describes the progress of an interrupted phase. */
export function describePhaseSoFar(outcome: PhaseOutcome, shown: Styled = UNSTYLED): string {
  const [result = ''] = outcome.end?.why === 'approved' ? describePhaseEnd(outcome, '') : ['Nothing was approved.'];
  return describeBlocks(outcome, shown, [truncated(result, shown)]);
}

function describeBlocks(outcome: PhaseOutcome, shown: Styled, end: readonly string[]): string {
  const { phase, feature } = outcome.run;
  const history = quoteName(feature === '' ? '.review-history.md' : `${feature}/.review-history.md`);
  const blocks = [
    shown.paint('strong', `${phase} of ${feature === '' ? 'this folder' : quoteName(feature)}`),
    phaseTable(outcome.run, shown),
    [...summaries(outcome, shown), ...withoutVerdict(outcome, shown), ...unconfirmed(outcome, shown)].join('\n'),
    describeOpenIssues(outcome.open, shown, `see ${history}`),
    suggestions(outcome, history, shown),
    [
      ...end,
      ...describePaid({ ...outcome, dispatches: dispatches(outcome) }).map((line) => truncated(line, shown)),
    ].join('\n'),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function styleOf({ end, exitCode }: PhaseOutcome): TextStyle {
  if (end?.why === 'accepted-with-notes') return 'rests';
  if (exitCode === 1) return 'bad';
  return exitCode === 0 ? 'good' : 'broken';
}

const SUMMARY_LINES = 3;

const DEFAULT_WIDTH = 100;

function summaries({ run }: PhaseOutcome, shown: Styled): readonly string[] {
  const before = run.preparations.map(({ role, part, summary }) => [part === null ? role : `${role} ${part}`, summary]);
  const fixes = run.rounds.flatMap(({ fix }) => (fix === null || fix.summary === null ? [] : [fix.summary]));
  const most = ((shown.width ?? DEFAULT_WIDTH) - 2) * SUMMARY_LINES;
  return [...before, ...fixes.map((summary, n) => [`Fix ${n + 1}`, summary])]
    .filter(([, summary = '']) => summary.trim() !== '')
    .map(([who, summary = '']) => truncated(cut(`${who}: ${oneLine(summary)}`, most), shown));
}

function withoutVerdict({ run }: PhaseOutcome, shown: Styled): readonly string[] {
  const errors = run.rounds.flatMap(({ entry }) => entry.errors);
  return errors.map(({ role, agent, why }) => {
    const reason = why.kind === 'stopped' ? STOPPED[why.by] : `${quoteName(agent)} ${describeAgentFailure(why)}`;
    return truncated(`No verdict from ${role}: ${reason}`, shown);
  });
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  interrupted: 'interrupted',
  budget: 'the budget is used up',
  trouble: 'stopped by another error',
};

function unconfirmed({ run }: PhaseOutcome, shown: Styled): readonly string[] {
  const marks = run.rounds.flatMap(({ entry, fix }) => [...entry.marks, ...(fix?.marks ?? [])]);
  const roles = new Set(marks.filter(({ kind }) => kind === 'lazy-load-warning').map(({ role }) => role));
  return roles.size === 0
    ? []
    : [truncated(`Did not confirm reading the required documents: ${[...roles].join(', ')}`, shown)];
}

/** Counts the suggestions in each reviewer's last answer. */
function suggestions({ run }: PhaseOutcome, history: string, shown: Styled): string {
  const last = new Map(run.rounds.flatMap(({ entry }) => entry.looks.map((look) => [look.role, look] as const)));
  const total = [...last.values()]
    .flatMap(({ answer }) => answer.issues)
    .filter(({ severity }) => severity === 'suggestion').length;
  return total === 0 ? '' : truncated(`${count(total, 'suggestion')}, optional: see ${history}.`, shown);
}

function dispatches({ run }: PhaseOutcome): number {
  const asks = run.rounds.flatMap(({ entry, fix }) => [
    ...[...entry.looks, ...entry.errors].map(({ spent }) => spent.asks),
    fix?.turn?.spent.asks ?? 0,
  ]);
  return run.preparations.length + asks.reduce((sum, one) => sum + one, 0);
}

/** Describes a dry run. */
export function describePhasePlan(plan: PhasePlan, shown: Styled = { paint: PLAIN, width: null }): string {
  const lines = [
    `Under review: ${plan.artifact === null ? `${count(plan.files.length, 'file')}: ${someNames(plan.files)}` : quoteName(plan.artifact)}`,
    ...(plan.required.length === 0 ? [] : [`Reviewers read: ${someNames(plan.required)}`]),
    `Fixer: ${describeFixing(plan.fixing)}; at most ${count(plan.mostIterations, 'iteration')} per loop`,
    ...(plan.goesOn === null ? [] : [`Continues a loop after round ${plan.goesOn.round}`]),
  ];
  const waiting = plan.goesOn?.waiting ?? null;
  const isWaiting = waiting !== null && waiting.length > 0;
  const blocks = [
    shown.paint('strong', `${plan.phase} of ${plan.feature === '' ? 'this folder' : quoteName(plan.feature)}`),
    lines.map((line) => truncated(line, shown)).join('\n'),
    waiting === null ? '' : describeOpenIssues(waiting, shown, 'see .review-history.md'),
    isWaiting ? truncated('The loop waits. Start the next round with --step --summary "what you did".', shown) : '',
    dispatchLines(plan.dispatches)
      .map((line) => truncated(line, shown))
      .join('\n'),
    'No agent was called and nothing was written (--dry-run).',
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function describeFixing(fixing: PhasePlan['fixing']): string {
  if (fixing.by === 'fixer') return quoteName(fixing.agent);
  return fixing.by === 'caller' ? 'you, between the rounds' : 'none';
}

function dispatchLines(dispatches: PhasePlan['dispatches']): readonly string[] {
  if (dispatches.length === 0) return ['No agent would be called.'];
  const width = Math.max(...dispatches.map(({ role }) => cells(role)));
  return [
    'Next calls:',
    ...dispatches.map(({ role, agent, model, dispatch, why, promptChars }) => {
      const reason = describeDispatchReason(why);
      const how = `${dispatch === 'fresh' ? 'new' : dispatch} session${reason === null ? '' : ` (${reason})`}`;
      const who = `${quoteName(agent)}${model === null ? '' : ` (${quoteName(model)})`}`;
      return `  ${padCells(role, width)}  ${who}, ${how}, ${count(promptChars, 'character')}`;
    }),
  ];
}
