import type { EndedRun } from './finished-run.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { rdjsonReport } from './rdjson.ts';
import { jsonReport } from './run-json.ts';
import { sarifReport } from './sarif.ts';
import type { Format } from './types.ts';

export const FORMATS: Readonly<Record<Format, (run: EndedRun) => string>> = {
  markdown: markdownReport,
  sarif: sarifReport,
  junit: junitReport,
  rdjson: rdjsonReport,
  json: jsonReport,
};
