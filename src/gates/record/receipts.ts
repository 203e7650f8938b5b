import { err } from '../../kernel/result.ts';
import { hasTeamStore } from '../../team/has-store.ts';
import { inTeamStore } from '../../team/in-store.ts';
import { openReceiptFiles, type ReceiptStore } from './receipt-files.ts';

export { type ReceiptStore, receiptKey } from './receipt-files.ts';

/** Opens the receipts (verdicts on content or trees): in the store for teams if the user has one, else in files. */
export function openReceipts(commonDir: string, usesStore = hasTeamStore(), most?: number): ReceiptStore {
  const files = openReceiptFiles(commonDir, most);
  if (!usesStore) return files;
  return inTeamStore(commonDir, files, {
    open: async (store) => (store.isTrusted ? (await import('./postgres-receipts.ts')).postgresReceipts(store) : null),
    failed(error, method) {
      // `find` has no way to say that it could not look, and `null` would say that there is no receipt.
      if (method === 'find') throw error;
      return err(error.failure);
    },
  });
}
