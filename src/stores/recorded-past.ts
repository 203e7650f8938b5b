import { join } from 'node:path';
import type { GateId } from '../domain/gate.ts';
import { isRecord } from '../domain/is-record.ts';
import { byCodePoint } from '../domain/order.ts';
import type { ArchivedRecord, GateName, RecordedPast } from '../domain/ports.ts';
import type { CheckRecord, SlotRecord } from '../domain/record.ts';
import type { Whereabouts } from '../domain/scope.ts';
import { readJsonFile } from '../io/json-file.ts';
import { readCheck, unreadableCheck } from './check-record.ts';
import { numberIn, type RecordName, recordNames } from './record-names.ts';
import { readSlot, unreadableSlot } from './slot-record.ts';

const LARGEST_RECORD = 32 * 1024 * 1024;

/** Whose file it is; `slot` is null for what is the gate's own. */
export type RecordFile = { readonly gate: GateId; readonly slot: number | null; readonly iteration: number };

/** What records say, and which file belongs to which gate. */
export type FoundPast = { readonly past: RecordedPast; readonly files: Map<string, RecordFile> };

type Listed = { readonly name: string; readonly isFile: boolean };

/** Reads the records in a folder; of an ignored file, only the number in its name counts. */
export function readPast(
  folder: string,
  listed: readonly Listed[],
  { gates, isIgnored }: { readonly gates: readonly GateName[]; isIgnored(name: string): boolean },
): FoundPast {
  const nameOf = recordNames(gates);
  const known = new Set(gates.map(({ id }) => id));
  const counted = listed.filter(({ name }) => !isIgnored(name)).sort((a, b) => byCodePoint(a.name, b.name));
  const there = new Set(counted.map(({ name }) => name));
  const slots: SlotRecord[] = [];
  const checks: CheckRecord[] = [];
  const files = new Map<string, RecordFile>();

  for (const { name, isFile } of counted) {
    const named = nameOf(name);
    // A log goes with its document; one without is what a slot left that came to no end.
    if (named === null || named.kind === 'decisions') continue;
    if (named.ext === 'log' && there.has(withEnd(name, 'json'))) continue;
    const value = named.ext === 'json' && isFile ? readJsonFile(join(folder, name), LARGEST_RECORD) : undefined;
    const record = named.kind === 'slot' ? slotOf(value, named, known) : checkOf(value, named, known);
    if (record === null) continue;
    if ('slot' in record) slots.push(record);
    else checks.push(record);
    const file = { gate: record.gate, slot: 'slot' in record ? record.slot : null, iteration: record.iteration };
    for (const own of [name, withEnd(name, 'log')]) if (there.has(own)) files.set(own, file);
  }
  for (const { name } of counted) {
    const named = nameOf(name);
    if (named?.kind !== 'decisions') continue;
    const gate = named.gate ?? deciderOf(named, files);
    if (gate !== null) files.set(name, { gate, slot: null, iteration: named.iteration });
  }

  const lastIteration = listed.reduce((last, { name }) => Math.max(last, numberIn(name)), 0);
  return { past: { lastIteration, ...split(slots, checks, known) }, files };
}

/** Ours names its gate; every other one, and what cannot be read, belongs where its file's name belongs. */
function slotOf(
  value: unknown,
  named: Extract<RecordName, { kind: 'slot' }>,
  known: ReadonlySet<GateId>,
): SlotRecord | null {
  const read = readSlot(value, named);
  if (read !== null) return read;
  const gate = named.gate ?? claimed(value, known);
  return gate === null ? null : unreadableSlot(gate, named);
}

function checkOf(value: unknown, named: RecordName, known: ReadonlySet<GateId>): CheckRecord | null {
  const read = readCheck(value, named.iteration);
  if (read !== null) return read;
  const gate = named.gate ?? claimed(value, known);
  return gate === null ? null : unreadableCheck(gate, named.iteration);
}

function claimed(value: unknown, known: ReadonlySet<GateId>): GateId | null {
  const gate = isRecord(value) ? value['gate'] : null;
  return typeof gate === 'string' && known.has(gate) ? gate : null;
}

/** The gate that was not asked about and whose decisions these are, by the names of its slots' files. */
function deciderOf(
  { stem, iteration }: { readonly stem: string; readonly iteration: number },
  files: ReadonlyMap<string, RecordFile>,
): GateId | null {
  for (const [name, file] of files) {
    if (file.iteration === iteration && name.startsWith(`${stem}_`)) return file.gate;
  }
  return null;
}

function split(
  slots: readonly SlotRecord[],
  checks: readonly CheckRecord[],
  known: ReadonlySet<GateId>,
): Omit<RecordedPast, 'lastIteration'> {
  const isAsked = ({ gate }: ArchivedRecord) => known.has(gate);
  const byIteration = (a: ArchivedRecord, b: ArchivedRecord) => a.iteration - b.iteration;
  const made = [
    ...slots.map(({ gate, iteration, own }) => ({ gate, iteration, ...whereIs(own) })),
    ...checks.map((check) => ({ gate: check.gate, iteration: check.iteration, ...whereIs(check) })),
  ];
  return {
    slots: slots.filter(isAsked).sort(byIteration),
    checks: checks.filter(isAsked).sort(byIteration),
    others: made.filter((record) => !isAsked(record)),
  };
}

function whereIs(made: Whereabouts | null): Whereabouts {
  return { branch: made?.branch ?? null, mergeBase: made?.mergeBase ?? null };
}

function withEnd(name: string, ext: 'log' | 'json'): string {
  return `${name.slice(0, name.lastIndexOf('.'))}.${ext}`;
}
