import type { Event } from '../domain/event.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { askedAgain, fallenBack } from './asked-again.ts';
import { count } from './count.ts';
import { tellDispatchReason } from './loop-dispatch.ts';
import { oneLine } from './one-line.ts';
import type { Paint } from './paint.ts';
import { secondsTaken } from './seconds.ts';
import { tellUsage } from './usage.ts';

type EventOf<Kind extends Event['kind']> = Extract<Event, { kind: Kind }>;

/** What happens only while a phase is played. */
type PhaseEvent = EventOf<
  'round-started' | 'look-started' | 'look-active' | 'look-asked-again' | 'look-ended' | 'committed'
>;

/** One line for an event of a phase; null for those that only a live display shows. */
export function tellPhaseEvent(event: PhaseEvent, paint: Paint): string | null {
  switch (event.kind) {
    case 'round-started':
      return tellRound(event);
    case 'look-started': {
      const part = event.part === null ? '' : ` ${event.part}`;
      return `${event.role}${part}: asking ${event.agent} (${how(event)})`;
    }
    case 'look-active':
      return null;
    case 'look-asked-again':
      return `${event.role}: ${askedAgain(event)} (${tellAgentFailure(event.because)})`;
    case 'look-ended': {
      const used = event.usage === null ? '' : `, ${tellUsage(event.usage)}`;
      return `${event.role}: ${tellVerdict(event, paint)}, ${secondsTaken(event.durationMs)}${used}`;
    }
    case 'committed':
      return event.said === null
        ? `Committed ${count(event.files, 'file')}: ${oneLine(event.message)}`
        : `Not committed, git refused: ${oneLine(event.said)}`;
  }
}

function tellRound(event: EventOf<'round-started'>): string {
  const which = event.isFinalValidation
    ? `Final validation after iteration ${event.iteration}`
    : `Iteration ${event.iteration} of ${event.most}`;
  const rests = event.resting.map(({ role, passedAt }) => `; ${role} rests, passed in iteration ${passedAt}`);
  return `${which} (${event.phase}): ${event.roles.join(', ')}${rests.join('')}`;
}

function how({ dispatch, why }: EventOf<'look-started'>): string {
  if (why === 'session-lost') return fallenBack(dispatch);
  const reason = tellDispatchReason(why);
  return reason === null ? dispatch : `${dispatch}: ${reason}`;
}

function tellVerdict(event: EventOf<'look-ended'>, paint: Paint): string {
  const issues = [
    ...(event.blockers > 0 ? [count(event.blockers, 'blocker')] : []),
    ...(event.warnings > 0 ? [count(event.warnings, 'warning')] : []),
    ...(event.suggestions > 0 ? [count(event.suggestions, 'suggestion')] : []),
  ].join(', ');
  switch (event.status) {
    case 'pass':
      return `${paint('good', 'approved')}${issues === '' ? '' : ` with ${issues}`}`;
    case 'fail':
      return `${paint('bad', 'NEEDS WORK')}, ${issues === '' ? 'not approved and no issue named' : issues}`;
    case 'error':
      return `${paint('broken', 'ERROR')}: ${event.failure === null ? 'no verdict' : `${event.agent} ${tellAgentFailure(event.failure)}`}`;
    case 'done':
      return 'done';
  }
}
