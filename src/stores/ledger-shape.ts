import type {
  LedgerCheck,
  LedgerEntry,
  LedgerFix,
  LedgerLoop,
  LedgerRun,
  LedgerSlot,
  LedgerStep,
  Spared,
} from '../domain/ledger.ts';
import type { LoopDispatchReason, LoopTemplate, PhaseName, PhaseRole, PhaseStage } from '../domain/phase.ts';
import { RUN_STATUSES } from '../domain/run.ts';
import {
  hasShape,
  inOrder,
  isAmount,
  isCount,
  isOneOf,
  isOrdinal,
  isText,
  isTime,
  isTruth,
  listOf,
  orNull,
  readShape,
  type Shape,
  USAGE,
} from './shape.ts';

/** An entry as it is written. */
export function ledgerText(entry: LedgerEntry): string {
  return `${JSON.stringify(documentOf(entry))}\n`;
}

function documentOf(entry: LedgerEntry): object {
  switch (entry.kind) {
    case 'run':
      return inOrder(entry, RUN);
    case 'fix':
      return inOrder(entry, FIX);
    case 'loop':
      return inOrder(entry, LOOP);
    case 'step':
      return inOrder(entry, STEP);
  }
}

/** The entry that a value from outside is; null where it is none. */
export function readEntry(value: unknown): LedgerEntry | null {
  return readShape(value, RUN) ?? readShape(value, FIX) ?? readShape(value, LOOP) ?? readShape(value, STEP);
}

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

// As keys, so that the compiler finds a word that is missing.
const PHASES: Words<PhaseName> = { specify: 1, design: 1, 'create-plan': 1, 'create-tasks': 1, implement: 1 };
const STAGES: Words<PhaseStage> = { domain: 1, phase: 1, implement: 1 };
const ROLES: Words<PhaseRole> = {
  'spec-reviewer': 1,
  'design-reviewer': 1,
  'plan-reviewer': 1,
  'task-reviewer': 1,
  'phase-reviewer': 1,
  'implementation-reviewer': 1,
  'code-quality-reviewer': 1,
  'security-reviewer': 1,
  implementer: 1,
  'code-simplifier': 1,
  'test-deepener': 1,
};
const TEMPLATES: Words<LoopTemplate> = { 'I1-R4': 1, I2: 1, 'I2-FV': 1, I3: 1, 'I7-fresh': 1, 'I7-resumed': 1 };
const REASONS: Words<LoopDispatchReason> = {
  'first-look': 1,
  'asked-for': 1,
  'session-differs': 1,
  'cannot-resume': 1,
  'session-lost': 1,
  'no-changes': 1,
  'resume-dearer': 1,
  'delta-too-large': 1,
  delta: 1,
  'final-validation': 1,
  'resume-failed': 1,
  'other-agent': 1,
};

const LOOP: Shape<LedgerLoop> = {
  kind: isOneOf(['loop']),
  ...DATED,
  feature: isText,
  phase: isOneOf(wordsOf(PHASES)),
  stage: isOneOf(wordsOf(STAGES)),
  run: isText,
  role: isOneOf(wordsOf(ROLES)),
  iteration: isCount,
  isFinalValidation: isTruth,
  template: orNull(isOneOf(wordsOf(TEMPLATES))),
  why: isOneOf(wordsOf(REASONS)),
  fellBack: isTruth,
  guarded: isTruth,
  warned: isTruth,
  status: isOneOf(['pass', 'fail', 'done', 'error']),
  ...DISPATCHED,
  promptChars: isAmount,
  freshChars: isAmount,
};

const STEP: Shape<LedgerStep> = {
  kind: isOneOf(['step']),
  ...DATED,
  job: isText,
  session: isText,
  step: isText,
  status: isOneOf(['done', 'error']),
  ...DISPATCHED,
};

type Words<T extends string> = Readonly<Record<T, 1>>;

function wordsOf(words: Words<string>): readonly string[] {
  return Object.keys(words);
}
