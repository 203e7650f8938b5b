import { join } from 'node:path';
import { byCodePoint } from '../../kernel/collections.ts';
import type { GateId } from '../../kernel/ids.ts';
import { isRecord } from '../../kernel/json.ts';
import { readJsonFile } from '../../platform/private-files.ts';
import type { ArchivedRecord, CheckRecord, GateName, RecordHistory, SlotRecord } from '../record-types.ts';
import { readCheck, readSlot, unreadableCheck, unreadableSlot } from './record-format.ts';
import { numberIn, type RecordName, recordNames } from './record-names.ts';

const LARGEST_RECORD = 32 * 1024 * 1024;

/** The owner of a file; `slot` is `null` for a check, or for the log of a gate's decisions. */
export type RecordFile = ArchivedRecord & { readonly slot: number | null };

/** The records, and the owner of each file by its name. */
export type FoundRecords = { readonly past: RecordHistory; readonly files: Map<string, RecordFile> };

type Listed = { readonly name: string; readonly isFile: boolean };

/** Reads the records in a folder. Of an ignored file, only the iteration number in its name counts. */
export function readRecords(
  folder: string,
  listed: readonly Listed[],
  { gates, isIgnored }: { readonly gates: readonly GateName[]; isIgnored(name: string): boolean },
): FoundRecords {
  const nameOf = recordNames(gates);
  const known = new Set(gates.map(({ id }) => id));
  const counted = listed.filter(({ name }) => !isIgnored(name)).sort((a, b) => byCodePoint(a.name, b.name));
  const existing = new Set(counted.map(({ name }) => name));
  const slots: SlotRecord[] = [];
  const checks: CheckRecord[] = [];
  const files = new Map<string, RecordFile>();

  for (const { name, isFile } of counted) {
    const named = nameOf(name);
    if (named === null || named.kind === 'decisions') continue;
    // A log without its JSON is from a slot that did not finish: it counts as an unreadable record, not as a pass.
    if (named.ext === 'log' && existing.has(withExt(name, 'json'))) continue;
    const value = named.ext === 'json' && isFile ? readJsonFile(join(folder, name), LARGEST_RECORD) : undefined;
    const record = recordOf(value, named, known);
    if (record === null) continue;
    if ('slot' in record) slots.push(record);
    else checks.push(record);
    const file = { gate: record.gate, slot: 'slot' in record ? record.slot : null, iteration: record.iteration };
    for (const own of [name, withExt(name, 'log')]) if (existing.has(own)) files.set(own, file);
  }
  for (const { name } of counted) {
    const named = nameOf(name);
    if (named?.kind !== 'decisions') continue;
    const { iteration, stem } = named;
    const gate = named.gate ?? gateOfDecisions(stem, iteration, files);
    if (gate !== null) files.set(name, { gate, slot: null, iteration });
  }

  const lastIteration = listed.reduce((last, { name }) => Math.max(last, numberIn(name)), 0);
  return { past: { lastIteration, ...split(slots, checks, known) }, files };
}

/** A record of ours names its gate; any other, and one that cannot be read, belongs to the gate in its file's name. */
function recordOf(
  value: unknown,
  named: Exclude<RecordName, { kind: 'decisions' }>,
  known: ReadonlySet<GateId>,
): SlotRecord | CheckRecord | null {
  const read = named.kind === 'slot' ? readSlot(value, named) : readCheck(value, named.iteration);
  if (read !== null) return read;
  const gate = named.gate ?? (isRecord(value) ? value['gate'] : null);
  if (typeof gate !== 'string' || (named.gate === null && !known.has(gate))) return null;
  return named.kind === 'slot' ? unreadableSlot(gate, named) : unreadableCheck(gate, named.iteration);
}

/** Finds the gate that a log of decisions belongs to by the names of its slots' files, if the caller did not name it. */
function gateOfDecisions(stem: string, iteration: number, files: ReadonlyMap<string, RecordFile>): GateId | null {
  for (const [name, file] of files) {
    if (file.iteration === iteration && name.startsWith(`${stem}_`)) return file.gate;
  }
  return null;
}

function split(
  slots: readonly SlotRecord[],
  checks: readonly CheckRecord[],
  known: ReadonlySet<GateId>,
): Omit<RecordHistory, 'lastIteration'> {
  const isKnown = ({ gate }: ArchivedRecord) => known.has(gate);
  const byIteration = (a: ArchivedRecord, b: ArchivedRecord) => a.iteration - b.iteration;
  const others = [...slots, ...checks]
    .filter((record) => !isKnown(record))
    .map((record) => {
      const { branch = null, mergeBase = null } = ('own' in record ? record.own : record) ?? {};
      return { gate: record.gate, iteration: record.iteration, branch, mergeBase };
    });
  return { slots: slots.filter(isKnown).sort(byIteration), checks: checks.filter(isKnown).sort(byIteration), others };
}

function withExt(name: string, ext: 'log' | 'json'): string {
  return `${name.slice(0, name.lastIndexOf('.'))}.${ext}`;
}
