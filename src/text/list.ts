import { wrap } from './wrap.ts';

/** Lines under a title, each marked as one of several. */
export function list(title: string, lines: readonly string[], width: number): string {
  return [title, ...lines.map((line) => wrap(`  - ${line}`, width, 2))].join('\n');
}
