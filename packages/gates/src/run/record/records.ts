import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { byCodePoint } from '@onceover/base/kernel/collections';
import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import { PREVIOUS } from '@onceover/base/kernel/paths';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import {
  checkFolder,
  errorCode,
  listFolder,
  makeFolder,
  removeFile,
  removeLeftovers,
  statIfPresent,
  writeAtomically,
} from '@onceover/base/platform/files';
import { makeIgnoredFolder } from '@onceover/base/platform/generated-files';
import { readJsonFile, readPlainFile } from '@onceover/base/platform/private-files';
import type {
  ArchivedRecord,
  CheckRecord,
  FixLog,
  GateName,
  RecordHistory,
  SlotFile,
  SlotRecord,
} from '../record-types.ts';
import { checkText, readCheck, readSlot, slotText, unreadableCheck, unreadableSlot } from './record-format.ts';
import {
  fixLogName,
  gateFileName,
  isRecordFile,
  numberIn,
  type RecordName,
  readFixLogName,
  recordNames,
  slotFileName,
  slotStem,
} from './record-names.ts';

const LONGEST_LOG = 4 * 1024 * 1024;
const LARGEST_RECORD = 32 * 1024 * 1024;

export type Records = ReturnType<typeof openRecords>;

/** Copies record files to another place. If the copy fails, the run fails. */
type RecordCopy = (texts: Readonly<Record<string, string>>) => Promise<Result<void>>;

