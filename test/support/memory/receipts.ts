import type {
  CheckReceipt,
  CheckReceiptKey,
  HeldReceipt,
  HeldReceiptKey,
  Receipt,
  ReceiptKey,
  ReceiptStore,
} from '../../../src/gates/types.ts';
import { ok } from '../../../src/kernel/result.ts';

/** Receipts in memory. */
export function memoryReceipts(): ReceiptStore {
  const reviews = new Map<string, Receipt>();
  const checks = new Map<string, CheckReceipt>();
  const held = new Map<string, HeldReceipt>();
  return {
    async find(key) {
      return reviews.get(reviewKey(key)) ?? null;
    },
    async write(receipt) {
      reviews.set(reviewKey(receipt), receipt);
      return ok(undefined);
    },
    async findCheck(key) {
      return checks.get(checkKey(key)) ?? null;
    },
    async writeCheck(receipt) {
      checks.set(checkKey(receipt), receipt);
      return ok(undefined);
    },
    async findHeld(key) {
      return held.get(heldKey(key)) ?? null;
    },
    async writeHeld(receipt) {
      held.set(heldKey(receipt), receipt);
      return ok(undefined);
    },
  };
}

function reviewKey({ gate, slot, content, scope, promptDigest }: ReceiptKey): string {
  return JSON.stringify([gate, slot, content, scope, promptDigest]);
}

function checkKey({ gate, command, tree }: CheckReceiptKey): string {
  return JSON.stringify([gate, command, tree]);
}

function heldKey({ gate, branch, mergeBase }: HeldReceiptKey): string {
  return JSON.stringify(branch === null ? [gate, null, mergeBase] : [gate, branch]);
}
