import type { Exchange } from '../domain/agent.ts';
import type { Fix } from '../domain/loop.ts';
import { quoteName } from '../domain/quote-name.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { oneLine } from './one-line.ts';
import { tellExchanges } from './slot-log.ts';

/** The log of a fix: what it was to mend, what was sent, what was said, what came of it. */
export function fixLog(
  fix: Fix,
  about: { readonly round: number; readonly iteration: number | null; readonly asked: readonly string[] },
  exchanges: readonly Exchange[],
): string {
  const after = about.iteration === null ? '' : `, after iteration ${about.iteration}`;
  return `${[
    `Fix ${about.round}: ${fix.agent}${after}`,
    ...about.asked.map(askedAbout),
    ...tellExchanges(exchanges),
    RESULT,
    ...(fix.failure === null ? [] : [`Status: ERROR (${tellAgentFailure(fix.failure)})`]),
    `Files changed: ${fix.filesChanged}`,
    ...(fix.fixed.length === 0 ? [] : [`Says fixed: ${fix.fixed.join(', ')}`]),
    ...(fix.declined.length === 0 ? [] : [`Declines: ${fix.declined.join(', ')}`]),
    ...(fix.summary.trim() === '' ? [] : [`Summary: ${oneLine(fix.summary)}`]),
  ].join('\n')}\n`;
}

const RESULT = '--- Result ---';

/** Whether a fixer was to mend one of these: findings by their ids, checks by those of their gates. */
export function isAskedAbout(log: string, ids: readonly string[]): boolean {
  const [, ...lines] = log.split('\n');
  const head = lines.slice(
    0,
    Math.max(
      0,
      lines.findIndex((line) => !line.startsWith(ASKED)),
    ),
  );
  return ids.some((id) => head.includes(askedAbout(id)));
}

/** What came of a fix, from its log: a line each, as far as it is there. */
export function fixResult(log: string): readonly string[] {
  const lines = log.trimEnd().split('\n');
  const at = lines.lastIndexOf(RESULT);
  return at === -1 ? [] : lines.slice(at + 1);
}

const ASKED = 'Asked about: ';

function askedAbout(id: string): string {
  return `${ASKED}${quoteName(id)}`;
}
