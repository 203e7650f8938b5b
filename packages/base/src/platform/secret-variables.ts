import { STORE_VARIABLE } from './store-variable.ts';

/**
 * The environment variable with the secret that decides which shared passes are reviewed again as an audit. CI needs
 * this variable, because each job starts with a new clone, in which no secret is stored yet.
 */
export const AUDIT_SECRET = 'ONCEOVER_AUDIT_SECRET';

/** The environment variable with the token for an HTTP store of passes. */
export const STORE_TOKEN = 'ONCEOVER_PASSES_TOKEN';

const SECRETS: ReadonlySet<string> = new Set([STORE_VARIABLE, AUDIT_SECRET, STORE_TOKEN]);

/**
 * Returns the environment without onceover's own secrets. Checks run code of the change, and agents read that code, so
 * neither may know a secret.
 */
export function withoutSecrets<T extends string | undefined>(env: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.has(name)));
}
