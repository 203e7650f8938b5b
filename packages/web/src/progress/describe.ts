import type { Fix } from '@onceover/agents/dispatch/fix-progress';
import { describeUsage } from '@onceover/agents/ledger/describe';
import type { Usage } from '@onceover/base/kernel/agent';
import { oneLine, quoteName } from '@onceover/base/kernel/escape';
import { describeDispatchReason } from '@onceover/base/kernel/review-loops';
import { describeAgentFailure, describeNoReading, describeTrouble } from '@onceover/base/ui/describe-agent-failure';
import { type Paint, PLAIN } from '@onceover/base/ui/style';
import { type ByKind, byKind, count, describeDuration, reviewerName } from '@onceover/base/ui/wording';
import { describePlan, describeWhy, SESSIONS, STATUS_WORDS } from '@onceover/gates/result/describe/reasons';
import type { Event } from './state.ts';

type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>;

/** Describes an event in one line; `null` if the event needs no line of its own. */
export function describeEvent(event: Event, paint: Paint = PLAIN): string | null {
  return byKind(linesFor(paint), event);
}

const linesFor = (paint: Paint): ByKind<Event, string | null> => ({
  'iteration-started': ({ iteration, checks, slots }) =>
    `Run ${iteration}: ${countAll({ check: checks, reviewer: slots }).join(', ') || 'nothing to run'}`,
  'check-started': ({ gate, command }) => `${quoteName(gate)}: ${oneLine(command)}`,
  'check-ended': ({ gate, status, why, durationMs }) =>
    `${quoteName(gate)}: ${paint(STYLES[status], STATUS_WORDS[status])}${why === null ? '' : ` (${why})`}, ${describeDuration(durationMs)}`,
  'fix-started': ({ agent, dispatch, findings, checks }) =>
    `Fixing: ${agent} (${SESSIONS[dispatch]}) has to fix ${countAll({ finding: findings, 'failed check': checks }).join(' and ')}`,
  'fix-ended': ({ fix }) => `Fixing: ${describeFix(fix)}`,
  'reading-started': ({ agent, readers }) =>
    `${agent}: opening the files once for ${readers.map(({ gate, slot }) => `${quoteName(gate)} @${slot}`).join(', ')}`,
  'reading-ended': (event) =>
    `${event.agent}: ${event.why === null ? `read ${count(event.files ?? 0, 'file')}` : describeNoReading(event.why)}, ${describeCost(event)}`,
  'slot-planned': (event) => {
    const { gate, plan, noPass } = event;
    const reason = noPass === undefined ? '' : ` (no pass accepted: ${noPass})`;
    return isRoutine(event) ? null : `${quoteName(gate)}: ${describePlan(plan)}${reason}`;
  },
  'slot-started': (event) => {
    const { kind, why } = event.dispatch;
    const reason = why === 'first-look' || why === 'delta' ? null : describeWhy(why);
    return `${reviewerOf(event)}: started (${describeSession(kind, why, reason)})`;
  },
  'slot-asked-again': (event) => `${reviewerOf(event)}: ${describeRetry(event)}`,
  'slot-ended': (event) => `${reviewerOf(event)}: ${describeSlotEnd(event, paint)}, ${describeCost(event)}`,
  'round-started': describeRound,
  'look-started': ({ role, part, agent, dispatch, why }) =>
    `${role}${part === null ? '' : ` ${part}`}: calling ${agent} (${describeSession(dispatch, why, describeDispatchReason(why))})`,
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

/** Whether a reviewer runs for an ordinary reason, so that the output needs no extra line about the reason. */
export function isRoutine(event: EventOf<'slot-planned' | 'look-started'>): boolean {
  if (event.kind === 'look-started') return ['first-look', 'delta', 'final-validation'].includes(event.why);
  if (event.noPass !== undefined) return false;
  return event.plan.kind === 'run' && ['first-run', 'only-reviewer', 'not-passed'].includes(event.plan.why);
}

const STYLES = { pass: 'good', fail: 'bad', error: 'broken' } as const;

function reviewerOf(event: { readonly gate: string; readonly slot: number; readonly agent: string }): string {
  return `${quoteName(event.gate)}, ${reviewerName(event)}`;
}

function describeRetry(event: EventOf<'slot-asked-again' | 'look-asked-again'>): string {
  return `${RETRIES[event.mode](event.agent)} (${describeAgentFailure(event.because)})`;
}

const RETRIES = {
  fresh: (agent: string) => `RESUME-FALLBACK: calling ${agent} in a new session`,
  repair: (agent: string) => `asking ${agent} to repeat its answer`,
  'other-agent': (agent: string) => `calling ${agent} instead`,
} as const;

function describeCost({ durationMs, usage }: { readonly durationMs: number; readonly usage: Usage | null }): string {
  return `${describeDuration(durationMs)}${usage === null ? '' : `, ${describeUsage(usage)}`}`;
}

/** Returns the numbers that are above 0, each with its noun, such as "2 checks". */
function countAll(numbers: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(numbers).flatMap(([noun, number]) => (number > 0 ? [count(number, noun)] : []));
}

function describeFix(fix: Fix): string {
  const { failure, filesChanged, fixed, declined } = fix;
  if (failure !== null) return `ERROR: ${describeAgentFailure(failure)}, ${describeCost(fix)}`;
  return [
    `${count(filesChanged, 'file')} changed`,
    ...(fixed.length > 0 ? [`marked as fixed: ${fixed.join(', ')}`] : []),
    ...(declined.length > 0 ? [`waiver proposed: ${declined.join(', ')}`] : []),
    describeCost(fix),
  ].join(', ');
}

function describeSession(kind: keyof typeof SESSIONS, why: string, reason: string | null): string {
  if (why === 'session-lost') return `${kind}, RESUME-FALLBACK: the session's first prompt or its snapshot is gone`;
  return reason === null ? SESSIONS[kind] : `${SESSIONS[kind]}: ${reason}`;
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
  const roundName = event.isFinalValidation
    ? `Final validation after iteration ${event.iteration}`
    : `Iteration ${event.iteration} of ${event.most}`;
  const skipNotes = event.resting.map(
    ({ role, passedAt }) => `; ${role} skipped (already passed in iteration ${passedAt})`,
  );
  return `${roundName} (${event.phase}): ${event.roles.join(', ')}${skipNotes.join('')}`;
}

function describeRoleEnd(event: EventOf<'look-ended'>, paint: Paint): string {
  const { blockers, warnings, suggestions } = event;
  const issues = countAll({ blocker: blockers, warning: warnings, suggestion: suggestions }).join(', ');
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