/** Opens the records of past iterations in `log_dir`. With `copy`, every file is also copied after it is written. */
export function openRecords(root: string, logDir: RepoPath, copy: RecordCopy | null = null) {
  const folder = join(root, logDir);
  let gateIndex = knownGates([]);
  let trackedPaths: ReadonlySet<RepoPath> = new Set();
  const isTracked = (name: string) => trackedPaths.has(`${logDir}/${name}` as RepoPath);

  const knownWith = (gate: GateName) =>
    gateIndex.ids.has(gate.id) ? gateIndex : knownGates([...gateIndex.gates, gate]);

  function readAll(gates = gateIndex): Result<FoundRecords> {
    const folderCheck = checkFolder(root, logDir);
    if (!folderCheck.ok) return folderCheck;
    const listing = listFolder(folder);
    return listing.ok ? ok(readRecords(folder, listing.value, gates, isTracked)) : listing;
  }

  async function write(texts: Readonly<Record<string, string>>): Promise<Result<void>> {
    const recordFolder = makeIgnoredFolder(root, logDir);
    if (!recordFolder.ok) return recordFolder;
    for (const [name, text] of Object.entries(texts)) {
      const writeResult = writeAtomically(recordFolder.value, name, text);
      if (!writeResult.ok) return writeResult;
    }
    return copy === null ? ok(undefined) : copy(texts);
  }

  function readText(name: string): string | null {
    const file = readPlainFile(join(folder, name), LONGEST_LOG);
    return file.ok ? file.bytes.toString('utf8') : null;
  }

  return {
    /**
     * Reads all records. Assigns records of other tools to gates by file name, and ignores the files in `trackedNow`.
     */
    async read(names: readonly GateName[], trackedNow: ReadonlySet<RepoPath>): Promise<Result<RecordHistory>> {
      trackedPaths = trackedNow;
      gateIndex = knownGates(names);
      const records = readAll();
      return records.ok ? ok(records.value.past) : records;
    },
    async writeSlot(record: SlotRecord, { gate, agent }: SlotFile, log: string): Promise<Result<void>> {
      const { slot, iteration } = record;
      const stem = slotStem({ gate, agent }, knownWith(gate).nameOf);
      const name = (ext: 'log' | 'json') => slotFileName(stem, { agent, slot, iteration }, ext);
      // Write the log before the JSON: if the process ends in between, a log without JSON does not count as a pass.
      return write({ [name('log')]: log, [name('json')]: slotText(record) });
    },
    /** Writes a check's record and, unless it is `null`, the log. */
    async writeCheck(record: CheckRecord, { stem }: GateName, log: string | null): Promise<Result<void>> {
      const name = (ext: 'log' | 'json') => gateFileName(stem, record.iteration, ext);
      return write({ ...(log === null ? {} : { [name('log')]: log }), [name('json')]: checkText(record) });
    },
    /** Writes the log of why each reviewer of the gate runs or is skipped in this iteration. */
    async writeGateLog({ stem }: GateName, iteration: number, lines: readonly string[]): Promise<Result<void>> {
      return write({ [gateFileName(stem, iteration, 'log')]: lines.map((line) => `${line}\n`).join('') });
    },
    /**
     * Writes the log of a fix after an iteration. If the iteration already has a fix log, uses the next free number.
     */
    async writeFixLog(agent: string, iteration: number, log: string): Promise<Result<void>> {
      const listing = listFolder(folder);
      if (!listing.ok) return listing;
      const numbers = listing.value.flatMap(({ name }) => readFixLogName(name)?.iteration ?? []);
      return write({ [fixLogName(agent, freeNumber(iteration, numbers))]: log });
    },
    /** Returns the fix logs that are not archived, newest first. */
    async fixLogs(): Promise<readonly FixLog[]> {
      const folderCheck = checkFolder(root, logDir);
      const listing = folderCheck.ok ? listFolder(folder) : folderCheck;
      const logs = (listing.ok ? listing.value : []).flatMap(({ name }) => {
        const logName = isTracked(name) ? null : readFixLogName(name);
        const log = logName === null ? null : readText(name);
        return logName === null || log === null ? [] : [{ ...logName, path: `${logDir}/${name}`, log }];
      });
      return logs.sort((a, b) => b.iteration - a.iteration);
    },
    /** Moves the given records, or all of them, to the archive. Files that git tracks are not moved. */
    async archive(selection: readonly ArchivedRecord[] | 'all'): Promise<Result<void>> {
      const folderCheck = checkFolder(root, `${logDir}/${PREVIOUS}`);
      if (!folderCheck.ok) return folderCheck;
      if (selection === 'all') return archiveAll(folder, isTracked);
      const records = readAll();
      if (!records.ok) return records;
      const keys = new Set(selection.map(keyOf));
      const names = [...records.value.files].filter(([, file]) => keys.has(keyOf(file))).map(([name]) => name);
      return archiveFiles(folder, names, isTracked);
    },
    /**
     * Returns a function like `readLog` that lists the folder only once, and returns at most `maxBytes` bytes of a log.
     */
    openLogs(maxBytes: number): (gate: GateId, slot: number | null, iteration: number) => ReadLog | null {
      const records = readAll();
      const names = new Map<string, string>();
      for (const [name, file] of records.ok ? records.value.files : []) {
        if (name.endsWith('.log')) names.set(`${keyOf(file)}@${file.slot}`, name);
      }
      return (gate, slot, iteration) => {
        const name = names.get(`${keyOf({ gate, iteration })}@${slot}`);
        const file = name === undefined ? null : readPlainFile(join(folder, name), maxBytes);
        return file?.ok === true ? { text: file.bytes.toString('utf8'), cut: file.cut } : null;
      };
    },
    /**
     * Returns the log of a reviewer. With `slot: null`, returns the log of a check, or the one that says why reviewers
     * run or are skipped. `null` if there is none.
     */
    async readLog(gate: GateName, slot: number | null, iteration: number): Promise<string | null> {
      const records = readAll(knownWith(gate));
      const key = keyOf({ gate: gate.id, iteration });
      for (const [name, file] of records.ok ? records.value.files : []) {
        const isLog = keyOf(file) === key && file.slot === slot && name.endsWith('.log');
        const text = isLog ? readText(name) : null;
        if (text !== null) return text;
      }
      return null;
    },
  };
}

/** The text of a log. `cut`: whether it is incomplete because the log is too long. */
type ReadLog = { readonly text: string; readonly cut: boolean };

