import type { Finding } from '../domain/finding.ts';
import { readable } from './readable.ts';

/** What is wrong and how to mend it, in the reviewer's words. */
export function findingMessage({ issue, fix }: Pick<Finding, 'issue' | 'fix'>): string {
  return fix === null ? readable(issue) : `${readable(issue)}\n\nFix: ${readable(fix)}`;
}
