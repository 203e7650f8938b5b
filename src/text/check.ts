import type { CheckEnd } from '../domain/ports.ts';
import type { CheckRecord } from '../domain/record.ts';
import { secondsOf } from './seconds.ts';

/** How a check ended, to follow its name. */
export function tellCheckEnd(end: Pick<CheckEnd, 'ending' | 'exitCode'>, seconds: number): string {
  switch (end.ending) {
    case 'timeout':
      return `did not end within ${secondsOf(seconds)}`;
    case 'cancelled':
      return 'was stopped';
    case 'not-started':
      return 'could not be started';
    case 'by-itself':
      return end.exitCode === null ? 'was ended by a signal' : `ended with exit code ${end.exitCode}`;
  }
}

const RESULT = 'Result: ';

/** The log of a check: what was run, what it printed, what came of it. */
export function checkLog(record: CheckRecord, output: string): string {
  const result = `${RESULT}${record.status}${record.why === null ? '' : ` - ${record.why}`}`;
  return `Check: ${record.gate}\nCommand: ${record.command}\n\n${output.trimEnd()}\n\n${result}\n`;
}

/** What a check printed, from its log; nothing where that has no end, as one that was too long to be read whole. */
export function checkOutput(log: string): readonly string[] {
  const [, ...rest] = log.trimEnd().split('\n\n');
  const lines = rest.join('\n\n').split('\n');
  if (lines.at(-1)?.startsWith(RESULT) !== true) return [];
  return lines.slice(0, -1).filter((line) => line !== '');
}
