import type { LedgerEntry } from '../../../src/domain/ledger.ts';
import type { Ledger } from '../../../src/domain/ports.ts';
import { done } from '../../../src/domain/result.ts';

/** A ledger that is forgotten with the test. */
export function memoryLedger(): Ledger {
  const entries: LedgerEntry[] = [];
  return {
    async add(entry) {
      entries.push(entry);
      return done(undefined);
    },
    async all() {
      return done({ entries: [...entries].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), unreadable: 0 });
    },
  };
}
