import { randomUUID } from 'node:crypto';
import { ok } from '@onceover/base/kernel/result';
import { parseJson } from '@onceover/base/platform/private-files';
import type { TeamStore } from '@onceover/store/store';
import { ledgerText, readLedgerEntry } from './entries.ts';
import type { Ledger } from './files.ts';

/** The maximum number of entries that one command reads. */
const MOST_READ = 20_000;

/** Opens a repository's ledger (the log of costs) in the store for teams. It contains the entries of all clones. */
export function postgresLedger({ database, repository }: TeamStore): Ledger {
  return {
    async add(entry) {
      // If the connection is lost, the statement is repeated. The token keeps the entry from being added twice.
      const token = randomUUID();
      await database.query(
        'INSERT INTO onceover.ledger (token, repository, at, document) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
        [token, repository, entry.at, ledgerText(entry)],
      );
      return ok(undefined);
    },
    async all(newest = MOST_READ) {
      const rows = await database.query<{ document: string }>(
        'SELECT document FROM onceover.ledger WHERE repository = $1 ORDER BY at DESC, id DESC LIMIT $2',
        [repository, Math.min(newest, MOST_READ)],
      );
      const parsedEntries = rows.toReversed().map(({ document }) => readLedgerEntry(parseJson(document)));
      const entries = parsedEntries.filter((entry) => entry !== null);
      return ok({ entries, unreadable: parsedEntries.length - entries.length });
    },
  };
}
