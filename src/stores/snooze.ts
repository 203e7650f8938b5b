import { join } from 'node:path';
import type { Result } from '../domain/result.ts';
import { makeFolder, removeFile, writeWhole } from '../io/files.ts';
import { FOLDER, SNOOZED } from './stop-memory.ts';

/** Puts the stop hook of a clone to sleep until then; null wakes it. */
export function snooze(commonDir: string, until: number | null): Result<void> {
  if (until === null) return removeFile(join(commonDir, FOLDER, SNOOZED));
  const folder = makeFolder(commonDir, FOLDER);
  return folder.ok ? writeWhole(folder.value, SNOOZED, `${until}\n`) : folder;
}
