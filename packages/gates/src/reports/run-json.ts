import { runDocument } from '../result/json.ts';
import type { EndedRun } from './finished-run.ts';

/** Returns the JSON document of `run --json`, which `onceover publish` and other programs read. */
export function jsonReport({ outcome, status, verdict }: EndedRun): string {
  const [, message = '', next = ''] = verdict;
  const document = outcome === null ? { error: { kind: status, message, next } } : runDocument(outcome);
  return `${JSON.stringify(document, null, 2)}\n`;
}
