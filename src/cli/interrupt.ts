import type { Message } from '../ui/wording.ts';
import { printFailure, printJson } from './output.ts';

/** Extra text and JSON fields for interrupted work; `words` replaces the default message. */
type Added = { readonly text: string; readonly fields: object; readonly words?: Message };

/** Does work that Ctrl-C can interrupt: it stops every process that the work started, then exits with 130. */
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
    if (json) printJson({ error: { kind: 'interrupted', message: words.what, next: words.next }, ...added?.fields });
    printFailure(words, added === null ? '' : `${added.text}\n`);
    process.exitCode = 130;
    return 'interrupted';
  } finally {
    forget();
  }
}

/** Serves until the client disconnects or a signal arrives. A second signal exits at once. */
export async function untilClosed(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { stop } = onSignals();
  await work(stop);
  if (!stop.aborted) return;
  printFailure(SERVER_ENDED);
  process.exitCode = 130;
}

function onSignals(): { readonly stop: AbortSignal; forget(): void } {
  const stop = new AbortController();
  const onSignal = () => {
    // A second Ctrl-C exits at once.
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

// Closing the terminal stops the work too, because no one would see its cost.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const SERVER_ENDED: Message = {
  what: 'Interrupted: onceover stopped the workflow reviews in progress. A run or a phase continues in the background.',
  next: 'Start the server again to continue.',
};

/** The default message of interrupted work. */
export const INTERRUPTED: Message = {
  what: 'Interrupted: onceover stopped all running reviewers and checks. Only finished verdicts were recorded.',
  next: 'Run the same command again to continue.',
};
