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
  const stop = new AbortController();
  const onSignal = () => {
    // A second Ctrl-C does not wait.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    const result = await work(stop.signal);
    if (!stop.signal.aborted) return result;
    const added = await add(result);
    const words = added?.words ?? INTERRUPTED;
    if (json) answerJson({ error: { kind: 'interrupted', message: words.what, next: words.next }, ...added?.fields });
    complain(words, added === null ? '' : `${added.told}\n`);
    process.exitCode = 130;
    return 'interrupted';
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

// A terminal that is closed ends the work too: nobody would see what it costs.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What to say of work that was ended so. */
export const INTERRUPTED: Told = {
  what: 'Interrupted: what was started has been ended, and what had no verdict yet was not recorded.',
  next: 'To go on from there, run again.',
};
