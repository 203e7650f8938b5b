import { type GateId, sha256 } from '@onceover/base/kernel/ids';
import { safeName } from '@onceover/base/kernel/paths';
import type { SlotNumber } from '../../gate-types.ts';
import type { GateName, SlotFile } from '../record-types.ts';

type Ext = 'log' | 'json';

/** The parts of a record's file name. `gate` is `null` if the name fits no known gate. */
export type RecordName = { readonly gate: GateId | null; readonly iteration: number; readonly ext: Ext } & (
  | { readonly kind: 'slot'; readonly slot: SlotNumber; readonly agent: string }
  | { readonly kind: 'check' }
  /** The log that says why each reviewer of a gate runs or is skipped. */
  | { readonly kind: 'decisions'; readonly stem: string }
);

type ReadName = (fileName: string) => RecordName | null;

const RECORD = /^((check|review|rule)_[^@]+)(?:@([1-9]\d{0,8}))?\.([1-9]\d{0,8})\.(log|json)$/;
const FIX_LOG = /^fix_([^@]+)\.(\d{1,9})\.log$/;
const ANY_NUMBER = /\.(\d{1,9})\.(?:log|json)$/;

// Higher iteration numbers in file names are treated as this one, so that the number after it also has at most nine
// digits.
const LAST_NUMBER = 999_999_998;
const LONGEST_AGENT = 60;

export function slotFileName(
  stem: string,
  at: { readonly agent: string; readonly slot: SlotNumber; readonly iteration: number },
  ext: Ext,
): string {
  return `${stem}_${safeName(at.agent).slice(0, LONGEST_AGENT)}@${at.slot}.${at.iteration}.${ext}`;
}

/** Returns the file name for a check, or for the log of why each reviewer of a gate runs or is skipped. */
export function gateFileName(stem: string, iteration: number, ext: Ext): string {
  return `${stem}.${iteration}.${ext}`;
}

/** Returns the name of a fix log. Fix logs are for people; runs do not read them. */
export function fixLogName(agent: string, iteration: number): string {
  return `fix_${safeName(agent).slice(0, LONGEST_AGENT)}.${iteration}.log`;
}

/** Whether a file name has the form of a record or log, of any gate or fixer. */
export function isRecordFile(fileName: string): boolean {
  return partsOf(fileName) !== null || FIX_LOG.test(fileName);
}

export function readFixLogName(fileName: string): { readonly agent: string; readonly iteration: number } | null {
  const [, agent, iteration] = FIX_LOG.exec(fileName) ?? [];
  return agent === undefined ? null : { agent, iteration: Number(iteration) };
}

/** Returns the start of a reviewer's file name, with a short hash if the name could also belong to another gate. */
export function slotStem({ gate, agent }: SlotFile, readName: ReadName): string {
  const name = slotFileName(gate.stem, { agent, slot: 1, iteration: 1 }, 'json');
  return readName(name)?.gate === gate.id ? gate.stem : withHash(gate);
}

/** Returns the iteration number at the end of a file name; 0 if there is none. */
export function numberIn(fileName: string): number {
  return Math.min(Number(ANY_NUMBER.exec(fileName)?.[1] ?? 0), LAST_NUMBER);
}

/**
 * Returns a function that parses file names. If the names of several gates fit, the record belongs to the gate whose
 * name is longest.
 */
export function recordNames(gates: readonly GateName[]): ReadName {
  const byStem = new Map(gates.map((gate) => [withHash(gate), gate.id]));
  for (const gate of gates) byStem.set(gate.stem, gate.id);
  const onlyReview = onlyReviews(gates);

  function slotOwner(head: string): { readonly gate: GateId | null; readonly agent: string } {
    const last = head.lastIndexOf('_');
    for (let end = last; end > 0; end = head.lastIndexOf('_', end - 1)) {
      const gate = byStem.get(head.slice(0, end));
      const agent = head.slice(end + 1);
      if (gate !== undefined && agent !== '') return { gate, agent };
    }
    const agent = head.slice(last + 1);
    return { gate: (agent !== '' && onlyReview.get(head.slice(0, last))) || null, agent };
  }

  return (fileName) => {
    const parts = partsOf(fileName);
    if (parts === null) return null;
    const { stem, isCheck, slot, iteration, ext } = parts;
    if (slot !== null) return { kind: 'slot', ...slotOwner(stem), slot, iteration, ext };
    const gate = byStem.get(stem) ?? null;
    return isCheck ? { kind: 'check', gate, iteration, ext } : { kind: 'decisions', stem, gate, iteration, ext };
  };
}

/**
 * Returns the parts of the file name of a record or log; `null` for any other name, such as that of a check with a
 * reviewer number.
 */
function partsOf(fileName: string) {
  const [, stem, kind, digits, iteration, ext] = RECORD.exec(fileName) ?? [];
  if (stem === undefined) return null;
  const isCheck = kind === 'check';
  const slot = digits === undefined ? null : Number(digits);
  if (isCheck ? slot !== null : slot === null && ext === 'json') return null;
  return { stem, isCheck, slot, iteration: Number(iteration), ext: ext === 'json' ? 'json' : 'log' } as const;
}

/**
 * Maps each item of `gates` in the settings to its only review; `null` if it has several. Other tools may omit the
 * review's name in file names.
 */
function onlyReviews(gates: readonly GateName[]): ReadonlyMap<string, GateId | null> {
  const byEntry = new Map<string, GateId | null>();
  for (const { id, kind } of gates) {
    if (kind !== 'review') continue;
    const entry = safeName(id.slice(0, id.lastIndexOf(':')));
    byEntry.set(entry, byEntry.has(entry) ? null : id);
  }
  return byEntry;
}

function withHash({ id, stem }: GateName): string {
  return `${stem}-${sha256(id).slice(0, 6)}`;
}
