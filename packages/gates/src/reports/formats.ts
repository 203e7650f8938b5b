import type { EndedRun } from './finished-run.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { rdjsonReport } from './rdjson.ts';
import { jsonReport } from './run-json.ts';
import { sarifReport } from './sarif.ts';
import type { Format } from './types.ts';

/**
 * The report formats that are made from the ended run alone. The HTML report also needs records, so the folder `web/`
 * makes it.
 */
export const FORMATS: Readonly<Record<Exclude<Format, 'html'>, (run: EndedRun) => string>> = {
  markdown: markdownReport,
  sarif: sarifReport,
  junit: junitReport,
  rdjson: rdjsonReport,
  json: jsonReport,
};
