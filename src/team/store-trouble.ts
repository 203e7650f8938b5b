import type { StoreTrouble } from '../kernel/failure.ts';

/** The codes of errors after which a new connection may succeed: the server is away, starting, stopping, or full. */
const GONE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['ENOENT', '57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08006'],
]);

/** The codes of errors after which the same transaction may succeed: a conflict with another one. */
const CONFLICT = new Set(['40001', '40P01']);

const REFUSED = /^28|^42501$|^3D000$/;

const TIMEOUT = new Set(['57014', '55P03', '25P03']);

/** Sorts an error of the package `pg`; `null` if the error is a bug in onceover, such as wrong SQL. */
export function storeTrouble(error: unknown): StoreTrouble | 'conflict' | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (GONE.has(code)) return 'unreachable';
  if (CONFLICT.has(code)) return 'conflict';
  if (REFUSED.test(code)) return 'refused';
  if (TIMEOUT.has(code)) return 'timeout';
  if (/^(?:53|58|XX)/.test(code)) return 'damaged';
  // `pg` gives these no code.
  if (/Connection terminated|timeout expired|timeout exceeded when trying to connect|not queryable/.test(error.message))
    return 'unreachable';
  if (/Query read timeout/.test(error.message)) return 'timeout';
  if (/password|SASL|SSL/.test(error.message)) return 'refused';
  return null;
}
