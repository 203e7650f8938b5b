import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { LedgerEntry } from '../domain/ledger.ts';
import type { Ledger } from '../domain/ports.ts';
import { done } from '../domain/result.ts';
import { checkFolder, listFolder, makeFolder, removeFile, removeForgotten, writeWhole } from '../io/files.ts';
import { readJsonFile } from '../io/json-file.ts';
import { ledgerText, readEntry } from './ledger-shape.ts';

const FOLDER = 'onceover/ledger';
const MOST_ENTRIES = 2000;
const LARGEST_ENTRY = 1024 * 1024;
// By the time that it was written, so that the order of names is the order of time.
const NAME = /^\d{8}T\d{9}Z-([0-9a-f]{8})\.json$/;
const WRITES_BETWEEN_CLEANINGS = 32;

/** The ledger in the clone's own folder, one file an entry; now and then the oldest go, down to `most`. */
export function openLedger(commonDir: string, most = MOST_ENTRIES): Ledger {
  const path = join(commonDir, FOLDER);
  return {
    async add(entry) {
      // Looking is quicker than trying to make what is there; a run with nothing to do waits for this.
      const there = checkFolder(commonDir, FOLDER);
      const folder = there.ok && there.value === 'missing' ? makeFolder(commonDir, FOLDER) : there;
      if (!folder.ok) return folder;
      const random = randomBytes(4);
      const name = `${entry.at.replace(/[-:.]/g, '')}-${random.toString('hex')}.json`;
      const written = writeWhole(path, name, ledgerText(entry));
      // Each process writes one or a few: chance decides whose turn it is to clean.
      if (written.ok && (random[0] ?? 0) % WRITES_BETWEEN_CLEANINGS === 0) tidy(path, most);
      return written;
    },
    async all() {
      const there = checkFolder(commonDir, FOLDER);
      if (!there.ok) return there;
      const listed = listFolder(path);
      if (!listed.ok) return listed;
      const entries: LedgerEntry[] = [];
      let unreadable = 0;
      for (const name of namesIn(listed.value)) {
        const entry = readEntry(readJsonFile(join(path, name), LARGEST_ENTRY));
        if (entry === null) unreadable++;
        else entries.push(entry);
      }
      return done({ entries: entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), unreadable });
    },
  };
}

// The entry is kept by then: what cannot be removed now is left to the next time.
function tidy(folder: string, most: number): void {
  removeForgotten(folder, Date.now());
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
