import type { Receipts } from '../../../src/domain/ports.ts';
import type { CheckReceipt, Receipt, ReceiptKey } from '../../../src/domain/receipt.ts';
import { done } from '../../../src/domain/result.ts';

/** Receipts that are forgotten with the test. */
export function memoryReceipts(): Receipts {
  const reviews = new Map<string, Receipt>();
  const checks = new Map<string, CheckReceipt>();
  return {
    async find(key) {
      return reviews.get(reviewKey(key)) ?? null;
    },
    async write(receipt) {
      reviews.set(reviewKey(receipt), receipt);
      return done(undefined);
    },
    async findCheck(key) {
      return checks.get(checkKey(key)) ?? null;
    },
    async writeCheck(receipt) {
      checks.set(checkKey(receipt), receipt);
      return done(undefined);
    },
  };
}

function reviewKey({ gate, slot, content, scope, promptDigest }: ReceiptKey): string {
  return JSON.stringify([gate, slot, content, scope, promptDigest]);
}

function checkKey({ gate, command, tree }: Omit<CheckReceipt, 'at'>): string {
  return JSON.stringify([gate, command, tree]);
}
