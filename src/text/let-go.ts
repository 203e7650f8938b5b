import type { LetGo } from '../domain/stop.ts';

/** What a person is told when an agent may stop although the gates do not hold, as far as is known. */
export function tellLetGo(why: LetGo): string {
  switch (why.kind) {
    case 'unjudged':
      return `onceover could not judge this change, so nothing was passed: ${why.said}`;
    case 'still-running':
      return `onceover let the agent stop after it had waited ${why.waits} times for a review that still goes on. Nothing was passed yet; "onceover status" tells what came of it.`;
    case 'no-progress': {
      const open = why.open.length === 0 ? '' : ` Not passed: ${why.open.join(', ')}.`;
      return `onceover let the agent stop after ${why.blocks} blocks without progress.${open} "onceover status" tells more.`;
    }
    case 'not-counted':
      return `onceover let the agent stop although the gates do not hold: how often it was held back cannot be written down in ${why.folder}. See "onceover status".`;
    case 'asleep':
      return `onceover's stop hook sleeps until ${why.until.toTimeString().slice(0, 5)}; nothing was judged.`;
  }
}
