import type { Priority } from '../domain/finding.ts';
import type { ToldFinding } from '../domain/run.ts';

/** How grave a finding is where readers know three words for it. */
export type Severity = 'error' | 'warning' | 'note';

const SEVERITIES: Readonly<Record<Priority, Severity>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
};

/** By its priority; what only warns is never an error. */
export function severityOf({ finding, state }: ToldFinding): Severity {
  const severity = SEVERITIES[finding.priority];
  return state === 'warning' && severity === 'error' ? 'warning' : severity;
}

const RANKS: Readonly<Record<Priority, number>> = { critical: 0, high: 1, medium: 2, low: 3 };

/** Puts the gravest first, and what is open before what is not. */
export function byGravity(a: ToldFinding, b: ToldFinding): number {
  const isLess = ({ state }: ToldFinding) => Number(state === 'warning' || state === 'waived');
  return isLess(a) - isLess(b) || RANKS[a.finding.priority] - RANKS[b.finding.priority];
}
