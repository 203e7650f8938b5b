import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonServerEvent } from '@onceover/team/serve/json-event';
import { openServer, serveReview } from '@onceover/team/serve/open-server';
import { exitWith, printJson, workingDirectory } from '../output.ts';

/**
 * Runs the server until a signal arrives. After the first signal, it finishes its running reviews; after a second one,
 * it returns them to the queue.
 */
export async function serveCommand({ config }: { readonly config?: string }): Promise<void> {
  const stop = new AbortController();
  const stopNow = new AbortController();
  const onSignal = () => (stop.signal.aborted ? stopNow : stop).abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const result = await openServer({
    config: config === undefined ? null : resolve(config),
    stop: stop.signal,
    stopNow: stopNow.signal,
    tell: (event) => process.stdout.write(`${jsonServerEvent(event, new Date())}\n`),
  });
  if (!result.ok) await exitWith(result.failure, false);
}

/**
 * Reviews the pull request in this folder. The server runs this command in a separate process, and reads the JSON
 * document that it prints.
 */
export async function serveReviewCommand(): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  // If the server was killed, no one waits for the result any more.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop.abort(), 1000).unref();
  const review = await serveReview(workingDirectory(), readFileSync(0, 'utf8'), stop.signal);
  if (!review.ok) return exitWith(review.failure, true);
  printJson(review.value);
  process.exitCode = review.value.exit_code;
}
