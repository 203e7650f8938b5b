import type { RunOutcome } from '../domain/run.ts';
import { totalTokens, type Usage } from '../domain/usage.ts';
import { count } from './count.ts';
import { usdOf } from './money.ts';
import { tokensOf } from './tokens.ts';

/** What it cost, and an estimate of what it did not cost. */
export function tellPaid({ usage, dispatches, saved }: Pick<RunOutcome, 'usage' | 'dispatches' | 'saved'>): string[] {
  const total = saved.pass + saved.slot + saved.session + saved.prefix;
  const lines: string[] = [];
  if (dispatches > 0) {
    lines.push(`Paid: ${count(dispatches, 'dispatch', 'dispatches')}${usage === null ? '' : `, ${tellUsage(usage)}`}.`);
  }
  if (total > 0) {
    const levers = [
      [saved.pass, 'unchanged since they passed'],
      [saved.slot, 'slots that rested'],
      [saved.session, 'resumed sessions'],
      [saved.prefix, 'shared prompts'],
    ] as const;
    const told = levers.filter(([tokens]) => tokens > 0).map(([tokens, why]) => `${tokensOf(tokens)} ${why}`);
    lines.push(`Not paid (estimate): ${told.join(', ')}.`);
  }
  return lines;
}

/** Tokens and money of a dispatch in a few words. */
export function tellUsage(usage: Usage): string {
  const cost = usage.costUsd === null ? '' : `, ${usdOf(usage.costUsd)}`;
  const cached = usage.cachedInputTokens > 0 ? ` (${tokensOf(usage.cachedInputTokens)} cached)` : '';
  return `${tokensOf(totalTokens(usage))} tokens${cached}${cost}`;
}
