import { join } from 'node:path';
import type { Result } from '../../kernel/result.ts';
import {
  isOneOf,
  isOrdinal,
  isString,
  isStrings,
  orNull,
  readShape,
  type Shape,
  withKeyOrder,
} from '../../kernel/shape.ts';
import { checkFolder, makeFolder, removeLeftovers, removeOldest, writeAtomically } from '../../platform/files.ts';
import { readJsonFile } from '../../platform/private-files.ts';
import { hashFields } from '../decide/gate-list.ts';
import type {
  CheckReceipt,
  CheckReceiptKey,
  HeldReceipt,
  HeldReceiptKey,
  Receipt,
  ReceiptKey,
  ReceiptStore,
} from '../types.ts';

const FOLDER = 'onceover/receipts';
const MOST_RECEIPTS = 5000;
const WRITES_BETWEEN_CLEANUPS = 100;
const LARGEST_RECEIPT = 1024 * 1024;

/** Opens the receipts in the clone's own folder, one file per key. Cleanups keep the newest `most` files. */
export function openReceipts(commonDir: string, most = MOST_RECEIPTS): ReceiptStore {
  let writes = 0;

  async function find<Key, T extends Key>(kind: Kind<Key, T>, key: Key): Promise<T | null> {
    if (!checkFolder(commonDir, FOLDER).ok) return null;
    const wanted = kind.keyOf(key);
    const path = join(commonDir, FOLDER, fileName(wanted));
    const receipt = readShape(readJsonFile(path, LARGEST_RECEIPT), kind.shape);
    // Compare the key itself, because the file may have been copied or edited.
    return receipt !== null && JSON.stringify(kind.keyOf(receipt)) === JSON.stringify(wanted) ? receipt : null;
  }

  async function write<Key, T extends Key & object>(kind: Kind<Key, T>, receipt: T): Promise<Result<void>> {
    const folder = makeFolder(commonDir, FOLDER);
    if (!folder.ok) return folder;
    const name = fileName(kind.keyOf(receipt));
    const written = writeAtomically(folder.value, name, `${JSON.stringify(withKeyOrder(receipt, kind.shape))}\n`);
    if (written.ok && writes++ % WRITES_BETWEEN_CLEANUPS === 0) {
      removeLeftovers(folder.value, Date.now());
      removeOldest(folder.value, most, new Set([name]));
    }
    return written;
  }

  return {
    find: (key) => find(REVIEW, key),
    write: (receipt) => write(REVIEW, receipt),
    findCheck: (key) => find(CHECK, key),
    writeCheck: (receipt) => write(CHECK, receipt),
    findHeld: (key) => find(HELD, key),
    writeHeld: (receipt) => write(HELD, receipt),
  };
}

type Kind<Key, T extends Key> = { readonly shape: Shape<T>; keyOf(about: Key): readonly (string | number)[] };

const REVIEW: Kind<ReceiptKey, Receipt> = {
  shape: {
    gate: isString,
    slot: isOrdinal,
    content: isString,
    scope: isString,
    promptDigest: isString,
    verdict: isOneOf(['pass', 'fail']),
    findings: isStrings,
    agent: isString,
    iteration: isOrdinal,
    at: isString,
  },
  keyOf: ({ gate, slot, content, scope, promptDigest }) => ['review', gate, slot, content, scope, promptDigest],
};

const CHECK: Kind<CheckReceiptKey, CheckReceipt> = {
  shape: { gate: isString, command: isString, tree: isString, verdict: isOneOf(['pass', 'fail']), at: isString },
  keyOf: ({ gate, command, tree }) => ['check', gate, command, tree],
};

const HELD: Kind<HeldReceiptKey, HeldReceipt> = {
  shape: { gate: isString, branch: orNull(isString), mergeBase: orNull(isString), content: isString, at: isString },
  keyOf: ({ gate, branch, mergeBase }) =>
    branch === null ? ['held', gate, 'detached', mergeBase ?? ''] : ['held', gate, 'branch', branch],
};

function fileName(key: readonly (string | number)[]): string {
  return `${hashFields(key.map(String)).slice(0, 40)}.json`;
}
