import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';
import { type OidcSettings, SCOPES, type Visitor } from './types.ts';

/** The public keys that a token issuer publishes. Unknown fields of a key are allowed. */
export const keySetShape = z.object({
  keys: z
    .array(
      z.looseObject({
        kty: z.string(),
        kid: z.string().optional(),
        use: z.string().optional(),
        alg: z.string().optional(),
        crv: z.string().optional(),
      }),
    )
    .max(100),
});

export type IssuerKeys = z.output<typeof keySetShape>['keys'];

export type JwtDecision =
  | { readonly ok: true; readonly visitor: Visitor }
  /** `unknown-key` means that the issuer may have published a new key since we fetched its keys. */
  | { readonly ok: false; readonly why: 'unknown-key' | 'not-valid' };

const LONGEST = 16 * 1024;

/** How many seconds the clocks of the issuer and of this server may differ. */
const LEEWAY_SECONDS = 30;

const SMALLEST_RSA_BITS = 2048;

const header = z.object({
  alg: z.enum(['RS256', 'ES256', 'EdDSA']),
  kid: z.string().optional(),
  typ: z.string().optional(),
  crit: z.undefined().optional(),
});

const seconds = z.number().finite();

const claims = z.looseObject({
  iss: z.string(),
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: seconds,
  nbf: seconds.optional(),
  iat: seconds.optional(),
});

/**
 * Checks a JSON Web Token with the issuer's keys, and returns its owner and their scopes. The issuer's key, not the
 * token, decides which signature algorithms are allowed. So a token without a signature, or one that uses a public key
 * as a shared secret, is not valid.
 */
export function decideJwt(token: string, keys: IssuerKeys, settings: OidcSettings, now: Date): JwtDecision {
  const parts = token.length > LONGEST ? [] : token.split('.');
  const [head = '', body = '', signature = ''] = parts;
  const about = parts.length === 3 ? header.safeParse(decodePart(head)) : null;
  if (about?.success !== true || (about.data.typ !== undefined && !/^(?:at\+)?jwt$/i.test(about.data.typ)))
    return INVALID;
  const { alg, kid } = about.data;
  const fitting = keys.filter((key) => fits(key, alg) && (kid === undefined || key.kid === kid));
  if (fitting.length === 0) return { ok: false, why: 'unknown-key' };
  const isSigned = fitting.some((key) => isSignedWith(key as JsonWebKey, alg, `${head}.${body}`, signature));
  const claimsResult = isSigned ? claims.safeParse(decodePart(body)) : null;
  if (claimsResult?.success !== true) return INVALID;
  const { iss, sub, aud, exp, nbf, iat } = claimsResult.data;
  const at = now.getTime() / 1000;
  const isFor = iss === settings.issuer && [aud].flat().includes(settings.audience);
  const isInTime = exp > at - LEEWAY_SECONDS && (nbf ?? 0) <= at + LEEWAY_SECONDS && (iat ?? 0) <= at + LEEWAY_SECONDS;
  if (!isFor || !isInTime) return INVALID;
  const claimValues = valuesOf(claimsResult.data[settings.claim]);
  const scopes = SCOPES.filter((scope) => (settings.grants[scope] ?? []).some((value) => claimValues.includes(value)));
  return { ok: true, visitor: { name: sub.slice(0, 200), scopes: new Set(scopes), until: new Date(exp * 1000) } };
}

const INVALID: JwtDecision = { ok: false, why: 'not-valid' };

function decodePart(part: string): unknown {
  if (!/^[\w-]+$/.test(part)) return null;
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

type Algorithm = z.output<typeof header>['alg'];

const KEYS_OF: Readonly<Record<Algorithm, readonly [type: string, curve: string | null]>> = {
  RS256: ['RSA', null],
  ES256: ['EC', 'P-256'],
  EdDSA: ['OKP', 'Ed25519'],
};

/** Whether a key may be used with an algorithm. Symmetric keys are always refused. */
function fits({ kty, use, alg, crv }: IssuerKeys[number], algorithm: Algorithm): boolean {
  const [type, curve] = KEYS_OF[algorithm];
  if (kty !== type || (curve !== null && crv !== curve)) return false;
  return (use === undefined || use === 'sig') && (alg === undefined || alg === algorithm);
}

function isSignedWith(jwk: JsonWebKey, algorithm: Algorithm, text: string, signature: string): boolean {
  if (!/^[\w-]+$/.test(signature)) return false;
  const key = publicKey(jwk);
  if (key === null) return false;
  const bytes = Buffer.from(signature, 'base64url');
  const data = Buffer.from(text);
  switch (algorithm) {
    case 'RS256':
      if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < SMALLEST_RSA_BITS) return false;
      return verify('sha256', data, key, bytes);
    case 'ES256':
      return bytes.length === 64 && verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, bytes);
    case 'EdDSA':
      return verify(null, data, key, bytes);
  }
}

function publicKey(jwk: JsonWebKey): KeyObject | null {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
}

/** Returns the values of a claim, which is either a list or, like `scope`, one text with words. */
function valuesOf(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((value) => typeof value === 'string') : [];
}
