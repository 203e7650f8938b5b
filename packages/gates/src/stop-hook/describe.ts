import type { AllowStopReason } from './decide.ts';

/** Returns the message for the user when an agent may stop although it is not known that the gates pass. */
export function describeAllowedStop(why: AllowStopReason): string {
  switch (why.kind) {
    case 'unjudged':
      return `onceover could not judge this change, so nothing was passed: ${why.said}`;
    case 'still-running':
      return `onceover let the agent stop: it waited ${why.waits} times and the review is still running. Nothing passed yet; see "onceover status" for the result.`;
    case 'no-progress': {
      const open = why.open.length === 0 ? '' : ` Not passed: ${why.open.join(', ')}.`;
      return `onceover let the agent stop after ${why.blocks} blocks without progress.${open} Run "onceover status" for details.`;
    }
    case 'proposed':
      return `onceover let the agent stop, but the gates do not pass: a person has to decide about ${why.ids.join(', ')}. See the reasons with "onceover status". To accept proposed waivers: onceover resolve ${why.ids.join(' ')} --confirm`;
    case 'not-counted':
      return `onceover let the agent stop although the gates do not pass, because it cannot count blocks: ${why.folder} is not writable. Run "onceover status" for details.`;
    case 'asleep':
      return `onceover's stop hook is snoozed until ${clockTime(why.until)}, so this change was not reviewed.`;
  }
}

/**
 * Returns a message that says whether the stop hook is active. `until` is the end of its pause; `null` if it is active.
 */
export function describeSnoozed(until: Date | null): string {
  if (until === null) return 'The stop hook is active.';
  return `The stop hook is snoozed until ${clockTime(until)}: agents may stop without a review. To end it, run "onceover hook snooze off".`;
}

function clockTime(date: Date): string {
  return date.toTimeString().slice(0, 5);
}
