import { tellEvent } from '../text/event.ts';
import type { ConsoleReporter } from './console-reporter.ts';
import { isLive, paintFor } from './looks.ts';
import { forLog } from './output.ts';

/** Live on a terminal, a line an event elsewhere; on stderr, where the answer is not. */
export async function consoleReporter(): Promise<ConsoleReporter> {
  const { stderr, env } = process;
  if (isLive(stderr, env)) return (await import('./live/live-reporter.ts')).liveReporter(stderr, paintFor(stderr, env));
  return {
    tell(event) {
      const line = tellEvent(event);
      if (line !== null) stderr.write(forLog(`${line}\n`));
    },
    end() {},
  };
}
