import type { LedgerLoop } from '@onceover/agents/ledger/entries';
import type { PhaseName, ReviewerRole } from '@onceover/base/kernel/review-loops';
import { ledgerLoop } from './ledger-samples.ts';
import { usage } from './run-samples.ts';

const DOMAIN: Readonly<Record<Exclude<PhaseName, 'implement'>, ReviewerRole>> = {
  specify: 'spec-reviewer',
  design: 'design-reviewer',
  'create-plan': 'plan-reviewer',
  'create-tasks': 'task-reviewer',
};

/** Returns a time of the same day, so many minutes after noon. */
export function minuteOf(minute: number): string {
  return new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();
}

/**
 * Returns the ledger entries of a domain loop: a first review, and after each fix a resumed one. A resumed prompt has
 * `sent` characters, the prompt of a new session 10,000.
 */
export function documentLoop(
  rounds: number,
  differs: Partial<LedgerLoop> & { readonly phase?: Exclude<PhaseName, 'implement'> } = {},
  { sent = 1000, from = 0 }: { readonly sent?: number; readonly from?: number } = {},
): readonly LedgerLoop[] {
  const { phase = 'specify' } = differs;
  const common = { phase, run: `${phase}-${from}`, ...differs };
  const small = usage({ inputTokens: 400, cachedInputTokens: 9000, outputTokens: 300, costUsd: 0.0125 });
  const large = usage({ inputTokens: 500, cacheWriteTokens: 9000, outputTokens: 600, costUsd: 0.12 });
  const resumed = { dispatch: 'resumed', why: 'delta', promptChars: sent, freshChars: 10_000, usage: small } as const;
  const opening = { promptChars: 10_000, freshChars: 10_000, usage: large } as const;
  return Array.from({ length: rounds }, (_, n): readonly LedgerLoop[] => {
    const iteration = n + 1;
    const isLast = iteration === rounds;
    const look = ledgerLoop({
      ...(n === 0 ? opening : { ...resumed, template: 'I2' }),
      ...{ at: minuteOf(from + 2 * n), iteration, role: DOMAIN[phase], status: isLast ? 'pass' : 'fail', ...common },
    });
    const fix = ledgerLoop({
      ...(n === 0 ? { ...opening, template: 'I7-fresh' } : { ...resumed, template: 'I7-resumed' }),
      ...{ at: minuteOf(from + 2 * n + 1), iteration, status: 'done', ...common, role: 'implementer' },
    });
    return isLast ? [look] : [look, fix];
  }).flat();
}
