import type { Priority } from '../domain/finding.ts';

const RANKS: Readonly<Record<Priority, number>> = { low: 0, medium: 1, high: 2, critical: 3 };

/** Whether a priority lies below a threshold. */
export function isBelow(priority: Priority, threshold: Priority): boolean {
  return RANKS[priority] < RANKS[threshold];
}

/** The graver of two priorities. */
export function graver(a: Priority, b: Priority): Priority {
  return isBelow(a, b) ? b : a;
}
