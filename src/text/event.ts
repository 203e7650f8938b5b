import type { Event } from '../domain/event.ts';
import type { Fix } from '../domain/loop.ts';
import { quoteName } from '../domain/quote-name.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { askedAgain, fallenBack } from './asked-again.ts';
import { count } from './count.ts';
import { tellWhy } from './gate-reason.ts';
import { oneLine } from './one-line.ts';
import { type Paint, PLAIN } from './paint.ts';
import { tellPhaseEvent } from './phase-event.ts';
import { secondsTaken } from './seconds.ts';
import { tellPlan } from './slots.ts';
import { tellTrouble } from './trouble.ts';
import { tellUsage } from './usage.ts';

/** One line for an event; null for those that only a live display shows. */
export function tellEvent(event: Event, paint: Paint = PLAIN): string | null {
  switch (event.kind) {
    case 'iteration-started':
      return `Iteration ${event.iteration}: ${count(event.gates, 'gate')}, ${count(event.slots, 'reviewer')}`;
    case 'check-started':
      return `${quoteName(event.gate)}: ${oneLine(event.command)}`;
    case 'check-ended':
      return `${quoteName(event.gate)}: ${paint(LOOKS[event.status], event.status === 'pass' ? 'pass' : event.status.toUpperCase())}${event.why === null ? '' : ` (${event.why})`}, ${secondsTaken(event.durationMs)}`;
    case 'fix-started':
      return `Fixing: asking ${event.agent} (${event.dispatch}) to mend ${told(event)}`;
    case 'fix-active':
      return null;
    case 'fix-ended':
      return `Fixing: ${tellFix(event.fix)}`;
    case 'slot-planned':
      return `${quoteName(event.gate)}: ${tellPlan(event.plan)}`;
    case 'slot-started':
      return `${quoteName(event.gate)} @${event.slot}: asking ${event.agent} (${how(event.dispatch)})`;
    case 'slot-active':
      return null;
    case 'slot-asked-again':
      return `${quoteName(event.gate)} @${event.slot}: ${askedAgain(event)} (${tellAgentFailure(event.because)})`;
    case 'slot-ended':
      return `${quoteName(event.gate)} @${event.slot}: ${ended(event, paint)}`;
    case 'round-started':
    case 'look-started':
    case 'look-active':
    case 'look-asked-again':
    case 'look-ended':
    case 'committed':
      return tellPhaseEvent(event, paint);
  }
}

function told({ findings, checks }: { readonly findings: number; readonly checks: number }): string {
  const parts = [findings > 0 ? count(findings, 'finding') : '', checks > 0 ? count(checks, 'failing check') : ''];
  return parts.filter((part) => part !== '').join(' and ');
}

function tellFix({ failure, filesChanged, fixed, declined, durationMs, usage }: Fix): string {
  const used = usage === null ? '' : `, ${tellUsage(usage)}`;
  if (failure !== null) return `ERROR: ${tellAgentFailure(failure)}, ${secondsTaken(durationMs)}${used}`;
  const says = [
    ...(fixed.length > 0 ? [`says fixed: ${fixed.join(', ')}`] : []),
    ...(declined.length > 0 ? [`declines: ${declined.join(', ')}`] : []),
  ];
  return [`${count(filesChanged, 'file')} changed`, ...says, `${secondsTaken(durationMs)}${used}`].join(', ');
}

function how({ kind, why }: Extract<Event, { kind: 'slot-started' }>['dispatch']): string {
  if (why === 'session-lost') return fallenBack(kind);
  return why === 'first-look' || why === 'delta' ? kind : `${kind}: ${tellWhy(why)}`;
}

const LOOKS = { pass: 'good', fail: 'bad', error: 'broken' } as const;

function ended(event: Extract<Event, { kind: 'slot-ended' }>, paint: Paint): string {
  const used = event.usage === null ? '' : `, ${tellUsage(event.usage)}`;
  const time = `, ${secondsTaken(event.durationMs)}${used}`;
  switch (event.status) {
    case 'pass':
      return `${paint('good', 'pass')}${event.warnings > 0 ? ` with ${count(event.warnings, 'warning')}` : ''}${time}`;
    case 'fail':
      return event.open > 0
        ? `${paint('bad', 'FAIL')}, ${count(event.open, 'finding')} open${time}`
        : `waived findings only${time}`;
    case 'error':
      return `${paint('broken', 'ERROR')}: ${event.trouble === null ? 'no verdict' : tellTrouble(event.trouble)}${time}`;
  }
}
