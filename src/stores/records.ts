import { join } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { ArchivedRecord, GateName, Records } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { checkFolder, listFolder, writeWhole } from '../io/files.ts';
import { readPlainFile } from '../io/plain-file.ts';
import { checkText } from './check-record.ts';
import { makeIgnoredFolder } from './generated-folder.ts';
import { archiveAll, archiveFiles, PREVIOUS } from './record-archive.ts';
import { fixLogName, gateFileName, readFixLogName, recordNames, slotFileName, slotStem } from './record-names.ts';
import { type FoundPast, type RecordFile, readPast } from './recorded-past.ts';
import { slotText } from './slot-record.ts';

const LONGEST_LOG = 4 * 1024 * 1024;

/**
 * Records in the working tree. Which file belongs to which gate is known from the last reading and from what was written
 * since: archiving goes by that, and leaves alone what git was then said to track.
 */
export function openRecords(root: string, logDir: RepoPath): Records {
  const folder = join(root, logDir);
  let gates: readonly GateName[] = [];
  let tracked: ReadonlySet<RepoPath> = new Set();
  let files: Map<string, RecordFile> | null = null;
  const isTracked = (name: string) => tracked.has(`${logDir}/${name}` as RepoPath);

  function look(names: readonly GateName[]): Result<FoundPast> {
    const there = checkFolder(root, logDir);
    if (!there.ok) return there;
    const listed = listFolder(folder);
    return listed.ok ? done(readPast(folder, listed.value, { gates: names, isIgnored: isTracked })) : listed;
  }

  /** Before the first reading, what the names and the records themselves say. */
  function filesOf(names: readonly GateName[]): Result<ReadonlyMap<string, RecordFile>> {
    if (files !== null) return done(files);
    const looked = look(names);
    return looked.ok ? done(looked.value.files) : looked;
  }

  function write(file: RecordFile, texts: readonly (readonly [name: string, text: string])[]): Result<void> {
    const made = makeIgnoredFolder(root, logDir);
    if (!made.ok) return made;
    for (const [name, text] of texts) {
      const written = writeWhole(made.value, name, text);
      if (!written.ok) return written;
      files?.set(name, file);
    }
    return done(undefined);
  }

  return {
    async read(names, trackedNow) {
      tracked = trackedNow;
      const looked = look(names);
      if (!looked.ok) return looked;
      gates = names;
      files = looked.value.files;
      return done(looked.value.past);
    },
    async writeSlot(record, file, log) {
      const { slot, iteration } = record;
      const stem = slotStem(file, recordNames([...gates, file.gate]));
      const name = (ext: 'log' | 'json') => slotFileName(stem, { agent: file.agent, slot, iteration }, ext);
      return write({ gate: file.gate.id, slot, iteration }, [
        [name('log'), log],
        [name('json'), slotText(record)],
      ]);
    },
    async writeCheck(record, gate, log) {
      const { iteration } = record;
      return write({ gate: gate.id, slot: null, iteration }, [
        [gateFileName(gate.stem, iteration, 'log'), log],
        [gateFileName(gate.stem, iteration, 'json'), checkText(record)],
      ]);
    },
    async writeGateLog(gate, iteration, lines) {
      const text = lines.map((line) => `${line}\n`).join('');
      return write({ gate: gate.id, slot: null, iteration }, [[gateFileName(gate.stem, iteration, 'log'), text]]);
    },
    async writeFixLog(agent, iteration, log) {
      const made = makeIgnoredFolder(root, logDir);
      return made.ok ? writeWhole(made.value, fixLogName(agent, iteration), log) : made;
    },
    async fixLogs() {
      const there = checkFolder(root, logDir);
      const listed = there.ok ? listFolder(folder) : there;
      const found = (listed.ok ? listed.value : []).flatMap(({ name }) => {
        const named = readFixLogName(name);
        const read = named === null || isTracked(name) ? null : readPlainFile(join(folder, name), LONGEST_LOG);
        if (named === null || read?.ok !== true) return [];
        return [{ ...named, path: `${logDir}/${name}`, log: read.bytes.toString('utf8') }];
      });
      return found.sort((a, b) => b.iteration - a.iteration);
    },
    async archive(which) {
      const there = checkFolder(root, `${logDir}/${PREVIOUS}`);
      if (!there.ok) return there;
      if (which === 'all') return archiveAll(folder, isTracked);
      const known = filesOf([]);
      if (!known.ok) return known;
      const isWanted = new Set(which.map(keyOf));
      const names = [...known.value].filter(([, file]) => isWanted.has(keyOf(file))).map(([name]) => name);
      return archiveFiles(folder, names, isTracked);
    },
    async readLog(gate, slot, iteration) {
      const known = filesOf([gate]);
      const wanted = keyOf({ gate: gate.id, iteration });
      for (const [name, file] of known.ok ? known.value : []) {
        const isIt = keyOf(file) === wanted && file.slot === slot && name.endsWith('.log');
        const read = isIt ? readPlainFile(join(folder, name), LONGEST_LOG) : null;
        if (read?.ok === true) return read.bytes.toString('utf8');
      }
      return null;
    },
  };
}

function keyOf({ gate, iteration }: ArchivedRecord): string {
  return `${iteration}:${gate}`;
}
