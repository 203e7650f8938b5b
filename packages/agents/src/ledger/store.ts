import { hasTeamStore } from '@onceover/store/has-store';
import { inTeamStore } from '@onceover/store/in-store';
import { type Ledger, openLedgerFiles } from './files.ts';

export type { Ledger } from './files.ts';

/**
 * Opens the ledger (the log of all calls). It is in the store for teams if the user has configured one, otherwise in
 * files.
 */
export function openLedger(commonDir: string, usesStore = hasTeamStore(), limit?: number): Ledger {
  const files = openLedgerFiles(commonDir, limit);
  if (!usesStore) return files;
  return inTeamStore(commonDir, files, {
    open: async (store) => (ONCEOVER_TEAM ? (await import('./postgres-ledger.ts')).postgresLedger(store) : null),
  });
}
