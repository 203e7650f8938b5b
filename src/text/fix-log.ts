import type { Exchange } from '../domain/agent.ts';
import type { Fix } from '../domain/loop.ts';
import { tellAgentFailure } from './agent-failure.ts';
import { tellExchanges } from './slot-log.ts';

/** The log of a fix: what was sent, what was said, what came of it. */
export function fixLog(
  fix: Fix,
  { round, iteration }: { readonly round: number; readonly iteration: number | null },
  exchanges: readonly Exchange[],
): string {
  const after = iteration === null ? '' : `, after iteration ${iteration}`;
  return `${[
    `Fix ${round}: ${fix.agent}${after}`,
    ...tellExchanges(exchanges),
    '--- Result ---',
    ...(fix.failure === null ? [] : [`Status: ERROR (${tellAgentFailure(fix.failure)})`]),
    `Files changed: ${fix.filesChanged}`,
    ...(fix.fixed.length === 0 ? [] : [`Says fixed: ${fix.fixed.join(', ')}`]),
    ...(fix.declined.length === 0 ? [] : [`Declines: ${fix.declined.join(', ')}`]),
  ].join('\n')}\n`;
}
