import { hashFields } from '@onceover/base/kernel/ids';
import type { Result } from '@onceover/base/kernel/result';
import { subjectKey } from '@onceover/base/kernel/review-subject';
import { readShape, type Shape, withKeyOrder } from '@onceover/base/kernel/shape';
import { removeLeftovers, removeOldest } from '@onceover/base/platform/files';
import { openFolder } from '@onceover/base/platform/private-files';
import { RECEIPTS_FOLDER } from '../../rules/passes.ts';
import type { ReceiptKeys, Receipts } from '../types.ts';
import { RECEIPTS } from './shapes.ts';

const MOST_RECEIPTS = 5000;
const WRITES_BETWEEN_CLEANUPS = 100;
const LARGEST_RECEIPT = 1024 * 1024;

export type ReceiptStore = ReturnType<typeof openReceiptFiles>;

/**
 * Opens the receipts (stored verdicts) in the git folder. A cleanup keeps the newest `limit` of them, and those that
 * this object has read or written, because the current run needs them.
 */
export function openReceiptFiles(commonDir: string, limit = MOST_RECEIPTS) {
  const folder = openFolder(commonDir, RECEIPTS_FOLDER);
  const usedNames = new Set<string>();
  let writes = 0;
  return {
    async find<K extends keyof Receipts>(kind: K, key: ReceiptKeys[K]): Promise<Receipts[K] | null> {
      const name = fileName(receiptKey(kind, key));
      const receipt = readReceipt(kind, key, folder.json(name, LARGEST_RECEIPT));
      if (receipt !== null) usedNames.add(name);
      return receipt;
    },
    async write<K extends keyof Receipts>(kind: K, receipt: Receipts[K]): Promise<Result<void>> {
      const name = fileName(receiptKey(kind, receipt));
      usedNames.add(name);
      const writeResult = folder.write(name, `${receiptText(kind, receipt)}\n`);
      if (writeResult.ok && writes++ % WRITES_BETWEEN_CLEANUPS === 0) {
        removeLeftovers(folder.path, Date.now());
        removeOldest(folder.path, limit, usedNames);
      }
      return writeResult;
    },
  };
}

/**
 * Returns the receipt (stored verdict) in a parsed document; `null` if its fields do not match the key. So a copied or
 * edited file does not count.
 */
export function readReceipt<K extends keyof Receipts>(
  kind: K,
  key: ReceiptKeys[K],
  document: unknown,
): Receipts[K] | null {
  const receipt = readShape(document, SHAPES[kind]);
  if (receipt === null) return null;
  return JSON.stringify(receiptKey(kind, receipt)) === JSON.stringify(receiptKey(kind, key)) ? receipt : null;
}

export function receiptText<K extends keyof Receipts>(kind: K, receipt: Receipts[K]): string {
  return JSON.stringify(withKeyOrder(receipt, SHAPES[kind]));
}

const SHAPES: { readonly [K in keyof Receipts]: Shape<Receipts[K]> } = RECEIPTS;

export function receiptKey<K extends keyof Receipts>(kind: K, about: ReceiptKeys[K]): readonly (string | number)[] {
  return [kind, ...KEYS[kind](about)];
}

const KEYS: { readonly [K in keyof Receipts]: (about: ReceiptKeys[K]) => readonly (string | number)[] } = {
  review: (about) => {
    const [gate = '', content = '', promptDigest = '', ...additions] = subjectKey(about);
    // This order finds what older versions stored.
    return [gate, about.slot, content, about.scope, promptDigest, ...additions];
  },
  check: ({ gate, command, tree }) => [gate, command, tree],
  held: ({ gate, branch, mergeBase }) =>
    branch === null ? [gate, 'detached', mergeBase ?? ''] : [gate, 'branch', branch],
};

function fileName(key: readonly (string | number)[]): string {
  return `${hashFields(key.map(String)).slice(0, 40)}.json`;
}
