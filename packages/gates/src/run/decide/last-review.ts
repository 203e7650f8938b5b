import type { SlotRecord } from '../record-types.ts';
import type { GateState } from './gate-state.ts';

/**
 * Returns the reviewer's last review of the current change, not counting skips; `null` if there is none or it ended in
 * an error.
 */
export function lastReview({ cycle }: Pick<GateState, 'cycle'>, slot: number): SlotRecord | null {
  const latest = cycle.findLast((record) => record.slot === slot && record.own?.dispatch !== 'none');
  return latest === undefined || latest.status === 'error' ? null : latest;
}
