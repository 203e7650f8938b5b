import type { LedgerCheck, LedgerEntry, LedgerFix, LedgerRun, LedgerSlot, Spared } from '../domain/ledger.ts';
import { RUN_STATUSES } from '../domain/run.ts';
import type { Usage } from '../domain/usage.ts';
import { hasShape, inOrder, isAmount, isOneOf, isOrdinal, isText, orNull, readShape, type Shape } from './shape.ts';

/** An entry as it is written. */
export function ledgerText(entry: LedgerEntry): string {
  const document = entry.kind === 'run' ? inOrder(entry, RUN) : inOrder(entry, FIX);
  return `${JSON.stringify(document)}\n`;
}

/** The entry that a value from outside is; null where it is none. */
export function readEntry(value: unknown): LedgerEntry | null {
  return readShape(value, RUN) ?? readShape(value, FIX);
}

const USAGE: Shape<Usage> = {
  inputTokens: isAmount,
  cachedInputTokens: isAmount,
  cacheWriteTokens: isAmount,
  outputTokens: isAmount,
  costUsd: orNull(isAmount),
};

const DATED = {
  at: isTime,
  durationMs: isAmount,
  startedBy: isOneOf(['person', 'agent']),
  branch: orNull(isText),
};

const DISPATCHED = {
  agent: isText,
  model: orNull(isText),
  dispatch: isOneOf(['fresh', 'resumed']),
  asks: isAmount,
  usage: orNull(hasShape(USAGE)),
};

const SLOT: Shape<LedgerSlot> = {
  gate: isText,
  slot: isOrdinal,
  status: isOneOf(['pass', 'fail', 'error']),
  why: isText,
  durationMs: isAmount,
  ...DISPATCHED,
};

const CHECK: Shape<LedgerCheck> = { gate: isText, status: isOneOf(['pass', 'fail', 'error']), durationMs: isAmount };

const SPARED: Shape<Spared> = {
  gate: isText,
  lever: isOneOf(['pass', 'slot', 'session', 'prefix']),
  looks: isAmount,
  tokens: isAmount,
};

const RUN: Shape<LedgerRun> = {
  kind: isOneOf(['run']),
  ...DATED,
  scope: isText,
  iteration: orNull(isOrdinal),
  status: isOneOf(RUN_STATUSES),
  exitCode: (value) => value === 0 || value === 1 || value === 3,
  slots: listOf(SLOT),
  checks: listOf(CHECK),
  spared: listOf(SPARED),
};

const FIX: Shape<LedgerFix> = { kind: isOneOf(['fix']), ...DATED, ...DISPATCHED };

function listOf<T>(shape: Shape<T>): (value: unknown) => boolean {
  const isOne = hasShape(shape);
  return (value) => Array.isArray(value) && value.every(isOne);
}

function isTime(value: unknown): boolean {
  return isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) && !Number.isNaN(Date.parse(value));
}
