import { randomBytes } from 'node:crypto';
import { sha256 } from '@onceover/base/kernel/ids';
import { isSameSecret } from './decide-webhook.ts';
import type { ServerRequest } from './http.ts';
import { openTokens } from './tokens.ts';
import type { AccessScope, ServerSettings, Visitor } from './types.ts';

/** The sender of a request. `unsure` means that the token could not be checked, because its issuer does not answer. */
export type Identified =
  | { readonly kind: 'visitor'; readonly visitor: Visitor; readonly isCookie: boolean }
  | { readonly kind: 'stranger' | 'unsure' };

const SESSION_MS = 12 * 60 * 60_000;

const MOST_SESSIONS = 10_000;

const COOKIE = 'onceover_session';

/** Recognises visitors by their tokens. A browser logs in with a token once, and then sends a session cookie. */
export function openVisitors({ tokens, oidc, address }: ServerSettings) {
  const issuer = oidc === null ? null : openTokens(oidc);
  const sessions = new Map<string, { readonly visitor: Visitor; readonly until: number }>();

  async function ofToken(token: string): Promise<Identified> {
    const digest = sha256(token);
    // Compare with all tokens instead of stopping at a match, so that the response time reveals nothing about the
    // tokens.
    const accessToken = tokens.filter((candidate) => isSameSecret(digest, candidate.sha256))[0];
    if (accessToken !== undefined) {
      const visitor: Visitor = {
        name: accessToken.name,
        scopes: new Set<AccessScope>(accessToken.scopes),
        until: null,
      };
      return { kind: 'visitor', visitor, isCookie: false };
    }
    if (issuer === null || token.split('.').length !== 3) return { kind: 'stranger' };
    const decision = await issuer.check(token, new Date());
    if (decision.ok) return { kind: 'visitor', visitor: decision.visitor, isCookie: false };
    return { kind: decision.why === 'no-answer' ? 'unsure' : 'stranger' };
  }

  function ofCookie(header: string): Identified {
    const [, id = ''] = new RegExp(`(?:^|; )${COOKIE}=([\\w-]{43})(?:;|$)`).exec(header) ?? [];
    const session = id === '' ? undefined : sessions.get(sha256(id));
    if (session === undefined || session.until <= Date.now()) return { kind: 'stranger' };
    return { kind: 'visitor', visitor: session.visitor, isCookie: true };
  }

  return {
    /** Returns who sent a request: the owner of its bearer token or, if it has none, of its session cookie. */
    async identify(request: ServerRequest): Promise<Identified> {
      const authorization = request.header('authorization');
      if (authorization === null) return ofCookie(request.header('cookie') ?? '');
      const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization) ?? [];
      return token === undefined ? { kind: 'stranger' } : ofToken(token);
    },

    /** Starts a session for the owner of a token and returns the session cookie; `null` if the token is not valid. */
    async logIn(token: string): Promise<string | null> {
      const identity = await ofToken(token);
      if (identity.kind !== 'visitor') return null;
      const now = Date.now();
      for (const [id, { until }] of sessions) if (until <= now) sessions.delete(id);
      const [oldest] = sessions.keys();
      if (sessions.size >= MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      const id = randomBytes(32).toString('base64url');
      const until = Math.min(now + SESSION_MS, identity.visitor.until?.getTime() ?? Number.POSITIVE_INFINITY);
      sessions.set(sha256(id), { visitor: identity.visitor, until });
      return cookieOf(id, Math.floor((until - now) / 1000));
    },

    /** Ends the session of a request, and returns a cookie that deletes the session cookie in the browser. */
    logOut(request: ServerRequest): string {
      const [, id = ''] =
        new RegExp(`(?:^|; )${COOKIE}=([\\w-]{43})(?:;|$)`).exec(request.header('cookie') ?? '') ?? [];
      sessions.delete(sha256(id));
      return cookieOf('', 0);
    },
  };

  function cookieOf(id: string, seconds: number): string {
    const secure = address?.startsWith('https://') === true ? '; Secure' : '';
    return `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
  }
}
