import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Receipts } from '../domain/ports.ts';
import type {
  CheckReceipt,
  CheckReceiptKey,
  HeldReceipt,
  HeldReceiptKey,
  Receipt,
  ReceiptKey,
} from '../domain/receipt.ts';
import { done, type Result } from '../domain/result.ts';
import { checkFolder, makeFolder, removeForgotten, removeOldest, writeWhole } from '../io/files.ts';
import { readJsonFile } from '../io/json-file.ts';
import { inOrder, isOneOf, isOrdinal, isText, orNull, readShape, type Shape } from './shape.ts';

const FOLDER = 'onceover/receipts';
const MOST_RECEIPTS = 5000;
const WRITES_BETWEEN_CLEANINGS = 100;
const LARGEST_RECEIPT = 1024 * 1024;

/** Receipts in the clone's own folder, one file a key; now and then the oldest go, down to `most`. */
export function openReceipts(commonDir: string, most = MOST_RECEIPTS): Receipts {
  let writes = 0;

  function find<Key, T extends Key>(kind: Kind<Key, T>, key: Key): T | null {
    const there = checkFolder(commonDir, FOLDER);
    if (!there.ok) return null;
    const path = join(commonDir, FOLDER, fileName(kind.keyOf(key)));
    const receipt = readShape(readJsonFile(path, LARGEST_RECEIPT), kind.shape);
    return receipt !== null && isSame(kind.keyOf(receipt), kind.keyOf(key)) ? receipt : null;
  }

  function write<Key, T extends Key & object>(kind: Kind<Key, T>, receipt: T): Result<void> {
    const folder = makeFolder(commonDir, FOLDER);
    if (!folder.ok) return folder;
    const name = fileName(kind.keyOf(receipt));
    const written = writeWhole(folder.value, name, `${JSON.stringify(inOrder(receipt, kind.shape))}\n`);
    if (written.ok && writes++ % WRITES_BETWEEN_CLEANINGS === 0) {
      removeForgotten(folder.value, Date.now());
      removeOldest(folder.value, most, new Set([name]));
    }
    return written.ok ? done(undefined) : written;
  }

  return {
    async find(key) {
      return find(REVIEW, key);
    },
    async write(receipt) {
      return write(REVIEW, receipt);
    },
    async findCheck(key) {
      return find(CHECK, key);
    },
    async writeCheck(receipt) {
      return write(CHECK, receipt);
    },
    async findHeld(key) {
      return find(HELD, key);
    },
    async writeHeld(receipt) {
      return write(HELD, receipt);
    },
  };
}

type Kind<Key, T extends Key> = { readonly shape: Shape<T>; keyOf(about: Key): readonly (string | number)[] };

const REVIEW: Kind<ReceiptKey, Receipt> = {
  shape: {
    gate: isText,
    slot: isOrdinal,
    content: isText,
    scope: isText,
    promptDigest: isText,
    verdict: isOneOf(['pass', 'fail']),
    findings: (value) => Array.isArray(value) && value.every(isText),
    agent: isText,
    iteration: isOrdinal,
    at: isText,
  },
  keyOf: ({ gate, slot, content, scope, promptDigest }) => ['review', gate, slot, content, scope, promptDigest],
};

const CHECK: Kind<CheckReceiptKey, CheckReceipt> = {
  shape: { gate: isText, command: isText, tree: isText, verdict: isOneOf(['pass', 'fail']), at: isText },
  keyOf: ({ gate, command, tree }) => ['check', gate, command, tree],
};

const HELD: Kind<HeldReceiptKey, HeldReceipt> = {
  shape: { gate: isText, branch: orNull(isText), mergeBase: orNull(isText), content: isText, at: isText },
  keyOf: ({ gate, branch, mergeBase }) =>
    branch === null ? ['held', gate, 'detached', mergeBase ?? ''] : ['held', gate, 'branch', branch],
};

/** Each field is preceded by its length, so that two keys never make one name. */
function fileName(key: readonly (string | number)[]): string {
  const hash = createHash('sha256');
  for (const field of key.map(String)) hash.update(`${Buffer.byteLength(field)}:`).update(field);
  return `${hash.digest('hex').slice(0, 40)}.json`;
}

function isSame(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  return a.length === b.length && a.every((field, i) => field === b[i]);
}
