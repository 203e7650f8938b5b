import type { LedgerFix, LedgerRun, LedgerSlot, Spared } from '../../src/domain/ledger.ts';
import { usage } from './run-samples.ts';

/** A run as the ledger has it. */
export function ledgerRun(differs: Partial<LedgerRun> = {}): LedgerRun {
  return {
    kind: 'run',
    at: '2026-03-01T12:00:00.000Z',
    durationMs: 2000,
    startedBy: 'person',
    branch: 'work',
    scope: 'full',
    iteration: 1,
    status: 'passed',
    exitCode: 0,
    slots: [],
    checks: [],
    spared: [],
    ...differs,
  };
}

/** A slot that was asked. */
export function ledgerSlot(differs: Partial<LedgerSlot> = {}): LedgerSlot {
  return {
    gate: 'review:src:code-quality',
    slot: 1,
    status: 'pass',
    why: 'first-run',
    durationMs: 1500,
    agent: 'claude',
    model: null,
    dispatch: 'fresh',
    asks: 1,
    usage: usage(),
    ...differs,
  };
}

/** A fixer's turn. */
export function ledgerFix(differs: Partial<LedgerFix> = {}): LedgerFix {
  return {
    kind: 'fix',
    at: '2026-03-01T12:01:00.000Z',
    durationMs: 4000,
    startedBy: 'person',
    branch: 'work',
    agent: 'claude',
    model: null,
    dispatch: 'fresh',
    asks: 1,
    usage: usage(),
    ...differs,
  };
}

export function spared(differs: Partial<Spared> = {}): Spared {
  return { gate: 'review:src:code-quality', lever: 'pass', looks: 1, tokens: 100, ...differs };
}
