import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '../../kernel/ids.ts';
import { err, ok, type Result } from '../../kernel/result.ts';
import {
  checkFolder,
  errorCode,
  listFolder,
  makeFolder,
  removeFile,
  removeLeftovers,
  statIfPresent,
  writeAtomically,
} from '../../platform/files.ts';
import { makeIgnoredFolder } from '../../platform/generated-files.ts';
import { readPlainFile } from '../../platform/private-files.ts';
import type { ArchivedRecord, GateName, Records } from '../record-types.ts';
import { type FoundRecords, type RecordFile, readRecords } from './read-records.ts';
import { checkText, slotText } from './record-format.ts';
import {
  fixLogName,
  gateFileName,
  isRecordFile,
  numberIn,
  readFixLogName,
  recordNames,
  slotFileName,
  slotStem,
} from './record-names.ts';

/** The archive, a folder inside `log_dir`. */
export const PREVIOUS = 'previous';

const LONGEST_LOG = 4 * 1024 * 1024;

/**
 * Opens the records in the working tree. The last reading and the writes since then say which file belongs to which gate.
 * Archiving goes by that, and leaves files alone that git tracks.
 */
export function openRecords(root: string, logDir: RepoPath): Records {
  const folder = join(root, logDir);
  let gates: readonly GateName[] = [];
  let tracked: ReadonlySet<RepoPath> = new Set();
  let files: Map<string, RecordFile> | null = null;
  const isTracked = (name: string) => tracked.has(`${logDir}/${name}` as RepoPath);

  function readAll(names: readonly GateName[]): Result<FoundRecords> {
    const checked = checkFolder(root, logDir);
    if (!checked.ok) return checked;
    const listed = listFolder(folder);
    return listed.ok ? ok(readRecords(folder, listed.value, { gates: names, isIgnored: isTracked })) : listed;
  }

  function filesOf(names: readonly GateName[]): Result<ReadonlyMap<string, RecordFile>> {
    if (files !== null) return ok(files);
    const found = readAll(names);
    return found.ok ? ok(found.value.files) : found;
  }

  function write(file: RecordFile | null, texts: Readonly<Record<string, string>>): Result<void> {
    const made = makeIgnoredFolder(root, logDir);
    if (!made.ok) return made;
    for (const [name, text] of Object.entries(texts)) {
      const written = writeAtomically(made.value, name, text);
      if (!written.ok) return written;
      if (file !== null) files?.set(name, file);
    }
    return ok(undefined);
  }

  function readText(name: string): string | null {
    const read = readPlainFile(join(folder, name), LONGEST_LOG);
    return read.ok ? read.bytes.toString('utf8') : null;
  }

  return {
    async read(names, trackedNow) {
      tracked = trackedNow;
      const found = readAll(names);
      if (!found.ok) return found;
      gates = names;
      files = found.value.files;
      return ok(found.value.past);
    },
    async writeSlot(record, { gate, agent }, log) {
      const { slot, iteration } = record;
      const stem = slotStem({ gate, agent }, recordNames([...gates, gate]));
      const name = (ext: 'log' | 'json') => slotFileName(stem, { agent, slot, iteration }, ext);
      // The log first: if the process dies in between, a log without its JSON is not a pass.
      return write({ gate: gate.id, slot, iteration }, { [name('log')]: log, [name('json')]: slotText(record) });
    },
    async writeCheck(record, { id, stem }, log) {
      const name = (ext: 'log' | 'json') => gateFileName(stem, record.iteration, ext);
      const file = { gate: id, slot: null, iteration: record.iteration };
      return write(file, { [name('log')]: log, [name('json')]: checkText(record) });
    },
    async writeGateLog({ id, stem }, iteration, lines) {
      const text = lines.map((line) => `${line}\n`).join('');
      return write({ gate: id, slot: null, iteration }, { [gateFileName(stem, iteration, 'log')]: text });
    },
    async writeFixLog(agent, iteration, log) {
      return write(null, { [fixLogName(agent, iteration)]: log });
    },
    async fixLogs() {
      const checked = checkFolder(root, logDir);
      const listed = checked.ok ? listFolder(folder) : checked;
      const found = (listed.ok ? listed.value : []).flatMap(({ name }) => {
        const named = isTracked(name) ? null : readFixLogName(name);
        const log = named === null ? null : readText(name);
        return named === null || log === null ? [] : [{ ...named, path: `${logDir}/${name}`, log }];
      });
      return found.sort((a, b) => b.iteration - a.iteration);
    },
    async archive(which) {
      const checked = checkFolder(root, `${logDir}/${PREVIOUS}`);
      if (!checked.ok) return checked;
      if (which === 'all') return archiveAll(folder, isTracked);
      const known = filesOf([]);
      if (!known.ok) return known;
      const wanted = new Set(which.map(keyOf));
      const names = [...known.value].filter(([, file]) => wanted.has(keyOf(file))).map(([name]) => name);
      return archiveFiles(folder, names, isTracked);
    },
    async readLog(gate, slot, iteration) {
      const known = filesOf([gate]);
      const wanted = keyOf({ gate: gate.id, iteration });
      for (const [name, file] of known.ok ? known.value : []) {
        const isLog = keyOf(file) === wanted && file.slot === slot && name.endsWith('.log');
        const text = isLog ? readText(name) : null;
        if (text !== null) return text;
      }
      return null;
    },
  };
}

function keyOf({ gate, iteration }: ArchivedRecord): string {
  return `${iteration}:${gate}`;
}

/** Moves all records to the archive, and deletes those archived before. Other files and tracked ones stay. */
function archiveAll(folder: string, isTracked: (path: string) => boolean): Result<void> {
  const records = recordsIn(folder);
  if (!records.ok) return records;
  const names = records.value.filter((name) => !isTracked(name));
  // If there is nothing to archive, keep the earlier archive.
  if (names.length === 0) return ok(undefined);
  const earlier = recordsIn(join(folder, PREVIOUS));
  if (!earlier.ok) return earlier;
  for (const name of earlier.value.filter((one) => !isTracked(`${PREVIOUS}/${one}`))) {
    const removed = removeFile(join(folder, PREVIOUS, name));
    if (!removed.ok) return removed;
  }
  removeLeftovers(folder, Date.now());
  return archiveFiles(folder, names, isTracked);
}

/** Moves files to the archive, where they replace files of the same name. */
function archiveFiles(folder: string, names: readonly string[], isTracked: (path: string) => boolean): Result<void> {
  const moving = names.filter((name) => !isTracked(`${PREVIOUS}/${name}`) && !isFolder(join(folder, name)));
  if (moving.length === 0) return ok(undefined);
  const previous = makeFolder(folder, PREVIOUS);
  if (!previous.ok) return previous;
  // Oldest first: if the process dies midway, an old pass must not become the latest record.
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
  const listed = listFolder(folder);
  if (!listed.ok) return listed;
  const names = listed.value.map(({ name }) => name);
  return ok(names.filter((name) => isRecordFile(name) && !isFolder(join(folder, name))));
}

function isFolder(path: string): boolean {
  return statIfPresent(path)?.isDirectory() === true;
}
