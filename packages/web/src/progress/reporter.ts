import { forLog, isLive, paintFor } from '@onceover/base/ui/terminal';
import { describeEvent } from './describe.ts';
import type { ConsoleReporter } from './state.ts';

/**
 * Returns the reporter for stderr: a live view on a terminal, otherwise one line per event. With `quiet`, it prints
 * nothing.
 */
export async function consoleReporter({ quiet = false } = {}): Promise<ConsoleReporter> {
  const { stderr, env } = process;
  if (quiet) return { tell() {}, end() {} };
  if (isLive(stderr, env)) return (await import('./live.ts')).liveReporter(stderr, paintFor(stderr, env));
  return {
    tell(event) {
      const line = describeEvent(event);
      if (line !== null) stderr.write(forLog(`${line}\n`));
    },
    end() {},
  };
}
