import { addressOf } from '@onceover/forges/decide-target';
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as z from 'zod';
import { type OidcSettings, SCOPES, type Visitor } from './types.ts';

export type TokenDecision =
  | { readonly ok: true; readonly visitor: Visitor }
  /** `no-answer`: the issuer does not answer as expected, so the token could not be checked. */
  | { readonly ok: false; readonly why: 'not-valid' | 'unknown-key' | 'no-answer' };

const LONGEST_TOKEN = 16 * 1024;

/** How many seconds the clocks of the issuer and of this server may differ. */
const LEEWAY_SECONDS = 30;

// Only signatures with a private key: a token without a signature, or one that uses a public key as a shared secret, is
// not valid.
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

const KEEP_MS = 10 * 60_000;

/** The minimum time between two fetches of the issuer's keys, so that strangers cannot flood the issuer with requests. */
const AGAIN_MS = 60_000;

const MOST_BYTES = 512 * 1024;

const MOST_MS = 10_000;

/** Checks a JSON Web Token with the issuer's keys, and returns its owner and their scopes. */
export async function decideToken(
  token: string,
  keys: JWTVerifyGetKey,
  settings: OidcSettings,
  now: Date,
): Promise<TokenDecision> {
  if (token.length > LONGEST_TOKEN) return { ok: false, why: 'not-valid' };
  const options = {
    ...{ issuer: settings.issuer, audience: settings.audience, algorithms: ALGORITHMS },
    ...{ clockTolerance: LEEWAY_SECONDS, currentDate: now, requiredClaims: ['exp', 'sub'] },
  };
  try {
    const { payload, protectedHeader } = await verifyWithEach(token, keys, options);
    const isPersonToken = protectedHeader.typ === undefined || /^(?:at\+)?jwt$/i.test(protectedHeader.typ);
    return isPersonToken ? ownerOf(payload, settings, now) : { ok: false, why: 'not-valid' };
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return { ok: false, why: 'unknown-key' };
    return { ok: false, why: error instanceof IssuerAway || isNoAnswer(error) ? 'no-answer' : 'not-valid' };
  }
}

function isNoAnswer(error: unknown): boolean {
  return error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
}

/** Verifies a token. If it names no key, tries every key of the issuer that fits. */
async function verifyWithEach(token: string, keys: JWTVerifyGetKey, options: Parameters<typeof jwtVerify>[2]) {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function ownerOf(payload: JWTPayload, settings: OidcSettings, now: Date): TokenDecision {
  const { sub = '', exp = 0, iat = 0 } = payload;
  if (sub === '' || iat > now.getTime() / 1000 + LEEWAY_SECONDS) return { ok: false, why: 'not-valid' };
  const claimValues = valuesOf(payload[settings.claim]);
  const scopes = SCOPES.filter((scope) => (settings.grants[scope] ?? []).some((value) => claimValues.includes(value)));
  return { ok: true, visitor: { name: sub.slice(0, 200), scopes: new Set(scopes), until: new Date(exp * 1000) } };
}

/** Returns the values of a claim, which is either a list or, like `scope`, one text with words. */
function valuesOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((value) => typeof value === 'string') : [];
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string() });

class IssuerAway extends Error {}

/** Checks tokens of one issuer. Its keys are fetched once and again when a token names an unknown key. */
export function openTokens(settings: OidcSettings) {
  let opening: Promise<JWTVerifyGetKey> | null = null;

  async function openKeys(): Promise<JWTVerifyGetKey> {
    const { issuer } = settings;
    const response = await boundedFetch(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(MOST_MS),
    });
    const about = discovery.safeParse(response.ok ? await response.json() : null);
    if (!about.success || about.data.issuer !== issuer || addressOf(about.data.jwks_uri) === null)
      throw new IssuerAway();
    return createRemoteJWKSet(new URL(about.data.jwks_uri), {
      ...{ cacheMaxAge: KEEP_MS, cooldownDuration: AGAIN_MS, timeoutDuration: MOST_MS },
      [customFetch]: boundedFetch,
    });
  }

  return {
    async check(token: string, now: Date): Promise<TokenDecision> {
      try {
        opening ??= openKeys();
        return await decideToken(token, await opening, settings, now);
      } catch {
        opening = null;
        return { ok: false, why: 'no-answer' };
      }
    },
  };
}

/** Fetches a document of the issuer. Follows no redirect, and fails if the document is too long. */
async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: 'error' }).catch(() => {
    throw new IssuerAway();
  });
  const text = response.ok ? await response.text() : '';
  if (text === '' || text.length > MOST_BYTES) throw new IssuerAway();
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}
