import type { Told } from '../text/told.ts';
import { answerJson, complain } from './output.ts';

/** What else there is to say of work that was ended, to people and in the document; `words`: instead of the usual ones. */
type Added = { readonly told: string; readonly fields: object; readonly words?: Told };

/** Does work that Ctrl-C ends in good order: what was started is ended, then the program exits with 130. */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  json = false,
  add: (result: T) => Promise<Added | null> = async () => null,
): Promise<T | 'interrupted'> {
  const { stop, forget } = onSignals();
  try {
    const result = await work(stop);
    if (!stop.aborted) return result;
    const added = await add(result);
    const words = added?.words ?? INTERRUPTED;
    if (json) answerJson({ error: { kind: 'interrupted', message: words.what, next: words.next }, ...added?.fields });
    complain(words, added === null ? '' : `${added.told}\n`);
    process.exitCode = 130;
    return 'interrupted';
  } finally {
    forget();
  }
}

/** Serves until the client goes or a signal comes. What was started ends with it, for which a second signal does not wait. */
export async function served(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { stop } = onSignals();
  await work(stop);
  if (!stop.aborted) return;
  complain(SERVER_ENDED);
  process.exitCode = 130;
}

function onSignals(): { readonly stop: AbortSignal; forget(): void } {
  const stop = new AbortController();
  const onSignal = () => {
    // A second Ctrl-C does not wait.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    stop: stop.signal,
    forget() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}

// A terminal that is closed ends the work too: nobody would see what it costs.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const SERVER_ENDED: Told = {
  what: 'Interrupted: reviews of workflows that were going on have been ended; a run or a round of a phase goes on by itself.',
  next: 'To go on from there, start the server again.',
};

/** What to say of work that was ended so. */
export const INTERRUPTED: Told = {
  what: 'Interrupted: what was started has been ended, and what had no verdict yet was not recorded.',
  next: 'To go on from there, run again.',
};
