/** The report formats that are written to files. */
const FILE_FORMATS = ['markdown', 'sarif', 'junit', 'rdjson', 'json'] as const;

export type Format = (typeof FILE_FORMATS)[number];

/** The values of `--report` for files, as users read them. */
export const REPORT_FILES = FILE_FORMATS.map((format) => `${format}=FILE`).join(', ');
