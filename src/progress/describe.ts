import type { Fix } from '../dispatch/fix-progress.ts';
import {
  describeReviewerPlan,
  describeSlot,
  describeWhy,
  reviewerName,
  SESSIONS,
  SLOT_WORDS,
} from '../gates/describe/reasons.ts';
import type { Usage } from '../kernel/agent.ts';
import { oneLine, quoteName } from '../kernel/escape.ts';
import { describeUsage } from '../ledger/describe.ts';
import { describeDispatchReason } from '../phases/describe/issues.ts';
import { askedAgain, describeAgentFailure, describeTrouble, fallenBack } from '../ui/describe-agent-failure.ts';
import { type Paint, PLAIN } from '../ui/style.ts';
import { count, describeDuration } from '../ui/wording.ts';
import type { Event } from './events.ts';

type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>;

/** Returns one line for an event, `null` for an event that only the live view shows. */
export function describeEvent(event: Event, paint: Paint = PLAIN): string | null {
  switch (event.kind) {
    case 'iteration-started':
      return `Run ${event.iteration}: ${count(event.gates, 'gate')}, ${count(event.slots, 'reviewer')}`;
    case 'check-started':
      return `${quoteName(event.gate)}: ${oneLine(event.command)}`;
    case 'check-ended':
      return `${quoteName(event.gate)}: ${paint(STYLES[event.status], SLOT_WORDS[event.status])}${event.why === null ? '' : ` (${event.why})`}, ${describeDuration(event.durationMs)}`;
    case 'fix-started':
      return `Fixing: ${event.agent} (${SESSIONS[event.dispatch]}) has to fix ${describeTask(event)}`;
    case 'fix-ended':
      return `Fixing: ${describeFix(event.fix)}`;
    case 'slot-planned':
      return isRoutine(event)
        ? null
        : `${quoteName(event.gate)}: ${describeSlot(event.plan) ?? describeReviewerPlan(event.plan)}`;
    case 'slot-started':
      return `${reviewerOf(event)}: started (${describeSession(event.dispatch)})`;
    case 'slot-asked-again':
      return `${reviewerOf(event)}: ${askedAgain(event)} (${describeAgentFailure(event.because)})`;
    case 'slot-ended':
      return `${reviewerOf(event)}: ${describeSlotEnd(event, paint)}, ${describeCost(event)}`;
    case 'round-started':
      return describeRound(event);
    case 'look-started': {
      const part = event.part === null ? '' : ` ${event.part}`;
      return `${event.role}${part}: asking ${event.agent} (${describeRoleSession(event)})`;
    }
    case 'look-asked-again':
      return `${event.role}: ${askedAgain(event)} (${describeAgentFailure(event.because)})`;
    case 'look-ended':
      return `${event.role}: ${describeRoleEnd(event, paint)}, ${describeCost(event)}`;
    case 'committed':
      return event.said === null
        ? `Committed ${count(event.files, 'file')}: ${oneLine(event.message)}`
        : `Not committed, git refused: ${oneLine(event.said)}`;
    case 'fix-active':
    case 'slot-active':
    case 'look-active':
      return null;
  }
}

/** Whether a planned or started reviewer runs for an ordinary reason, so that no extra line is needed. */
export function isRoutine(event: EventOf<'slot-planned' | 'look-started'>): boolean {
  if (event.kind === 'look-started') return ['first-look', 'delta', 'final-validation'].includes(event.why);
  return event.plan.kind === 'run' && ['first-run', 'only-reviewer', 'not-passed'].includes(event.plan.why);
}

const STYLES = { pass: 'good', fail: 'bad', error: 'broken' } as const;

function reviewerOf(event: { readonly gate: string; readonly slot: number; readonly agent: string }): string {
  return `${quoteName(event.gate)}, ${reviewerName(event)}`;
}

function describeCost({ durationMs, usage }: { readonly durationMs: number; readonly usage: Usage | null }): string {
  return `${describeDuration(durationMs)}${usage === null ? '' : `, ${describeUsage(usage)}`}`;
}

function describeTask({ findings, checks }: EventOf<'fix-started'>): string {
  const parts = [findings > 0 ? count(findings, 'finding') : '', checks > 0 ? count(checks, 'failed check') : ''];
  return parts.filter((part) => part !== '').join(' and ');
}

function describeFix(fix: Fix): string {
  const { failure, filesChanged, fixed, declined } = fix;
  if (failure !== null) return `ERROR: ${describeAgentFailure(failure)}, ${describeCost(fix)}`;
  return [
    `${count(filesChanged, 'file')} changed`,
    ...(fixed.length > 0 ? [`marked as fixed: ${fixed.join(', ')}`] : []),
    ...(declined.length > 0 ? [`disputed: ${declined.join(', ')}`] : []),
    describeCost(fix),
  ].join(', ');
}

function describeSession({ kind, why }: EventOf<'slot-started'>['dispatch']): string {
  if (why === 'session-lost') return fallenBack(kind);
  return why === 'first-look' || why === 'delta' ? SESSIONS[kind] : `${SESSIONS[kind]}: ${describeWhy(why)}`;
}

function describeSlotEnd(event: EventOf<'slot-ended'>, paint: Paint): string {
  const word = paint(STYLES[event.status], SLOT_WORDS[event.status]);
  switch (event.status) {
    case 'pass':
      return `${word}${event.warnings > 0 ? ` with ${count(event.warnings, 'warning')}` : ''}`;
    case 'fail':
      return event.open > 0 ? `${word}, ${count(event.open, 'open finding')}` : 'only waived findings';
    case 'error':
      return `${word}: ${event.trouble === null ? 'no verdict' : describeTrouble(event.trouble)}`;
  }
}

function describeRound(event: EventOf<'round-started'>): string {
  const which = event.isFinalValidation
    ? `Final validation after iteration ${event.iteration}`
    : `Iteration ${event.iteration} of ${event.most}`;
  const skipped = event.resting.map(
    ({ role, passedAt }) => `; ${role} skipped (already passed in iteration ${passedAt})`,
  );
  return `${which} (${event.phase}): ${event.roles.join(', ')}${skipped.join('')}`;
}

function describeRoleSession({ dispatch, why }: EventOf<'look-started'>): string {
  if (why === 'session-lost') return fallenBack(dispatch);
  const reason = describeDispatchReason(why);
  return reason === null ? SESSIONS[dispatch] : `${SESSIONS[dispatch]}: ${reason}`;
}

function describeRoleEnd(event: EventOf<'look-ended'>, paint: Paint): string {
  const issues = [
    ...(event.blockers > 0 ? [count(event.blockers, 'blocker')] : []),
    ...(event.warnings > 0 ? [count(event.warnings, 'warning')] : []),
    ...(event.suggestions > 0 ? [count(event.suggestions, 'suggestion')] : []),
  ].join(', ');
  switch (event.status) {
    case 'pass':
      return `${paint('good', 'approved')}${issues === '' ? '' : ` with ${issues}`}`;
    case 'fail':
      return `${paint('bad', 'NEEDS WORK')}, ${issues === '' ? 'not approved, but no issue reported' : issues}`;
    case 'error':
      return `${paint('broken', 'ERROR')}: ${event.failure === null ? 'no verdict' : `${event.agent} ${describeAgentFailure(event.failure)}`}`;
    case 'done':
      return 'done';
  }
}
