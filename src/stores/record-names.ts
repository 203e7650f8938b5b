import { sha256 } from '../domain/digest.ts';
import type { GateId } from '../domain/gate.ts';
import type { GateName, SlotFile } from '../domain/ports.ts';
import { safeName } from '../domain/safe-name.ts';
import type { SlotNumber } from '../domain/slot.ts';

/** What the name of a record's file says; `gate` is null where the name fits none that is known. */
export type RecordName = { readonly gate: GateId | null; readonly iteration: number } & (
  | { readonly kind: 'slot'; readonly slot: SlotNumber; readonly agent: string; readonly ext: Ext }
  | { readonly kind: 'check'; readonly ext: Ext }
  /** The log of a review gate's decisions. */
  | { readonly kind: 'decisions'; readonly stem: string; readonly ext: 'log' }
);

/** Null: not the name of a record. */
type ReadName = (fileName: string) => RecordName | null;

type Ext = 'log' | 'json';

const SLOT_FILE = /^((?:review|rule)_[^@]+)@([1-9]\d{0,8})\.([1-9]\d{0,8})\.(log|json)$/;
const CHECK_FILE = /^(check_[^@]+)\.([1-9]\d{0,8})\.(log|json)$/;
const DECISIONS_FILE = /^((?:review|rule)_[^@]+)\.([1-9]\d{0,8})\.log$/;
const FIX_LOG = /^fix_([^@]+)\.(\d{1,9})\.log$/;
const ANY_NUMBER = /\.(\d{1,9})\.(?:log|json)$/;
// The next iteration must still have a number that can be read.
const LAST_NUMBER = 999_999_998;
const LONGEST_AGENT = 60;

/** The name of a slot's file. */
export function slotFileName(
  stem: string,
  at: { readonly agent: string; readonly slot: SlotNumber; readonly iteration: number },
  ext: Ext,
): string {
  return `${stem}_${safeName(at.agent).slice(0, LONGEST_AGENT)}@${at.slot}.${at.iteration}.${ext}`;
}

/** The name of a check's file, or of the log of a gate's decisions. */
export function gateFileName(stem: string, iteration: number, ext: Ext): string {
  return `${stem}.${iteration}.${ext}`;
}

/** The name of the log of a fix; it is no gate's, and tells nothing that a run goes by. */
export function fixLogName(agent: string, iteration: number): string {
  return `fix_${safeName(agent).slice(0, LONGEST_AGENT)}.${iteration}.log`;
}

/** Whether a file's name is that of a record or of a log of ours, whoever's it is. */
export function isRecordFile(fileName: string): boolean {
  return [SLOT_FILE, CHECK_FILE, DECISIONS_FILE, FIX_LOG].some((name) => name.test(fileName));
}

/** Whose fix a log is of, and after which iteration; null: it is no such log. */
export function readFixLogName(fileName: string): { readonly agent: string; readonly iteration: number } | null {
  const [, agent, iteration] = FIX_LOG.exec(fileName) ?? [];
  return agent === undefined ? null : { agent, iteration: Number(iteration) };
}

/**
 * The stem with which a slot's file is read as its gate's: where the agent's name continues the gate's to that of another
 * gate, a short hash stands between them.
 */
export function slotStem({ gate, agent }: SlotFile, read: ReadName): string {
  const name = slotFileName(gate.stem, { agent, slot: 1, iteration: 1 }, 'json');
  return read(name)?.gate === gate.id ? gate.stem : withHash(gate);
}

/** The number at the end of a file's name, whatever the file is; 0 where there is none. */
export function numberIn(fileName: string): number {
  return Math.min(Number(ANY_NUMBER.exec(fileName)?.[1] ?? 0), LAST_NUMBER);
}

/** Reads names of files: a record belongs to the longest gate's name that fits. */
export function recordNames(gates: readonly GateName[]): ReadName {
  const byStem = new Map(gates.map((gate) => [withHash(gate), gate]));
  for (const gate of gates) byStem.set(gate.stem, gate);
  const onlyReview = onlyReviews(gates);

  function ofSlot(head: string): { readonly gate: GateId | null; readonly agent: string } {
    const last = head.lastIndexOf('_');
    for (let end = last; end > 0; end = head.lastIndexOf('_', end - 1)) {
      const gate = byStem.get(head.slice(0, end));
      const agent = head.slice(end + 1);
      if (gate !== undefined && agent !== '') return { gate: gate.id, agent };
    }
    const agent = head.slice(last + 1);
    return { gate: (agent !== '' && onlyReview.get(head.slice(0, last))) || null, agent };
  }

  const ofGate = (stem: string) => byStem.get(stem)?.id ?? null;
  return (fileName) => {
    const [, head, slot, slotIteration, slotEnd] = SLOT_FILE.exec(fileName) ?? [];
    if (head !== undefined) {
      const numbers = { slot: Number(slot), iteration: Number(slotIteration) };
      return { kind: 'slot', ...ofSlot(head), ...numbers, ext: extOf(slotEnd) };
    }
    const [, check, checkIteration, checkEnd] = CHECK_FILE.exec(fileName) ?? [];
    if (check !== undefined) {
      return { kind: 'check', gate: ofGate(check), iteration: Number(checkIteration), ext: extOf(checkEnd) };
    }
    const [, stem, iteration] = DECISIONS_FILE.exec(fileName) ?? [];
    if (stem === undefined) return null;
    return { kind: 'decisions', stem, gate: ofGate(stem), iteration: Number(iteration), ext: 'log' };
  };
}

/** Some records leave out the gate's name: they can only belong to the one review of their entry. */
function onlyReviews(gates: readonly GateName[]): ReadonlyMap<string, GateId | null> {
  const byEntry = new Map<string, GateId | null>();
  for (const { id, kind } of gates) {
    if (kind !== 'review') continue;
    const entry = safeName(id.slice(0, id.lastIndexOf(':')));
    byEntry.set(entry, byEntry.has(entry) ? null : id);
  }
  return byEntry;
}

function extOf(ext: string | undefined): Ext {
  return ext === 'json' ? 'json' : 'log';
}

function withHash({ id, stem }: GateName): string {
  return `${stem}-${sha256(id).slice(0, 6)}`;
}
