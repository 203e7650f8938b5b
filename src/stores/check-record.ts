import type { GateId } from '../domain/gate.ts';
import type { CheckRecord } from '../domain/record.ts';
import { inOrder, isAmount, isOneOf, isOrdinal, isText, orNull, readShape, type Shape } from './shape.ts';

/** A check's record as it is written. */
export function checkText(record: CheckRecord): string {
  return `${JSON.stringify(inOrder(record, CHECK), null, 2)}\n`;
}

/** The check's record that a document is; null where it is not whole, or not of this iteration. */
export function readCheck(value: unknown, iteration: number): CheckRecord | null {
  const read = readShape(value, CHECK);
  return read?.iteration === iteration ? read : null;
}

/** What stands for a check's record that cannot be read. */
export function unreadableCheck(gate: GateId, iteration: number): CheckRecord {
  return {
    gate,
    iteration,
    timestamp: '',
    status: 'error',
    command: '',
    exitCode: null,
    durationMs: 0,
    tree: '',
    branch: null,
    mergeBase: null,
    scope: '',
    why: null,
  };
}

const CHECK: Shape<CheckRecord> = {
  gate: isText,
  iteration: isOrdinal,
  timestamp: isText,
  status: isOneOf(['pass', 'fail', 'error']),
  command: isText,
  exitCode: orNull(Number.isInteger),
  durationMs: isAmount,
  tree: isText,
  branch: orNull(isText),
  mergeBase: orNull(isText),
  scope: isText,
  why: orNull(isText),
};
