import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { ServerRequest } from '../../src/serve/http.ts';
import type { ServerSettings } from '../../src/serve/types.ts';
import { openVisitors } from '../../src/serve/visitors.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');

/** Starts an issuer with one key. `answers` counts the requests for its keys. */
async function startIssuer() {
  const answers = { keys: 0, isAway: false };
  const server = createServer((request, response) => {
    if (answers.isAway) return void response.writeHead(503).end();
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.url === '/jwks') {
      answers.keys++;
      return void response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] }));
    }
    response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { answers, issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function settings(issuer: string): ServerSettings {
  return {
    ...{ host: '127.0.0.1', port: 0, address: 'https://reviews.example.com', folder: null, runsAtOnce: 1 },
    ...{ runMinutes: 1, checks: 'not_run', drafts: false, keepRunsDays: 1, traces: false, forges: [] },
    tokens: [],
    oidc: { issuer, audience: 'onceover', claim: 'scope', grants: { read: ['reviews'] } },
  };
}

function tokenOf(issuer: string, kid = 'one'): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Date.now() / 1000 + 60;
  const text = `${part({ alg: 'EdDSA', kid })}.${part({ iss: issuer, aud: 'onceover', sub: 'ann', exp, scope: 'x reviews' })}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

function requestWith(headers: Readonly<Record<string, string>>): ServerRequest {
  const about = { method: 'GET', path: '/', query: new URLSearchParams(), body: Buffer.alloc(0) };
  return { ...about, header: (name) => headers[name] ?? null };
}

test('a token of the issuer counts as a header and in a session, until the session ends', async () => {
  const { issuer, answers } = await startIssuer();
  const visitors = openVisitors(settings(issuer));
  const token = tokenOf(issuer);
  const identity = await visitors.identify(requestWith({ authorization: `Bearer ${token}` }));
  expect(identity).toMatchObject({ kind: 'visitor', visitor: { name: 'ann', scopes: new Set(['read']) } });
  const cookie = await visitors.logIn(token);
  expect(cookie).toMatch(/^onceover_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=(?:59|60); Secure$/);
  const request = requestWith({ cookie: cookie?.split(';')[0] ?? '' });
  expect(await visitors.identify(request)).toMatchObject({ kind: 'visitor', isCookie: true });
  visitors.logOut(request);
  expect(await visitors.identify(request)).toEqual({ kind: 'stranger' });
  expect(answers.keys).toBe(1);
});

test('tokens with unknown keys do not make the server ask the issuer each time', async () => {
  const { issuer, answers } = await startIssuer();
  const visitors = openVisitors(settings(issuer));
  for (let n = 0; n < 20; n++) {
    const request = requestWith({ authorization: `Bearer ${tokenOf(issuer, `key-${n}`)}` });
    expect(await visitors.identify(request)).toEqual({ kind: 'stranger' });
  }
  expect(answers.keys).toBe(1);
});

test('an issuer that is away lets no one in', async () => {
  const { issuer, answers } = await startIssuer();
  answers.isAway = true;
  const visitors = openVisitors(settings(issuer));
  const request = requestWith({ authorization: `Bearer ${tokenOf(issuer)}` });
  expect(await visitors.identify(request)).toEqual({ kind: 'unsure' });
  expect(await visitors.logIn(tokenOf(issuer))).toBeNull();
});
