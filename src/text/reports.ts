import { quoteName } from '../domain/quote-name.ts';

const FORMS = 'markdown=FILE, sarif=FILE, junit=FILE, rdjson=FILE, github';

/** What is wrong with a report that was asked for. */
export type WrongReport =
  | { readonly kind: 'unknown-format'; readonly format: string }
  | { readonly kind: 'no-file'; readonly format: string }
  | { readonly kind: 'file-for-github' }
  | { readonly kind: 'folder'; readonly file: string }
  | { readonly kind: 'twice'; readonly what: string }
  | { readonly kind: 'dry-run' };

/** The sentence for a report that cannot be meant. */
export function tellWrongReport(wrong: WrongReport): string {
  switch (wrong.kind) {
    case 'unknown-format':
      return `--report knows no format ${quoteName(wrong.format)}: say ${FORMS}.`;
    case 'no-file':
      return `--report ${wrong.format} names no file: say ${FORMS}.`;
    case 'file-for-github':
      return `--report github takes no file, as it is part of the log and the summary of the job: say ${FORMS}.`;
    case 'folder':
      return `--report needs a file to write, and ${quoteName(wrong.file)} is a folder: say ${FORMS}.`;
    case 'twice':
      return `--report names ${quoteName(wrong.what)} twice, and each report needs a file of its own: say ${FORMS}.`;
    case 'dry-run':
      return '--report cannot be used with --dry-run: nothing is run, so there is nothing to report.';
  }
}

/** What to know of a report that git sees. */
export function tellSeenReport(file: string): string {
  return `the report ${quoteName(file)} is inside the repository and git does not ignore it: it is part of the next change, so write it elsewhere or have git ignore it`;
}
