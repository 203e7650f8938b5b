import { err, ok, type Result } from '../kernel/result.ts';
import { secretFile } from '../platform/secret-file.ts';

/** The environment variable with the secret for audits. CI needs it, because a clone in CI keeps no files. */
const AUDIT_SECRET = 'ONCEOVER_AUDIT_SECRET';

const FILE = 'audit-secret';

/** The least length of a secret in the environment. Authors could guess a shorter one. */
const SHORTEST_SECRET = 16;

/** Returns the verifier's secret for the audit: from the environment or, without it, from a file in the git folder. */
export function auditSecret(commonDir: string, env: NodeJS.ProcessEnv): Result<Uint8Array> {
  const given = env[AUDIT_SECRET] ?? '';
  if (given === '') return secretFile(commonDir, FILE);
  return given.length >= SHORTEST_SECRET ? ok(Buffer.from(given)) : err({ kind: 'short-audit-secret' });
}
