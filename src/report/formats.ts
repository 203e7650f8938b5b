import type { EndedRun } from './ended-run.ts';
import { junitReport } from './junit.ts';
import { markdownReport } from './markdown.ts';
import { rdjsonReport } from './rdjson.ts';
import { sarifReport, type Tool } from './sarif.ts';

/** The reports that are files, by the word that asks for them. */
export const FORMATS = {
  markdown: markdownReport,
  sarif: sarifReport,
  junit: junitReport,
  rdjson: rdjsonReport,
} as const satisfies Record<string, (run: EndedRun, tool: Tool) => string>;

export type Format = keyof typeof FORMATS;
