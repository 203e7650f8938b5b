import { err } from '@onceover/base/kernel/result';
import { hasTeamStore } from '@onceover/store/has-store';
import { inTeamStore } from '@onceover/store/in-store';
import { openReceiptFiles, type ReceiptStore } from './receipt-files.ts';

export { type ReceiptStore, receiptKey } from './receipt-files.ts';

/**
 * Opens the receipts, which are verdicts on a content or a tree. They are in the store for teams if the user has
 * configured one, otherwise in files.
 */
export function openReceipts(commonDir: string, usesStore = hasTeamStore(), limit?: number): ReceiptStore {
  const files = openReceiptFiles(commonDir, limit);
  if (!usesStore) return files;
  return inTeamStore(commonDir, files, {
    open: async (store) =>
      ONCEOVER_TEAM && store.isTrusted ? (await import('./postgres-receipts.ts')).postgresReceipts(store) : null,
    failed(error, method) {
      // `find` cannot return a failure, and `null` would mean that no verdict is stored.
      if (method === 'find') throw error;
      return err(error.failure);
    },
  });
}
