import { hashFields } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import { ok } from '@onceover/base/kernel/result';
import { parseJson } from '@onceover/base/platform/private-files';
import type { TeamStore } from '@onceover/store/store';
import type { ReceiptKeys, Receipts } from '../types.ts';
import { type ReceiptStore, readReceipt, receiptKey, receiptText } from './receipt-files.ts';

/**
 * Opens the stored verdicts of a repository in the store for teams. Verdicts that are looked up at the same time share
 * one query.
 */
export function postgresReceipts({ database, repository, clone, seal }: TeamStore): ReceiptStore {
  // Returns the key of a database row. A check's verdict depends on the machine, and branches of different people can
  // have the same name. So keys of such verdicts contain the clone.
  const rowKey = <K extends keyof Receipts>(kind: K, about: ReceiptKeys[K]) =>
    hashFields([kind === 'review' ? '' : clone, ...receiptKey(kind, about).map(String)]);

  const sealOf = (key: string, text: string) => seal(['receipt', key, text]);

  let next: { readonly keys: Set<string>; readonly found: Promise<ReadonlyMap<string, string>> } | null = null;

  /**
   * Adds a key to the next query. The query waits until all code that runs at the moment has added its keys, so that
   * they share it.
   */
  function lookUp(key: string): Promise<ReadonlyMap<string, string>> {
    if (next === null) {
      const keys = new Set<string>();
      const documents = new Promise((resolve) => setImmediate(resolve)).then(() => {
        next = null;
        return documentsOf([...keys]);
      });
      next = { keys, found: documents };
    }
    next.keys.add(key);
    return next.found;
  }

  async function documentsOf(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await database.query<{ key: string; document: string }>(
      'SELECT key, document FROM onceover.receipts WHERE repository = $1 AND key = ANY($2::text[])',
      [repository, keys],
    );
    return new Map(rows.map(({ key, document }) => [key, document]));
  }

  return {
    async find(kind, key) {
      const storeKey = rowKey(kind, key);
      const document = (await lookUp(storeKey)).get(storeKey);
      if (document === undefined) return null;
      const storedDocument = parseJson(document);
      const receipt = readReceipt(kind, key, storedDocument);
      // Only reviews are shared as signed passes, and only if they have the facts in `made`.
      if (receipt === null || !('made' in receipt)) return receipt;
      const expectedSeal = sealOf(storeKey, receiptText(kind, receipt));
      const isOwn = expectedSeal !== null && isRecord(storedDocument) && storedDocument['seal'] === expectedSeal;
      // Remove the facts that a signed pass needs, so that this clone does not sign a review that another clone made.
      const { made: _, ...unsharedFields } = receipt;
      return isOwn ? receipt : (unsharedFields as typeof receipt);
    },
    async write(kind, receipt) {
      const key = rowKey(kind, receipt);
      const text = receiptText(kind, receipt);
      const document = kind === 'review' ? { ...JSON.parse(text), seal: sealOf(key, text) } : JSON.parse(text);
      await database.query(
        `INSERT INTO onceover.receipts (repository, key, document) VALUES ($1, $2, $3)
         ON CONFLICT (repository, key) DO UPDATE SET document = excluded.document, written_at = now()`,
        [repository, key, JSON.stringify(document)],
      );
      return ok(undefined);
    },
  };
}
