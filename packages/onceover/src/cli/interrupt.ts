import type { Message } from '@onceover/base/ui/wording';
import { printFailure, printJson } from './output.ts';

/** Text and JSON fields to print when work is interrupted. `words` replaces the usual message. */
type Added = { readonly text?: string; readonly fields?: object; readonly words?: Message };

/** Returns the result of `work`. After Ctrl-C, waits until `work` has stopped, reports that, and sets exit code 130. */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  json = false,
  add: (result: T) => Added | Promise<Added> = () => ({}),
): Promise<T | 'interrupted'> {
  const { stop, forget } = onSignals();
  try {
    const result = await work(stop);
    if (!stop.aborted) return result;
    const { text, fields, words = INTERRUPTED } = await add(result);
    if (json) printJson({ error: { kind: 'interrupted', message: words.what, next: words.next }, ...fields });
    printFailure(words, text === undefined ? '' : `${text}\n`);
    process.exitCode = 130;
    return 'interrupted';
  } finally {
    forget();
  }
}

/**
 * Runs a server until its client disconnects or a signal such as Ctrl-C arrives. After a second signal, exits at once.
 */
export async function untilClosed(
  work: (signal: AbortSignal) => Promise<void>,
  endMessage: Message = SERVER_ENDED,
): Promise<void> {
  const { stop } = onSignals();
  await work(stop);
  if (!stop.aborted) return;
  printFailure(endMessage);
  process.exitCode = 130;
}

function onSignals(): { readonly stop: AbortSignal; forget(): void } {
  const stop = new AbortController();
  const onSignal = () => {
    // This is the second Ctrl-C. Exit at once, without waiting until the work has stopped.
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

// SIGHUP arrives when the terminal is closed. It stops the work too, because the user could not see any more what it
// costs.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const SERVER_ENDED: Message = {
  what: 'Interrupted: onceover stopped the workflow reviews in progress. A run or a phase continues in the background.',
  next: 'Start the server again to continue.',
};

/** The message about interrupted work, for commands that have no message of their own. */
export const INTERRUPTED: Message = {
  what: 'Interrupted: onceover stopped all running reviewers and checks. Only finished verdicts were recorded.',
  next: 'Run the same command again to continue.',
};