function freeNumber(firstChoice: number, usedNumbers: readonly number[]): number {
  return usedNumbers.includes(firstChoice) ? Math.max(...usedNumbers) + 1 : firstChoice;
}

/**
 * The gate, iteration and reviewer that a file belongs to. `slot` is `null` for a file about a check or the whole gate.
 */
type RecordFile = ArchivedRecord & { readonly slot: number | null };

type FoundRecords = { readonly past: RecordHistory; readonly files: Map<string, RecordFile> };

/** Returns the gates whose records are read, with a function that parses the names of their files. */
function knownGates(gates: readonly GateName[]) {
  return { gates, ids: new Set(gates.map(({ id }) => id)), nameOf: recordNames(gates) };
}

/** Reads the records in a folder. Of a file that is ignored, only the iteration number in its name is used. */
function readRecords(
  folder: string,
  listing: readonly { readonly name: string; readonly isFile: boolean }[],
  { ids: gateIds, nameOf }: ReturnType<typeof knownGates>,
  isIgnored: (name: string) => boolean,
): FoundRecords {
  const entries = listing.filter(({ name }) => !isIgnored(name)).sort((a, b) => byCodePoint(a.name, b.name));
  const existing = new Set(entries.map(({ name }) => name));
  const slots: SlotRecord[] = [];
  const checks: CheckRecord[] = [];
  const files = new Map<string, RecordFile>();
  // Fix logs, and checks of runs that ended before their reviews: the iteration number of these files may be used
  // again.
  const unnumberedNames = new Set(listing.flatMap(({ name }) => (readFixLogName(name) === null ? [] : [name])));

  for (const { name, isFile } of entries) {
    const recordName = nameOf(name);
    if (recordName === null || recordName.kind === 'decisions') continue;
    // A log without its JSON belongs to a review or check that did not finish, so it counts as an unreadable record.
    if (recordName.ext === 'log' && existing.has(withExt(name, 'json'))) continue;
    const value = recordName.ext === 'json' && isFile ? readJsonFile(join(folder, name), LARGEST_RECORD) : undefined;
    const record = recordOf(value, recordName, gateIds);
    if (record === null) continue;
    if ('slot' in record) slots.push(record);
    else checks.push(record);
    const file = { gate: record.gate, slot: 'slot' in record ? record.slot : null, iteration: record.iteration };
    for (const fileName of [name, withExt(name, 'log')]) {
      if (existing.has(fileName)) files.set(fileName, file);
      if (!('slot' in record) && record.iterationTookPlace === false) unnumberedNames.add(fileName);
    }
  }
  const bySlotFiles = gatesByStem(files);
  for (const { name } of entries) {
    const recordName = nameOf(name);
    if (recordName?.kind !== 'decisions') continue;
    const { iteration, stem } = recordName;
    const gate = recordName.gate ?? bySlotFiles.get(`${iteration}:${stem}`);
    if (gate !== undefined) files.set(name, { gate, slot: null, iteration });
  }

  const numberedFiles = listing.filter(({ name }) => !unnumberedNames.has(name));
  const lastIteration = numberedFiles.reduce((last, { name }) => Math.max(last, numberIn(name)), 0);
  return { past: { lastIteration, ...split(slots, checks, gateIds) }, files };
}

/** Returns the record in a file. For an unreadable file, returns an error record, or `null` if its gate is unknown. */
function recordOf(
  value: unknown,
  recordName: Exclude<RecordName, { kind: 'decisions' }>,
  gateIds: ReadonlySet<GateId>,
): SlotRecord | CheckRecord | null {
  const record = recordName.kind === 'slot' ? readSlot(value, recordName) : readCheck(value, recordName.iteration);
  if (record !== null) return record;
  const gate = recordName.gate ?? (isRecord(value) ? value['gate'] : null);
  if (typeof gate !== 'string' || (recordName.gate === null && !gateIds.has(gate))) return null;
  return recordName.kind === 'slot' ? unreadableSlot(gate, recordName) : unreadableCheck(gate, recordName.iteration);
}

