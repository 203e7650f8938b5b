import { ok } from '@onceover/base/kernel/result';
import { type ReceiptStore, receiptKey } from '@onceover/gates/src/run/record/receipts.ts';
import type { ReceiptKeys, Receipts } from '@onceover/gates/src/run/types.ts';

/** Receipts in memory. */
export function memoryReceipts(): ReceiptStore {
  const receipts = new Map<string, unknown>();
  return {
    async find(kind, key) {
      return (receipts.get(nameOf(kind, key)) as Receipts[typeof kind] | undefined) ?? null;
    },
    async write(kind, receipt) {
      receipts.set(nameOf(kind, receipt), receipt);
      return ok(undefined);
    },
  };
}

function nameOf<K extends keyof Receipts>(kind: K, key: ReceiptKeys[K]): string {
  return JSON.stringify(receiptKey(kind, key));
}
