import { describeAgentFailure } from '@onceover/base/ui/describe-agent-failure';
import { count } from '@onceover/base/ui/wording';
import type { WorkerEvent } from './types.ts';

/** Describes an event of a worker in one line for people. */
export function describeWorkerEvent(event: WorkerEvent): string {
  switch (event.kind) {
    case 'started':
      return `${event.name} takes calls for ${event.agents.join(', ')}, at most ${count(event.atOnce, 'call')} at once.`;
    case 'call-started':
      return `${event.call}: calling ${event.agent}`;
    case 'call-ended':
      return `${event.call}: ${describeEnd(event)} after ${Math.round(event.durationMs / 1000)} s`;
    case 'limit':
      return `${event.account} has reached a limit. No worker calls it until ${event.until.toISOString()}.`;
    case 'store-lost':
      return `The store does not answer: ${event.said}. Trying again.`;
    case 'store-back':
      return 'The store answers again.';
    case 'stopping':
      return event.running === 0
        ? 'Stopping.'
        : `Stopping after ${count(event.running, 'running call')}. Press Ctrl-C again to put them back into the queue.`;
    case 'stopped':
      return 'Stopped.';
  }
}

function describeEnd({ agent, outcome, failure }: Extract<WorkerEvent, { kind: 'call-ended' }>): string {
  switch (outcome) {
    case 'answered':
      return `${agent} answered`;
    case 'failed':
      return failure === null ? `${agent} failed` : `${agent} ${describeAgentFailure(failure)}`;
    case 'put-back':
      return `put back into the queue`;
    case 'dropped':
      return 'stopped, because no one waits for it any more';
  }
}

/** Returns an event of a worker as one line of JSON, for programs that collect logs. */
export function jsonWorkerEvent(event: WorkerEvent, at: Date): string {
  return JSON.stringify({ at: at.toISOString(), ...event });
}