/**
 * Maps an iteration and the start of a file name, such as `1:rule_a`, to the gate whose reviewers' files start like
 * that.
 */
function gatesByStem(files: ReadonlyMap<string, RecordFile>): ReadonlyMap<string, GateId> {
  const gates = new Map<string, GateId>();
  for (const [name, { gate, slot, iteration }] of files) {
    if (slot === null) continue;
    for (let end = name.indexOf('_'); end !== -1; end = name.indexOf('_', end + 1)) {
      const key = `${iteration}:${name.slice(0, end)}`;
      if (!gates.has(key)) gates.set(key, gate);
    }
  }
  return gates;
}

function split(
  slots: readonly SlotRecord[],
  checks: readonly CheckRecord[],
  gateIds: ReadonlySet<GateId>,
): Omit<RecordHistory, 'lastIteration'> {
  const isKnown = ({ gate }: ArchivedRecord) => gateIds.has(gate);
  const byIteration = (a: ArchivedRecord, b: ArchivedRecord) => a.iteration - b.iteration;
  const otherRecords = [...slots, ...checks]
    .filter((record) => !isKnown(record))
    .map((record) => {
      const { branch = null, mergeBase = null } = ('own' in record ? record.own : record) ?? {};
      return { gate: record.gate, iteration: record.iteration, branch, mergeBase };
    });
  return {
    slots: slots.filter(isKnown).sort(byIteration),
    checks: checks.filter(isKnown).sort(byIteration),
    others: otherRecords,
  };
}

function withExt(name: string, ext: 'log' | 'json'): string {
  return `${name.slice(0, name.lastIndexOf('.'))}.${ext}`;
}

function keyOf({ gate, iteration }: ArchivedRecord): string {
  return `${iteration}:${gate}`;
}

/** Moves all records to the archive and deletes the previous archive. Does not move other files or tracked files. */
function archiveAll(folder: string, isTracked: (path: string) => boolean): Result<void> {
  const records = recordsIn(folder);
  if (!records.ok) return records;
  const names = records.value.filter((name) => !isTracked(name));
  // If there is nothing to archive, keep the previous archive.
  if (names.length === 0) return ok(undefined);
  const earlier = recordsIn(join(folder, PREVIOUS));
  if (!earlier.ok) return earlier;
  for (const name of earlier.value.filter((fileName) => !isTracked(`${PREVIOUS}/${fileName}`))) {
    const removeResult = removeFile(join(folder, PREVIOUS, name));
    if (!removeResult.ok) return removeResult;
  }
  removeLeftovers(folder, Date.now());
  return archiveFiles(folder, names, isTracked);
}

/** Moves files to the archive. A file of the same name there is overwritten. */
function archiveFiles(folder: string, names: readonly string[], isTracked: (path: string) => boolean): Result<void> {
  const moving = names.filter((name) => !isTracked(`${PREVIOUS}/${name}`) && !isFolder(join(folder, name)));
  if (moving.length === 0) return ok(undefined);
  const previous = makeFolder(folder, PREVIOUS);
  if (!previous.ok) return previous;
  // Move the oldest files first: if the process ends early, the newest remaining record must not be an old pass.
  for (const name of moving.sort((a, b) => numberIn(a) - numberIn(b))) {
    const to = join(previous.value, name);
    try {
      renameSync(join(folder, name), to);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT')
        return err({ kind: 'disk', action: 'write', path: to, code: errorCode(error) });
    }
  }
  return ok(undefined);
}

function recordsIn(folder: string): Result<readonly string[]> {
  const listing = listFolder(folder);
  if (!listing.ok) return listing;
  const names = listing.value.map(({ name }) => name);
  return ok(names.filter((name) => isRecordFile(name) && !isFolder(join(folder, name))));
}

function isFolder(path: string): boolean {
  return statIfPresent(path)?.isDirectory() === true;
}
