import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { describe, expect, test } from 'vitest';
import { decideToken } from '../../src/serve/tokens.ts';
import type { OidcSettings } from '../../src/serve/types.ts';

const SETTINGS: OidcSettings = {
  issuer: 'https://id.example.com',
  audience: 'onceover',
  claim: 'groups',
  grants: { read: ['staff'], waive: ['leads', 'owners'] },
};

const NOW = new Date('2026-06-01T12:00:00Z');
const AT = NOW.getTime() / 1000;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');

const jwk = (key: KeyObject, kid: string, extraFields: object = {}) =>
  ({ ...key.export({ format: 'jwk' }), kid, ...extraFields }) as JSONWebKeySet['keys'][number];

const KEYS: JSONWebKeySet['keys'] = [
  jwk(rsa.publicKey, 'rsa', { use: 'sig', alg: 'RS256' }),
  jwk(ec.publicKey, 'ec'),
  jwk(ed.publicKey, 'ed'),
  jwk(weak.publicKey, 'weak'),
  jwk(rsa.publicKey, 'for-encryption', { use: 'enc' }),
  { kty: 'oct', kid: 'secret', k: Buffer.from('secret').toString('base64url') } as JSONWebKeySet['keys'][number],
];

const CLAIMS = { iss: SETTINGS.issuer, sub: 'ann', aud: 'onceover', exp: AT + 60, groups: ['staff', 'leads'] };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const SIGNERS: Readonly<Record<string, (text: string) => Buffer>> = {
  RS256: (text) => sign('sha256', Buffer.from(text), rsa.privateKey),
  ES256: (text) => sign('sha256', Buffer.from(text), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (text) => sign(null, Buffer.from(text), ed.privateKey),
  // A secret that everyone knows: the text of the public key.
  HS256: (text) =>
    createHmac(
      'sha256',
      createPublicKey(rsa.publicKey.export({ type: 'spki', format: 'pem' })).export({ type: 'spki', format: 'pem' }),
    )
      .update(text)
      .digest(),
  weak: (text) => sign('sha256', Buffer.from(text), weak.privateKey),
  none: () => Buffer.alloc(0),
};

function token(header: object, claims: object = {}, signer = 'RS256'): string {
  const text = `${encode(header)}.${encode({ ...CLAIMS, ...claims })}`;
  return `${text}.${SIGNERS[signer]?.(text).toString('base64url')}`;
}

const decide = (text: string) => decideToken(text, createLocalJWKSet({ keys: KEYS }), SETTINGS, NOW);

describe('tokens of people', () => {
  test.each([
    ['RS256', 'rsa'],
    ['ES256', 'ec'],
    ['EdDSA', 'ed'],
  ])('signed with %s: valid, with the scopes of the groups', async (alg, kid) => {
    const decision = await decide(token({ alg, kid }, {}, alg));
    expect(decision).toMatchObject({ ok: true, visitor: { name: 'ann', until: new Date((AT + 60) * 1000) } });
    expect(decision.ok && [...decision.visitor.scopes]).toEqual(['read', 'waive']);
  });

  test('without a key id, every key of the kind is tried', async () => {
    expect((await decide(token({ alg: 'RS256' }))).ok).toBe(true);
  });

  test.each<readonly [string, object]>([
    ['a list of audiences', { aud: ['other', 'onceover'] }],
    ['an expiry within the tolerance', { exp: AT - 10 }],
    ['a beginning now', { nbf: AT, iat: AT }],
  ])('%s: valid', async (_title, claims) => {
    expect((await decide(token({ alg: 'RS256', kid: 'rsa' }, claims))).ok).toBe(true);
  });

  test('groups that grant nothing: valid without scopes', async () => {
    const decision = await decide(token({ alg: 'RS256', kid: 'rsa' }, { groups: 'read waive administer' }));
    expect(decision.ok && decision.visitor.scopes.size).toBe(0);
  });

  test.each<readonly [string, object]>([
    ['expired', { exp: AT - 31 }],
    ['without an expiry', { exp: undefined }],
    ['with an expiry that is a text', { exp: String(AT + 60) }],
    ['not valid yet', { nbf: AT + 31 }],
    ['from the future', { iat: AT + 3600 }],
    ['of another issuer', { iss: 'https://evil.example.com' }],
    ['of an issuer with a slash more', { iss: `${SETTINGS.issuer}/` }],
    ['for another audience', { aud: 'onceover-dev' }],
    ['for no one', { aud: [] }],
    ['without a subject', { sub: '' }],
  ])('%s: not valid', async (_title, claims) => {
    expect(await decide(token({ alg: 'RS256', kid: 'rsa' }, claims))).toEqual({ ok: false, why: 'not-valid' });
  });

  test.each([
    ['no signature', token({ alg: 'none' }, {}, 'none')],
    ['no signature, with the name of a key', token({ alg: 'None', kid: 'rsa' }, {}, 'none')],
    ['an empty signature', token({ alg: 'RS256', kid: 'rsa' }, {}, 'none')],
    ['the public key as a secret', token({ alg: 'HS256', kid: 'rsa' }, {}, 'HS256')],
    ['the public key as a secret, called RS256', token({ alg: 'RS256', kid: 'rsa' }, {}, 'HS256')],
    ['a symmetric key of the list', token({ alg: 'HS256', kid: 'secret' }, {}, 'HS256')],
    ['a short RSA key', token({ alg: 'RS256', kid: 'weak' }, {}, 'weak')],
    ['another key', token({ alg: 'ES256', kid: 'ec' }, {}, 'RS256')],
    ['an unknown extension', token({ alg: 'RS256', kid: 'rsa', crit: ['b64'] })],
    ['a token of another kind', token({ alg: 'RS256', kid: 'rsa', typ: 'logout+jwt' })],
    ['five parts', `${token({ alg: 'RS256', kid: 'rsa' })}.x.y`],
    [
      'changed claims',
      token({ alg: 'RS256', kid: 'rsa' }).replace(/\.[^.]+\./, `.${encode({ ...CLAIMS, sub: 'eve' })}.`),
    ],
    ['a very long token', `${'e30'.repeat(10_000)}.e30.e30`],
    ['text', 'not.a.token'],
  ])('%s: not valid', async (_title, text) => {
    expect(await decide(text)).toEqual({ ok: false, why: 'not-valid' });
  });

  test.each([
    ['a key that the issuer does not have', token({ alg: 'RS256', kid: 'new' })],
    ['a key of another kind', token({ alg: 'RS256', kid: 'ec' })],
    ['a key for encryption', token({ alg: 'RS256', kid: 'for-encryption' })],
  ])('%s: the key is unknown', async (_title, text) => {
    expect(await decide(text)).toEqual({ ok: false, why: 'unknown-key' });
  });
});
