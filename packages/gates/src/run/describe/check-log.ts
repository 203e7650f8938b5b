import type { CheckRecord } from '../record-types.ts';

const RESULT = 'Result: ';

/** Returns the log of a check: its command, its output and its result. */
export function checkLog(record: CheckRecord, output: string): string {
  const result = `${RESULT}${record.status}${record.why === null ? '' : ` - ${record.why}`}`;
  return `Check: ${record.gate}\nCommand: ${record.command}\n\n${output.trimEnd()}\n\n${result}\n`;
}

/** Returns the output lines in a check's log; none if the log is incomplete. */
export function checkOutput(log: string): readonly string[] {
  const [, ...rest] = log.trimEnd().split('\n\n');
  const lines = rest.join('\n\n').split('\n');
  if (lines.at(-1)?.startsWith(RESULT) !== true) return [];
  return lines.slice(0, -1).filter((line) => line !== '');
}
