import { createHash, timingSafeEqual } from 'node:crypto';

/** The parts of a request that decide whether the server answers it. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly host: string | null;
  readonly origin: string | null;
  /** The header `Sec-Fetch-Site`, which browsers set and scripts on web pages cannot change. */
  readonly site: string | null;
  /** The header `Sec-Fetch-Mode`, which scripts on web pages cannot change either. */
  readonly mode: string | null;
  readonly contentType: string | null;
};

export type Access =
  | { readonly ok: true /** The part of the path that follows the token. */; readonly rest: string }
  | { readonly ok: false; readonly status: 403 | 405 | 415; readonly why: string };

/**
 * Decides whether the server answers a request. Its `Host` header must name this server, no other site may have sent
 * it, and its path must start with the token. A request that changes something must come from a page of this server.
 */
export function decideAccess(
  request: Asked,
  { port, token }: { readonly port: number; readonly token: string },
): Access {
  const { method, host, origin, site, mode } = request;
  if (method !== 'GET' && method !== 'POST') return refusal(405, 'The method is not allowed.');
  // Another web site can give 127.0.0.1 a host name of its own and call this server. The `Host` header then has that
  // name.
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return refusal(403, 'The host is not this server.');
  const ownOrigin = `http://${host}`;
  if (origin !== null && origin !== ownOrigin) return refusal(403, 'The request comes from another page.');
  const isFromElsewhere = site !== null && site !== 'same-origin' && site !== 'none';
  // A request from another site must come from a link that the user clicked. Such a request also needs the token.
  if (isFromElsewhere && !(method === 'GET' && mode === 'navigate')) {
    return refusal(403, 'The request comes from another page.');
  }
  if (method === 'POST') {
    if (origin === null) return refusal(403, 'The request does not say from which page it comes.');
    if (request.contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
      return refusal(415, 'The request is not JSON.');
    }
  }
  const [, first = '', subpath] = /^\/([^/]*)(\/.*)?$/s.exec(request.path) ?? [];
  if (!isSame(first, token) || subpath === undefined) return refusal(403, 'The link has no valid token.');
  return { ok: true, rest: subpath };
}

function refusal(status: 403 | 405 | 415, why: string): Access {
  return { ok: false, status, why };
}

// Compares digests in constant time, so that the time reveals nothing about the token.
function isSame(candidate: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(candidate), digest(token));
}
