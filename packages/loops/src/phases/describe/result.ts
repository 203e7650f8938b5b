import { describePaid } from '@onceover/agents/ledger/describe';
import { oneLine, quoteName } from '@onceover/base/kernel/escape';
import { describeDispatchReason } from '@onceover/base/kernel/review-loops';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { type Styled, type TextStyle, UNSTYLED, wrapTo } from '@onceover/base/ui/style';
import {
  type ByKind,
  byKind,
  count,
  describeHidden,
  describeTakenBack,
  quoted,
  someNames,
} from '@onceover/base/ui/wording';
import { callsOf } from '../decide/outcome.ts';
import type { PhasePlanDocument } from '../json-schema.ts';
import type { PhaseNotice, PhaseOutcome } from '../run-types.ts';
import { describePhaseEnd, inFeature } from './end.ts';
import { describeOpenIssues, openIssueDocuments } from './issues.ts';
import { describePhaseRounds } from './rounds.ts';

/** Returns a warning as one sentence, without a full stop. */
export function describePhaseNotice(notice: PhaseNotice): string {
  return byKind(NOTICES, notice);
}

const NOTICES: ByKind<PhaseNotice, string> = {
  'meta-put-aside': ({ aside, path }) =>
    `${quoteName(path)} is unreadable; it was renamed to ${quoteName(aside)} and a new one was created`,
  'prd-left-out': ({ path, why }) =>
    `.meta.json names ${quoteName(path)} as the PRD, but it ${why === 'outside' ? 'is outside the repository' : 'does not exist'}; the reviews ran without a PRD`,
  'unseen-edits': ({ paths }) =>
    `the fixer also changed ${someNames(paths)}, which is not under review; these edits are in the working tree and not committed`,
  withheld: ({ paths, why }) => `not reviewed, ${WITHHELD[why]}: ${someNames(paths)}`,
  'commit-failed': ({ message, said }) =>
    `git could not commit ${quoted(message)}: ${oneLine(said)}; the changes are in the working tree`,
  'not-in-ledger': ({ failure }) => `the cost of this phase is not in the ledger: ${describeFailure(failure).what}`,
  'no-price': ({ agents }) =>
    `budget.usd does not count ${someNames(agents)}, which reported no price; budget.dispatches counts every call`,
  'proof-taken-back': ({ paths }) => describeTakenBack(paths),
  'hidden-by-fixer': ({ paths }) => describeHidden(paths),
  'not-resumed': ({ agent, why }) =>
    `${quoteName(agent)} gets a new session every time, because it failed a resume test: ${oneLine(why)}`,
};

const WITHHELD = {
  secret: 'untracked and named like a secret',
  'too-large': 'untracked and over 5 MiB',
  repository: 'a nested repository without a commit',
} as const;

/** Describes a phase for people: rounds, fixes, open issues, result, next step and cost. */
export function describePhase(outcome: PhaseOutcome, again: string, style: Styled = UNSTYLED): string {
  const [result = '', ...next] = describePhaseEnd(outcome, again);
  return describeBlocks(outcome, style, [style.paint(styleOf(outcome), result), ...next]);
}

/** Describes what an interrupted phase has done so far. */
export function describePhaseSoFar(outcome: PhaseOutcome, style: Styled = UNSTYLED): string {
  const [result = ''] = outcome.end?.why === 'approved' ? describePhaseEnd(outcome, '') : ['Nothing was approved.'];
  return describeBlocks(outcome, style, [result]);
}

function describeBlocks(outcome: PhaseOutcome, style: Styled, end: readonly string[]): string {
  const { run, open } = outcome;
  const history = inFeature(outcome, '.review-history.md');
  const askCounts = callsOf(run).map((call) => call.spent.asks);
  const dispatches = run.preparations.length + askCounts.reduce((sum, asks) => sum + asks, 0);
  return joinPhaseBlocks([
    style.paint('strong', phaseTitle(run)),
    describePhaseRounds(run, style),
    describeOpenIssues(openIssueDocuments(open), style, `see ${history}`),
    wrapLines(style, [...end, ...describePaid({ ...outcome, dispatches })]),
  ]);
}

/** Returns the title of a phase, such as "specify of docs/features/export". */
export function phaseTitle({ phase, feature }: { readonly phase: string; readonly feature: string }): string {
  return `${phase} of ${feature === '' ? 'this folder' : quoteName(feature)}`;
}

/** Joins paragraphs with an empty line between them. Empty paragraphs are left out. */
export function joinPhaseBlocks(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

function styleOf({ end, exitCode }: PhaseOutcome): TextStyle {
  if (end?.why === 'accepted-with-notes') return 'rests';
  if (exitCode === 1) return 'bad';
  return exitCode === 0 ? 'good' : 'broken';
}

/** Describes the result of a dry run for people. */
export function describePhasePlan(plan: PhasePlanDocument, style: Styled = UNSTYLED): string {
  const { artifact, files, required, goes_on, dispatches } = plan;
  const waiting = goes_on?.waiting ?? [];
  return joinPhaseBlocks([
    style.paint('strong', phaseTitle(plan)),
    wrapLines(style, [
      `Under review: ${artifact === null ? `${count(files.length, 'file')}: ${someNames(files)}` : quoteName(artifact)}`,
      ...(required.length === 0 ? [] : [`Reviewers read: ${someNames(required)}`]),
      `Fixer: ${describeFixing(plan.fixing)}; at most ${count(plan.max_iterations, 'iteration')} per loop`,
      ...(goes_on === null ? [] : [`Continues a loop after round ${goes_on.round}`]),
    ]),
    describeOpenIssues(waiting, style, 'see .review-history.md'),
    waiting.length === 0
      ? ''
      : wrapLines(style, ['The loop waits. Start the next round with --step --summary "what you did".']),
    wrapLines(
      style,
      dispatches.length === 0 ? ['No agent would be called.'] : ['Next calls:', ...dispatches.map(describeCall)],
    ),
    'No agent was called and nothing was written (--dry-run).',
  ]);
}

function wrapLines(style: Styled, lines: readonly string[]): string {
  return lines.map((line) => wrapTo(line, style)).join('\n');
}

function describeFixing({ by, agent }: PhasePlanDocument['fixing']): string {
  if (agent !== null) return quoteName(agent);
  return by === 'caller' ? 'you, between the rounds' : 'none';
}

function describeCall(call: PhasePlanDocument['dispatches'][number]): string {
  const { role, agent, model, dispatch, why } = call;
  const reason = describeDispatchReason(why);
  const session = `${dispatch === 'fresh' ? 'new' : dispatch} session${reason === null ? '' : ` (${reason})`}`;
  const agentName = `${quoteName(agent)}${model === null ? '' : ` (${quoteName(model)})`}`;
  return `  ${role}: ${agentName}, ${session}, ${count(call.prompt_chars, 'character')}`;
}
