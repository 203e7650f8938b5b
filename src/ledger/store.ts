import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ok } from '../kernel/result.ts';
import {
  type LoopDispatchReason,
  type LoopTemplate,
  PHASE_STAGES,
  PHASES,
  type PhaseRole,
  REVIEWER_ROLES,
  type ReviewerRole,
} from '../kernel/review-loops.ts';
import {
  hasShape,
  isAmount,
  isBoolean,
  isCount,
  isOneOf,
  isOrdinal,
  isString,
  isTime,
  listOf,
  orNull,
  readShape,
  type Shape,
  USAGE,
  withKeyOrder,
} from '../kernel/shape.ts';
import {
  checkFolder,
  listFolder,
  makeFolder,
  removeFile,
  removeLeftovers,
  writeAtomically,
} from '../platform/files.ts';
import { readJsonFile } from '../platform/private-files.ts';
import {
  type Ledger,
  type LedgerCheck,
  type LedgerEntry,
  type LedgerFix,
  type LedgerLoop,
  type LedgerRun,
  type LedgerSlot,
  type LedgerStep,
  RUN_STATUSES,
  type SavedUsage,
} from './entries.ts';

/** Returns an entry as the text of its file. */
export function ledgerText(entry: LedgerEntry): string {
  const shape = { run: RUN, fix: FIX, loop: LOOP, step: STEP }[entry.kind];
  return `${JSON.stringify(withKeyOrder<object>(entry, shape))}\n`;
}

/** Parses an entry; `null` if the value is not a valid entry. */
function readEntry(value: unknown): LedgerEntry | null {
  return readShape(value, RUN) ?? readShape(value, FIX) ?? readShape(value, LOOP) ?? readShape(value, STEP);
}

const DATED = {
  at: isTime,
  durationMs: isAmount,
  startedBy: isOneOf(['person', 'agent']),
  branch: orNull(isString),
};

const DISPATCHED = {
  agent: isString,
  model: orNull(isString),
  dispatch: isOneOf(['fresh', 'resumed']),
  asks: isAmount,
  usage: orNull(hasShape(USAGE)),
};

const SLOT: Shape<LedgerSlot> = {
  gate: isString,
  slot: isOrdinal,
  status: isOneOf(['pass', 'fail', 'error']),
  why: isString,
  durationMs: isAmount,
  ...DISPATCHED,
};

const CHECK: Shape<LedgerCheck> = { gate: isString, status: isOneOf(['pass', 'fail', 'error']), durationMs: isAmount };

const SPARED: Shape<SavedUsage> = {
  gate: isString,
  lever: isOneOf(['pass', 'slot', 'session', 'prefix']),
  looks: isAmount,
  tokens: isAmount,
};

const RUN: Shape<LedgerRun> = {
  kind: isOneOf(['run']),
  ...DATED,
  scope: isString,
  iteration: orNull(isOrdinal),
  status: isOneOf(RUN_STATUSES),
  exitCode: (value) => value === 0 || value === 1 || value === 3,
  slots: listOf(SLOT),
  checks: listOf(CHECK),
  spared: listOf(SPARED),
};

const FIX: Shape<LedgerFix> = { kind: isOneOf(['fix']), ...DATED, ...DISPATCHED };

// Words are keys, so that the compiler reports a missing one.
const WRITERS: Words<Exclude<PhaseRole, ReviewerRole>> = { implementer: 1, 'code-simplifier': 1, 'test-deepener': 1 };

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
  feature: isString,
  phase: isOneOf(PHASES),
  stage: isOneOf(PHASE_STAGES),
  run: isString,
  role: isOneOf([...REVIEWER_ROLES, ...wordsOf(WRITERS)]),
  iteration: isCount,
  isFinalValidation: isBoolean,
  template: orNull(isOneOf(wordsOf(TEMPLATES))),
  why: isOneOf(wordsOf(REASONS)),
  fellBack: isBoolean,
  guarded: isBoolean,
  warned: isBoolean,
  status: isOneOf(['pass', 'fail', 'done', 'error']),
  ...DISPATCHED,
  promptChars: isAmount,
  freshChars: isAmount,
};

const STEP: Shape<LedgerStep> = {
  kind: isOneOf(['step']),
  ...DATED,
  job: isString,
  session: isString,
  step: isString,
  status: isOneOf(['done', 'error']),
  ...DISPATCHED,
};

type Words<T extends string> = Readonly<Record<T, 1>>;

function wordsOf(words: Words<string>): readonly string[] {
  return Object.keys(words);
}

const FOLDER = 'onceover/ledger';

const MOST_ENTRIES = 2000;

const LARGEST_ENTRY = 1024 * 1024;

// File names start with the time, so that they sort by time.
const NAME = /^\d{8}T\d{9}Z-([0-9a-f]{8})\.json$/;

const WRITES_BETWEEN_CLEANUPS = 32;

/** Opens the ledger in the git folder of the clone: one file per entry, at most about `most` files. */
export function openLedger(commonDir: string, most = MOST_ENTRIES): Ledger {
  const path = join(commonDir, FOLDER);
  return {
    async add(entry) {
      // Checking is faster than creating an existing folder, and a run with nothing to do waits for it.
      const found = checkFolder(commonDir, FOLDER);
      const folder = found.ok && found.value === 'missing' ? makeFolder(commonDir, FOLDER) : found;
      if (!folder.ok) return folder;
      const random = randomBytes(4);
      const name = `${entry.at.replace(/[-:.]/g, '')}-${random.toString('hex')}.json`;
      const written = writeAtomically(path, name, ledgerText(entry));
      // A process writes few entries and keeps no count, so chance decides when to clean up.
      if (written.ok && (random[0] ?? 0) % WRITES_BETWEEN_CLEANUPS === 0) cleanUp(path, most);
      return written;
    },
    async all() {
      const found = checkFolder(commonDir, FOLDER);
      if (!found.ok) return found;
      const listed = listFolder(path);
      if (!listed.ok) return listed;
      const entries: LedgerEntry[] = [];
      let unreadable = 0;
      for (const name of namesIn(listed.value)) {
        const entry = readEntry(readJsonFile(join(path, name), LARGEST_ENTRY));
        if (entry === null) unreadable++;
        else entries.push(entry);
      }
      return ok({ entries: entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), unreadable });
    },
  };
}

// The new entry is already written, so failures to remove old ones can wait for the next cleanup.
function cleanUp(folder: string, most: number): void {
  removeLeftovers(folder, Date.now());
  const listed = listFolder(folder);
  const names = listed.ok ? namesIn(listed.value) : [];
  for (const name of names.slice(0, Math.max(0, names.length - most))) removeFile(join(folder, name));
}

function namesIn(listed: readonly { readonly name: string }[]): readonly string[] {
  return listed
    .map(({ name }) => name)
    .filter((name) => NAME.test(name))
    .sort();
}
