import { randomBytes } from 'node:crypto';
import { err, ok, type Result } from '../kernel/result.ts';
import { makeFolder } from './files.ts';
import { openFolder, writeNew } from './private-files.ts';

const FOLDER = 'onceover';

const SECRET_BYTES = 32;

/**
 * Returns a random secret from a file in the git folder that all working trees share. The first call creates the file,
 * which only the user can read.
 */
export function secretFile(commonDir: string, name: string): Result<Uint8Array> {
  const folder = openFolder(commonDir, FOLDER);
  const fileText = folder.text(name);
  if (!fileText.ok) return fileText;
  const existingSecret = readSecret(fileText.value);
  if (existingSecret !== null) return ok(existingSecret);
  const text = `${randomBytes(SECRET_BYTES).toString('hex')}\n`;
  // Replace a damaged file. Create a missing file in such a way that two processes that start together get the same
  // secret.
  const writeResult = fileText.value === null ? writeFirst(commonDir, name, text) : folder.write(name, text, 0o600);
  if (!writeResult.ok) return writeResult;
  const storedText = folder.text(name);
  if (!storedText.ok) return storedText;
  const secret = readSecret(storedText.value);
  return secret === null ? err({ kind: 'disk', action: 'read', path: folder.path, code: 'EIO' }) : ok(secret);
}

function writeFirst(commonDir: string, name: string, text: string): Result<unknown> {
  const folderResult = makeFolder(commonDir, FOLDER);
  return folderResult.ok ? writeNew(folderResult.value, name, text, 0o600) : folderResult;
}

function readSecret(text: string | null): Uint8Array | null {
  return text !== null && /^[0-9a-f]{64}\n$/.test(text) ? Buffer.from(text.trim(), 'hex') : null;
}
