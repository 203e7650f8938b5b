import { createHash, timingSafeEqual } from 'node:crypto';

/** The parts of a request that decide whether the server answers it. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly host: string | null;
  readonly origin: string | null;
  /** The header `Sec-Fetch-Site`, which browsers set and pages cannot change. */
  readonly site: string | null;
  /** The header `Sec-Fetch-Mode`. */
  readonly mode: string | null;
  readonly contentType: string | null;
};

export type Access =
  | { readonly ok: true /** The path after the token. */; readonly rest: string }
  | { readonly ok: false; readonly status: 403 | 405 | 415; readonly why: string };

/**
 * Decides whether the server answers a request. It must name this server as its host, come from no other page, and
 * carry the token as the first part of its path. A request that changes something must come from a page of the server.
 */
export function decideAccess(asked: Asked, { port, token }: { readonly port: number; readonly token: string }): Access {
  const { method, host, origin, site, mode } = asked;
  if (method !== 'GET' && method !== 'POST') return refused(405, 'The method is not allowed.');
  // A page of another site can reach 127.0.0.1 under a name of its own, but then the host differs.
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return refused(403, 'The host is not this server.');
  const own = `http://${host}`;
  if (origin !== null && origin !== own) return refused(403, 'The request comes from another page.');
  const isFromElsewhere = site !== null && site !== 'same-origin' && site !== 'none';
  // Only a link that someone follows may come from elsewhere. It needs the token, too.
  if (isFromElsewhere && !(method === 'GET' && mode === 'navigate')) {
    return refused(403, 'The request comes from another page.');
  }
  if (method === 'POST') {
    if (origin === null) return refused(403, 'The request does not say from which page it comes.');
    if (asked.contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
      return refused(415, 'The request is not JSON.');
    }
  }
  const [, first = '', rest] = /^\/([^/]*)(\/.*)?$/s.exec(asked.path) ?? [];
  if (!isSame(first, token) || rest === undefined) return refused(403, 'The link has no valid token.');
  return { ok: true, rest };
}

function refused(status: 403 | 405 | 415, why: string): Access {
  return { ok: false, status, why };
}

// Compares digests, so that the time does not show how many characters are right.
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
