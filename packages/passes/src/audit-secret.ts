import { err, ok, type Result } from '@onceover/base/kernel/result';
import { secretFile } from '@onceover/base/platform/secret-file';
import { AUDIT_SECRET } from '@onceover/base/platform/secret-variables';
import { isPullRequest } from '@onceover/repo/config/pull-request';

const FILE = 'audit-secret';

/** The minimum length of a secret in the environment. Authors of changes could guess a shorter one. */
const SHORTEST_SECRET = 16;

/**
 * Returns the secret that chooses the passes to audit: from the environment or, if that is not set, from a file in the
 * git folder.
 */
export function auditSecret(commonDir: string, env: NodeJS.ProcessEnv): Result<Uint8Array> {
  const secret = env[AUDIT_SECRET] ?? '';
  // A CI job starts with an empty git folder, so a secret from there would draw again in every job.
  if (secret === '') return isCi(env) ? err({ kind: 'no-audit-secret' }) : secretFile(commonDir, FILE);
  return secret.length >= SHORTEST_SECRET ? ok(Buffer.from(secret)) : err({ kind: 'short-audit-secret' });
}

function isCi(env: NodeJS.ProcessEnv): boolean {
  return isPullRequest(env) || !['', 'false', '0', undefined].includes(env['CI']);
}
