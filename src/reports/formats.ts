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

const FORMS = 'markdown=FILE, sarif=FILE, junit=FILE, rdjson=FILE, github';

/** A problem with a requested report. */
export type WrongReport =
  | { readonly kind: 'unknown-format'; readonly format: string }
  | { readonly kind: 'no-file'; readonly format: string }
  | { readonly kind: 'file-for-github' }
  | { readonly kind: 'folder'; readonly file: string }
  | { readonly kind: 'twice'; readonly what: string }
  | { readonly kind: 'dry-run' };

/** Describes a problem with a requested report. */
export function describeWrongReport(wrong: WrongReport): string {
  switch (wrong.kind) {
    case 'unknown-format':
      return `${quoteName(wrong.format)} is not a format of --report. Use ${FORMS}.`;
    case 'no-file':
      return `--report ${wrong.format} needs a file. Use ${FORMS}.`;
    case 'file-for-github':
      return `--report github takes no file, because it writes to the log and the job summary. Use ${FORMS}.`;
    case 'folder':
      return `--report needs a file, and ${quoteName(wrong.file)} is a folder. Use ${FORMS}.`;
    case 'twice':
      return `--report has ${quoteName(wrong.what)} twice, and each report needs its own file. Use ${FORMS}.`;
    case 'dry-run':
      return '--report cannot be used with --dry-run: nothing runs, so there is nothing to report.';
  }
}

/** Warns about a report that git does not ignore. */
export function describeSeenReport(file: string): string {
  return `git does not ignore the report ${quoteName(file)}, so it becomes part of the next change; write it elsewhere or add it to .gitignore`;
}
