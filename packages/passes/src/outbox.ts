import { sha256 } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import { ok, type Result } from '@onceover/base/kernel/result';
import { removeLeftovers, removeOldest } from '@onceover/base/platform/files';
import { openFolder } from '@onceover/base/platform/private-files';
import { fileName, isStorable } from './stored-files.ts';
import type { PassCarrier, StoredFile } from './types.ts';

/** The maximum number of files that wait in the outbox. Beyond that, the oldest files are deleted. */
const MOST_WAITING = 1000;

const LARGEST_FILE = 128 * 1024;

/** Signed passes and waivers of this clone that were not pushed successfully yet. */
export type Outbox = {
  /** Keeps the files until `remove` is called. If there are too many, the oldest files are dropped. */
  add(files: readonly StoredFile[]): Result<void>;
  /** Returns the waiting files. Files that cannot be read are left out. */
  waiting(): Result<readonly StoredFile[]>;
  remove(files: readonly StoredFile[]): void;
};

/** Opens the outbox for one remote or store. It is in the git folder that all working trees of the clone share. */
export function openOutbox(commonDir: string, carrier: string, maxFiles = MOST_WAITING): Outbox {
  const folder = openFolder(commonDir, `onceover/passes/outbox/${sha256(carrier).slice(0, 16)}`);
  return {
    add(files) {
      removeLeftovers(folder.path, Date.now());
      for (const entry of files.filter(isStorable)) {
        const statement = Buffer.from(entry.file.statement).toString('base64');
        const text = JSON.stringify({ key: entry.key, statement, signature: entry.file.signature });
        const result = folder.write(nameOf(entry), `${text}\n`);
        if (!result.ok) return result;
      }
      removeOldest(folder.path, maxFiles, new Set());
      return ok(undefined);
    },
    waiting() {
      const listing = folder.list();
      if (!listing.ok) return listing;
      const names = listing.value.filter(({ name, isFile }) => isFile && /^[0-9a-f]{64}\.json$/.test(name));
      return ok(names.slice(0, maxFiles).flatMap(({ name }) => readWaiting(folder.json(name, LARGEST_FILE)) ?? []));
    },
    remove(files) {
      for (const entry of files) folder.remove(nameOf(entry));
    },
  };
}

function nameOf({ key, file }: StoredFile): string {
  return `${sha256(`${key} ${fileName(file)}`)}.json`;
}

function readWaiting(value: unknown): StoredFile | null {
  if (!isRecord(value)) return null;
  const { key, statement, signature } = value;
  if (typeof key !== 'string' || typeof statement !== 'string' || typeof signature !== 'string') return null;
  const storedFile = { key, file: { statement: Buffer.from(statement, 'base64'), signature } };
  return isStorable(storedFile) ? storedFile : null;
}

/**
 * Pushes the files and everything that waits in the outbox. The files are stored in the outbox before the first
 * attempt, so a failed push loses none of them: the next push includes them.
 */
export async function pushWithOutbox(
  carrier: PassCarrier,
  outbox: Outbox,
  files: readonly StoredFile[],
  stop: AbortSignal | null,
): Promise<Result<{ readonly added: number }>> {
  const addition = outbox.add(files);
  const waiting = outbox.waiting();
  // Push the new files even if they could not be stored in the outbox, for example because the disk is full.
  const pendingFiles = [...files, ...(waiting.ok ? waiting.value : [])];
  const push = await carrier.push(pendingFiles, stop);
  if (push.ok) outbox.remove(pendingFiles);
  return push.ok || addition.ok ? push : addition;
}
