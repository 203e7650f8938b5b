import type { LedgerEntry } from '@onceover/agents/ledger/entries';
import type { Ledger } from '@onceover/agents/ledger/store';
import { ok } from '@onceover/base/kernel/result';

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
