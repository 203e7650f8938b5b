import { quoteName } from '../kernel/escape.ts';
import type { EndedRun } from './finished-run.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { rdjsonReport } from './rdjson.ts';
import { sarifReport, type Tool } from './sarif.ts';

/** The report formats that are written to files, by name. */
export const FORMATS = {
  markdown: markdownReport,
  sarif: sarifReport,
  junit: junitReport,
  rdjson: rdjsonReport,
} as const satisfies Record<string, (run: EndedRun, tool: Tool) => string>;

export type Format = keyof typeof FORMATS;

/** Returns the warning about a report file that git does not ignore. */
export function describeSeenReport(file: string): string {
  return `git does not ignore the report ${quoteName(file)}, so it becomes part of the next change; write it elsewhere or add it to .gitignore`;
}
