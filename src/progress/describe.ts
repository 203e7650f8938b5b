import type { Fix } from '../dispatch/fix-progress.ts';
import { describePlan, describeWhy, reviewerName, SESSIONS, STATUS_WORDS } from '../gates/describe/reasons.ts';
import type { Usage } from '../kernel/agent.ts';
import { oneLine, quoteName } from '../kernel/escape.ts';
import { describeUsage } from '../ledger/describe.ts';
import { describeDispatchReason } from '../phases/describe/issues.ts';
import { askedAgain, describeAgentFailure, describeFallback, describeTrouble } from '../ui/describe-agent-failure.ts';
import { type Paint, PLAIN } from '../ui/style.ts';
import { type ByKind, byKind, count, describeDuration } from '../ui/wording.ts';
import type { Event } from './events.ts';

type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>;

/** Returns one line for an event, `null` for an event that only the live view shows. */
export function describeEvent(event: Event, paint: Paint = PLAIN): string | null {
  return byKind(linesFor(paint), event);
}

const linesFor = (paint: Paint): ByKind<Event, string | null> => ({
  'iteration-started': ({ iteration, gates, slots }) =>
    `Run ${iteration}: ${count(gates, 'gate')}, ${count(slots, 'reviewer')}`,
  'check-started': ({ gate, command }) => `${quoteName(gate)}: ${oneLine(command)}`,
  'check-ended': ({ gate, status, why, durationMs }) =>
    `${quoteName(gate)}: ${paint(STYLES[status], STATUS_WORDS[status])}${why === null ? '' : ` (${why})`}, ${describeDuration(durationMs)}`,
  'fix-started': (event) => `Fixing: ${event.agent} (${SESSIONS[event.dispatch]}) has to fix ${describeTask(event)}`,
  'fix-ended': ({ fix }) => `Fixing: ${describeFix(fix)}`,
  'slot-planned': (event) => (isRoutine(event) ? null : `${quoteName(event.gate)}: ${describePlan(event.plan)}`),
  'slot-started': (event) => `${reviewerOf(event)}: started (${describeSession(event.dispatch)})`,
  'slot-asked-again': (event) => `${reviewerOf(event)}: ${describeRetry(event)}`,
  'slot-ended': (event) => `${reviewerOf(event)}: ${describeSlotEnd(event, paint)}, ${describeCost(event)}`,
  'round-started': describeRound,
  'look-started': (event) =>
    `${event.role}${event.part === null ? '' : ` ${event.part}`}: asking ${event.agent} (${describeRoleSession(event)})`,
  'look-asked-again': (event) => `${event.role}: ${describeRetry(event)}`,
  'look-ended': (event) => `${event.role}: ${describeRoleEnd(event, paint)}, ${describeCost(event)}`,
  committed: ({ said, files, message }) =>
    said === null
      ? `Committed ${count(files, 'file')}: ${oneLine(message)}`
      : `Not committed, git refused: ${oneLine(said)}`,
  'fix-active': () => null,
  'slot-active': () => null,
  'look-active': () => null,
});

/** Whether a planned or started reviewer runs for an ordinary reason, so that no extra line is needed. */
export function isRoutine(event: EventOf<'slot-planned' | 'look-started'>): boolean {
  if (event.kind === 'look-started') return ['first-look', 'delta', 'final-validation'].includes(event.why);
  return event.plan.kind === 'run' && ['first-run', 'only-reviewer', 'not-passed'].includes(event.plan.why);
}

const STYLES = { pass: 'good', fail: 'bad', error: 'broken' } as const;

function reviewerOf(event: { readonly gate: string; readonly slot: number; readonly agent: string }): string {
  return `${quoteName(event.gate)}, ${reviewerName(event)}`;
}

function describeRetry(event: EventOf<'slot-asked-again' | 'look-asked-again'>): string {
  return `${askedAgain(event)} (${describeAgentFailure(event.because)})`;
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
  if (why === 'session-lost') return describeFallback(kind);
  return why === 'first-look' || why === 'delta' ? SESSIONS[kind] : `${SESSIONS[kind]}: ${describeWhy(why)}`;
}

function describeSlotEnd(event: EventOf<'slot-ended'>, paint: Paint): string {
  const word = paint(STYLES[event.status], STATUS_WORDS[event.status]);
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
  if (why === 'session-lost') return describeFallback(dispatch);
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
