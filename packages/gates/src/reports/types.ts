/** The report formats that are written to files. */
const FILE_FORMATS = ['markdown', 'sarif', 'junit', 'rdjson', 'html', 'json'] as const;

export type Format = (typeof FILE_FORMATS)[number];

/** The values of `--report` that write to a file, as `--help` shows them. */
export const REPORT_FILES = FILE_FORMATS.map((format) => `${format}=FILE`).join(', ');

/** Whether a value of `--report` names a format that is written to a file. */
export function isFileFormat(text: string): text is Format {
  return FILE_FORMATS.some((format) => format === text);
}
