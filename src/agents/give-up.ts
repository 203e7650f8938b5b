import { MOST_RETRIES } from '../kernel/ports.ts';
import type { AgentEvents } from './agent.ts';

/** How long an agent may report errors and nothing else. */
const PATIENCE_MS = 20_000;

/**
 * Returns when to end an agent that repeats a request without success, in milliseconds as the given times; `null` if it
 * is not repeating one. `progressAt` is the time of its last line that was not an error, `troubleAt` that of the first
 * error since.
 */
export function giveUpAt(
  { trouble, retries, retriesInARow }: Pick<AgentEvents, 'trouble' | 'retries' | 'retriesInARow'>,
  at: { readonly progressAt: number; readonly troubleAt: number },
  mostRetries: number = Number.POSITIVE_INFINITY,
): number | null {
  if (trouble === null) return null;
  if (retriesInARow > MOST_RETRIES || retries > mostRetries) return at.troubleAt;
  switch (trouble.kind) {
    // Agents report a failed connection only after several attempts, so count the time of those, too.
    case 'unreachable':
      return at.progressAt + PATIENCE_MS;
    case 'limit':
      return Math.max(at.troubleAt, trouble.resetAt?.getTime() ?? 0) + PATIENCE_MS;
    default:
      return at.troubleAt + PATIENCE_MS;
  }
}
