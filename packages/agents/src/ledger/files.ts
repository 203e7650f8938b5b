import { randomBytes } from 'node:crypto';
import { byCodePoint } from '@onceover/base/kernel/collections';
import { ok, type Result } from '@onceover/base/kernel/result';
import { removeLeftovers } from '@onceover/base/platform/files';
import { type Folder, openFolder } from '@onceover/base/platform/private-files';
import { type LedgerEntry, ledgerText, readLedgerEntry } from './entries.ts';

const FOLDER = 'onceover/ledger';

const MOST_ENTRIES = 2000;

const LARGEST_ENTRY = 1024 * 1024;

// File names start with the time, so that they sort by time.
const NAME = /^\d{8}T\d{9}Z-([0-9a-f]{8})\.json$/;

const WRITES_BETWEEN_CLEANUPS = 32;

type LedgerContent = { readonly entries: readonly LedgerEntry[]; readonly unreadable: number };

/** The ledger of a repository: a log of what its runs, fixes, phases and workflow steps cost. */
export type Ledger = ReturnType<typeof openLedgerFiles>;

/**
 * Opens the ledger (the log of costs), a folder in the git folder of the clone. Each entry is one file. Old files are
 * deleted if there are more than about `limit`.
 */
export function openLedgerFiles(commonDir: string, limit = MOST_ENTRIES) {
  const folder = openFolder(commonDir, FOLDER);
  /**
   * Returns the entries, oldest first, and the number of unreadable ones. With `newest`, returns at most that many
   * entries.
   */
  async function all(newest = Number.POSITIVE_INFINITY): Promise<Result<LedgerContent>> {
    const listing = folder.list();
    if (!listing.ok) return listing;
    const entries: LedgerEntry[] = [];
    let unreadable = 0;
    for (const name of namesIn(listing.value).slice(-newest)) {
      const entry = readLedgerEntry(folder.json(name, LARGEST_ENTRY));
      if (entry === null) unreadable++;
      else entries.push(entry);
    }
    return ok({ entries: entries.sort((a, b) => byCodePoint(a.at, b.at)), unreadable });
  }
  return {
    async add(entry: LedgerEntry): Promise<Result<void>> {
      const random = randomBytes(4);
      const name = `${entry.at.replace(/[-:.]/g, '')}-${random.toString('hex')}.json`;
      const writeResult = folder.write(name, ledgerText(entry));
      // A process does not know how many entries other processes add, so clean up at random, after about one in 32
      // writes.
      if (writeResult.ok && (random[0] ?? 0) % WRITES_BETWEEN_CLEANUPS === 0) cleanUp(folder, limit);
      return writeResult;
    },
    all,
  };
}

// Deletes old entries. Failures do not matter: the new entry is already written, and the next cleanup tries again.
function cleanUp(folder: Folder, limit: number): void {
  removeLeftovers(folder.path, Date.now());
  const listing = folder.list();
  const names = listing.ok ? namesIn(listing.value) : [];
  for (const name of names.slice(0, Math.max(0, names.length - limit))) folder.remove(name);
}

function namesIn(files: readonly { readonly name: string }[]): readonly string[] {
  return files
    .map(({ name }) => name)
    .filter((name) => NAME.test(name))
    .sort();
}
