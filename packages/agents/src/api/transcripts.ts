import { sha256 } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import { ok, type Result } from '@onceover/base/kernel/result';
import { isString } from '@onceover/base/kernel/shape';
import { removeLeftovers, statIfPresent } from '@onceover/base/platform/files';
import { openFolder, parseJson } from '@onceover/base/platform/private-files';
import type { Turn } from './types.ts';

/** A conversation with a model exactly as it was sent, so that a later call can continue it. */
export type StoredTranscript = { readonly opening: string; readonly turns: readonly Turn[] };

const FOLDER = 'onceover/transcripts';

const NAME = /^[0-9a-f]{64}\.json$/;

const SESSIONS_LAST_MS = 14 * 24 * 3600 * 1000;

const MOST_BYTES = 256 * 1024 * 1024;

/** The file mode of transcripts: only the user may read them, because they contain the reviewed code. */
const PRIVATE = 0o600;

export type Transcripts = ReturnType<typeof openTranscripts>;

/**
 * Opens the stored conversations in the git folder. A conversation is named after the digest of its text, so it never
 * changes: continuing it always creates a new one, and a file that was edited is ignored.
 */
export function openTranscripts(commonDir: string) {
  const folder = openFolder(commonDir, FOLDER);
  return {
    /** Returns a stored conversation; `null` if its file is missing or was edited. */
    read(id: string): StoredTranscript | null {
      const name = `${id}.json`;
      if (!NAME.test(name)) return null;
      const text = folder.text(name);
      if (!text.ok || text.value === null || sha256(text.value) !== id) return null;
      const value = parseJson(text.value);
      return isTranscript(value) ? value : null;
    },
    /** Stores a conversation and returns its id. Also deletes old conversations that no session can need any more. */
    keep({ opening, turns }: StoredTranscript): Result<string> {
      const text = JSON.stringify({ opening, turns });
      const id = sha256(text);
      const writeResult = folder.write(`${id}.json`, text, PRIVATE);
      if (writeResult.ok) prune();
      return writeResult.ok ? ok(id) : writeResult;
    },
  };

  // If a file cannot be deleted, it only wastes disk space, so failures are ignored.
  function prune(): void {
    const listing = folder.list();
    const now = Date.now();
    removeLeftovers(folder.path, now);
    const files = (listing.ok ? listing.value : [])
      .filter(({ name }) => NAME.test(name))
      .map(({ name }) => ({ name, stats: statIfPresent(`${folder.path}/${name}`) }))
      .sort((a, b) => (b.stats?.mtimeMs ?? 0) - (a.stats?.mtimeMs ?? 0));
    let bytes = 0;
    for (const { name, stats } of files) {
      bytes += stats?.size ?? 0;
      if (bytes > MOST_BYTES || now - (stats?.mtimeMs ?? now) > SESSIONS_LAST_MS) folder.remove(name);
    }
  }
}

function isTranscript(value: unknown): value is StoredTranscript {
  return isRecord(value) && isString(value['opening']) && Array.isArray(value['turns']) && value['turns'].every(isTurn);
}

function isTurn(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const list = value['kind'] === 'model' ? value['content'] : value['results'];
  return value['kind'] === 'question' ? isString(value['text']) : Array.isArray(list) && list.every(isRecord);
}
