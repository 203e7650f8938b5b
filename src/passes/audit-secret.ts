import { randomBytes } from 'node:crypto';
import { err, ok, type Result } from '../kernel/result.ts';
import { makeFolder } from '../platform/files.ts';
import { openFolder, writeNew } from '../platform/private-files.ts';

/** The environment variable with the verifier's secret for the audit, for CI, where no file of the clone lasts. */
const AUDIT_SECRET = 'ONCEOVER_AUDIT_SECRET';

const FOLDER = 'onceover';

const FILE = 'audit-secret';

const SECRET_BYTES = 32;

/** The least length of a secret in the environment. Authors could guess a shorter one. */
const SHORTEST_SECRET = 16;

/**
 * Returns the verifier's secret for the audit: from the environment or, without it, from a file in the git folder that all
 * working trees share. The first call makes that file, which only the user can read.
 */
export function auditSecret(commonDir: string, env: NodeJS.ProcessEnv): Result<Uint8Array> {
  const given = env[AUDIT_SECRET] ?? '';
  if (given !== '') {
    return given.length >= SHORTEST_SECRET ? ok(Buffer.from(given)) : err({ kind: 'short-audit-secret' });
  }
  const folder = openFolder(commonDir, FOLDER);
  const found = folder.text(FILE);
  if (!found.ok) return found;
  const known = readSecret(found.value);
  if (known !== null) return ok(known);
  const text = `${randomBytes(SECRET_BYTES).toString('hex')}\n`;
  // A damaged file is replaced. A missing one is made so that two processes that start together get the same secret.
  const written = found.value === null ? writeFirst(commonDir, text) : folder.write(FILE, text, 0o600);
  if (!written.ok) return written;
  const stored = folder.text(FILE);
  if (!stored.ok) return stored;
  const secret = readSecret(stored.value);
  return secret === null ? err({ kind: 'disk', action: 'read', path: folder.path, code: 'EIO' }) : ok(secret);
}

function writeFirst(commonDir: string, text: string): Result<unknown> {
  const made = makeFolder(commonDir, FOLDER);
  return made.ok ? writeNew(made.value, FILE, text, 0o600) : made;
}

function readSecret(text: string | null): Uint8Array | null {
  return text !== null && /^[0-9a-f]{64}\n$/.test(text) ? Buffer.from(text.trim(), 'hex') : null;
}
