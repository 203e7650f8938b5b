import type { FixLog } from '../domain/ports.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import { fixResult } from './fix-log.ts';
import { cut } from './width.ts';
import { wrap } from './wrap.ts';

const MOST_FIXES = 3;
const MOST_LINES = 5;

/** What fixers did about something and said of it, and where all of it is; nothing where none was asked. */
export function tellFixes(fixes: readonly FixLog[], width: number): readonly string[] {
  if (fixes.length === 0) return [];
  const shown = fixes.slice(0, MOST_FIXES).flatMap(({ agent, iteration, path, log }) => [
    wrap(`  after iteration ${iteration}: ${quoteName(agent)}, ${quoteName(path)}`, width, 2),
    ...fixResult(log)
      .slice(0, MOST_LINES)
      .map((line) => cut(`    ${showUnseen(line)}`, width)),
  ]);
  const more = fixes.length > MOST_FIXES ? [`  and ${fixes.length - MOST_FIXES} more`] : [];
  return [['What fixers did, newest first:', ...shown, ...more].join('\n')];
}
