import { ok } from '../../../src/kernel/result.ts';
import type { Ledger, LedgerEntry } from '../../../src/ledger/entries.ts';

/** A ledger in memory. */
export function memoryLedger(): Ledger {
  const entries: LedgerEntry[] = [];
  return {
    async add(entry) {
      entries.push(entry);
      return ok(undefined);
    },
    async all() {
      return ok({ entries: [...entries].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), unreadable: 0 });
    },
  };
}
