import type {
  LedgerFix,
  LedgerLoop,
  LedgerProbe,
  LedgerRun,
  LedgerSlot,
  LedgerStep,
  SavedUsage,
} from '@onceover/agents/ledger/entries';
import { usage } from './run-samples.ts';

/** A run in the ledger. */
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

/** A slot that ran. */
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

/** A turn of a fixer. */
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

/** The first review of a review loop. */
export function ledgerLoop(differs: Partial<LedgerLoop> = {}): LedgerLoop {
  return {
    kind: 'loop',
    at: '2026-03-01T12:02:00.000Z',
    durationMs: 3000,
    startedBy: 'person',
    branch: 'work',
    feature: 'specs/login',
    phase: 'specify',
    stage: 'domain',
    run: 'r1',
    role: 'spec-reviewer',
    iteration: 1,
    isFinalValidation: false,
    template: 'I1-R4',
    why: 'first-look',
    fellBack: false,
    guarded: false,
    warned: false,
    status: 'fail',
    agent: 'claude',
    model: null,
    dispatch: 'fresh',
    asks: 1,
    usage: usage(),
    promptChars: 8000,
    freshChars: 8000,
    ...differs,
  };
}

export function spared(differs: Partial<SavedUsage> = {}): SavedUsage {
  return { gate: 'review:src:code-quality', lever: 'pass', looks: 1, tokens: 100, ...differs };
}

/** A review of the outputs of a workflow step. */
export function ledgerStep(differs: Partial<LedgerStep> = {}): LedgerStep {
  return {
    kind: 'step',
    at: '2026-03-01T12:03:00.000Z',
    durationMs: 2500,
    startedBy: 'agent',
    branch: 'work',
    job: 'report',
    session: 'ab12cd34',
    step: 'draft',
    status: 'done',
    agent: 'claude',
    model: null,
    dispatch: 'fresh',
    asks: 1,
    usage: usage(),
    ...differs,
  };
}

/** A test whether an agent can resume sessions. */
export function ledgerProbe(differs: Partial<LedgerProbe> = {}): LedgerProbe {
  return {
    kind: 'probe',
    at: '2026-03-01T12:04:00.000Z',
    durationMs: 9000,
    startedBy: 'person',
    branch: null,
    agent: 'claude',
    model: null,
    dispatch: 'fresh',
    asks: 5,
    usage: usage(),
    ...differs,
  };
}
