import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { byCodePoint } from '../kernel/collections.ts';
import { ok, type Result } from '../kernel/result.ts';
import {
  checkFolder,
  listFolder,
  makeFolder,
  removeFile,
  removeLeftovers,
  writeAtomically,
} from '../platform/files.ts';
import { readJsonFile } from '../platform/private-files.ts';
import { type LedgerEntry, ledgerText, readLedgerEntry } from './entries.ts';

const FOLDER = 'onceover/ledger';

const MOST_ENTRIES = 2000;

const LARGEST_ENTRY = 1024 * 1024;

// File names start with the time, so that they sort by time.
const NAME = /^\d{8}T\d{9}Z-([0-9a-f]{8})\.json$/;

const WRITES_BETWEEN_CLEANUPS = 32;

/** The ledger of this clone, with the cost of its runs, fixes, phases and workflow steps. */
export type Ledger = ReturnType<typeof openLedger>;

/** Opens the ledger in the git folder of the clone: one file per entry, at most about `most` files. */
export function openLedger(commonDir: string, most = MOST_ENTRIES) {
  const path = join(commonDir, FOLDER);
  return {
    async add(entry: LedgerEntry): Promise<Result<void>> {
      // Check first: this is faster than creating an existing folder, and every run waits for it.
      const found = checkFolder(commonDir, FOLDER);
      const folder = found.ok && found.value === 'missing' ? makeFolder(commonDir, FOLDER) : found;
      if (!folder.ok) return folder;
      const random = randomBytes(4);
      const name = `${entry.at.replace(/[-:.]/g, '')}-${random.toString('hex')}.json`;
      const written = writeAtomically(path, name, ledgerText(entry));
      // No process counts the writes of all processes, so about one write in 32, chosen at random, cleans up.
      if (written.ok && (random[0] ?? 0) % WRITES_BETWEEN_CLEANUPS === 0) cleanUp(path, most);
      return written;
    },
    /** Returns all entries, oldest first, and the number of unreadable ones. */
    async all(): Promise<Result<{ readonly entries: readonly LedgerEntry[]; readonly unreadable: number }>> {
      const found = checkFolder(commonDir, FOLDER);
      if (!found.ok) return found;
      const listed = listFolder(path);
      if (!listed.ok) return listed;
      const entries: LedgerEntry[] = [];
      let unreadable = 0;
      for (const name of namesIn(listed.value)) {
        const entry = readLedgerEntry(readJsonFile(join(path, name), LARGEST_ENTRY));
        if (entry === null) unreadable++;
        else entries.push(entry);
      }
      return ok({ entries: entries.sort((a, b) => byCodePoint(a.at, b.at)), unreadable });
    },
  };
}

// Ignores failures, because the new entry is already written and the next cleanup tries again.
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
