import type { StoreTrouble } from '@onceover/base/kernel/failure';

/**
 * Error codes after which a new connection may succeed: the server is unreachable, starting, stopping, or has no free
 * connection.
 */
const GONE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['ENOENT', '57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08006'],
]);

/** Error codes after which the same transaction may succeed, because it only conflicted with another transaction. */
const CONFLICT = new Set(['40001', '40P01']);

const REFUSED = /^28|^42501$|^3D000$/;

const TIMEOUT = new Set(['57014', '55P03', '25P03']);

/** Classifies an error of the package `pg`. Returns `null` if the error is a bug in onceover, such as wrong SQL. */
export function storeTrouble(error: unknown): StoreTrouble | 'conflict' | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (GONE.has(code)) return 'unreachable';
  if (CONFLICT.has(code)) return 'conflict';
  if (REFUSED.test(code)) return 'refused';
  if (TIMEOUT.has(code)) return 'timeout';
  if (/^(?:53|58|XX)/.test(code)) return 'damaged';
  // The package `pg` gives its own errors no code, so recognise them by their message.
  if (/Connection terminated|timeout expired|timeout exceeded when trying to connect|not queryable/.test(error.message))
    return 'unreachable';
  if (/Query read timeout/.test(error.message)) return 'timeout';
  if (/password|SASL|SSL/.test(error.message)) return 'refused';
  return null;
}
