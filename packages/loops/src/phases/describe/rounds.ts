import { oneLine, quoteName } from '@onceover/base/kernel/escape';
import { describeDispatchReason, dispatchBy } from '@onceover/base/kernel/review-loops';
import { describeAgentFailure } from '@onceover/base/ui/describe-agent-failure';
import { cut } from '@onceover/base/ui/layout';
import { type Paint, type Styled, wrapTo } from '@onceover/base/ui/style';
import { tokensOf } from '@onceover/base/ui/wording';
import type {
  LoopCall,
  PhaseFix,
  PhaseMark,
  PhaseRound,
  PhaseRun,
  RoleReview,
  RoleReviewError,
  StopReason,
} from '../types.ts';
import { issueCounts } from './issues.ts';

/** Lists the rounds of a phase: one line for each reviewer, even if it was skipped, and one for each fix. */
export function describePhaseRounds({ preparations, rounds }: PhaseRun, style: Styled): string {
  const lines = [
    ...preparations.map(({ role, part, agent, summary }) => {
      return `${part === null ? role : `${role} ${part}`}: ${shorten(summary)} (${quoteName(agent)})`;
    }),
    ...rounds.flatMap((round) => [
      style.paint('strong', titleOf(round)),
      ...roundLines(round, style.paint).map((line) => `  ${line}`),
    ]),
  ];
  return lines.map((line) => wrapTo(line, style)).join('\n');
}

function titleOf({ entry }: PhaseRound): string {
  return entry.isFinalValidation ? 'Final validation' : `Iteration ${entry.iteration} of ${entry.most}`;
}

function roundLines({ entry, fix }: PhaseRound, paint: Paint): readonly string[] {
  const { looks, errors, skipped, marks } = entry;
  return [
    ...looks.map((look) => `${look.role}: ${describeVerdict(look, paint)}${callDetails(look, marks, look.role)}`),
    ...errors.map((error) => {
      const why = `${paint('broken', 'no verdict')}, ${describeNoVerdict(error)}`;
      return `${error.role}: ${why}${callDetails(error, marks, error.role)}`;
    }),
    ...skipped.map(({ role, passedAt }) => `${role}: ${paint('rests', 'skipped')}, passed in iteration ${passedAt}`),
    ...(fix === null ? [] : [describeFix(fix, paint)]),
  ];
}

/** Describes a reviewer's verdict as onceover counts it: an approval with blockers or warnings is not a pass. */
function describeVerdict({ enginePass, answer }: RoleReview, paint: Paint): string {
  const issues = issueCounts(answer.issues);
  if (enginePass) return `${paint('good', 'approved')}${issues === '' ? '' : `, ${issues}`}`;
  if (issues === '') return `${paint('bad', 'not approved')}, without an issue`;
  return answer.approved ? `${paint('bad', issues)}, so the approval does not count` : paint('bad', issues);
}

export function describeNoVerdict({ failure }: Pick<RoleReviewError, 'failure'>): string {
  return failure.kind === 'stopped' ? STOPPED[failure.by] : describeAgentFailure(failure);
}

const STOPPED: Readonly<Record<StopReason, string>> = {
  interrupted: 'was interrupted',
  budget: 'was stopped: the budget is used up',
  trouble: 'was stopped by another error',
};

function describeFix({ summary, turn, marks }: PhaseFix, paint: Paint): string {
  const failureLabel = () => paint('broken', turn === null ? 'stopped' : 'no answer');
  const author = turn === null && summary !== null ? 'caller' : 'implementer';
  const details = turn === null ? '' : callDetails(turn, marks, 'implementer');
  return `${author}: ${summary === null ? failureLabel() : shorten(summary)}${details}`;
}

/** Returns the agent, the kind of session and the length of the prompt, in parentheses. */
function callDetails({ agent, template, why, spent }: LoopCall, marks: readonly PhaseMark[], role: string): string {
  const reason = describeDispatchReason(why);
  const session = `${dispatchBy(template) === 'resumed' ? 'resumed' : 'new'} session`;
  const isUnread = marks.some((mark) => mark.kind === 'lazy-load-warning' && mark.role === role);
  const details = [
    quoteName(agent),
    reason === null ? session : `${session}: ${reason}`,
    `prompt of ${tokensOf(spent.promptChars)} characters`,
    ...(isUnread ? ['did not confirm that it read the documents'] : []),
  ];
  return ` (${spent.asks === 0 ? quoteName(agent) : details.join(', ')})`;
}

const MAX_SUMMARY = 240;

function shorten(summary: string): string {
  return summary.trim() === '' ? 'done' : cut(oneLine(summary), MAX_SUMMARY);
}
