import { createServer } from 'node:http';
import { listening, startProxy } from '@onceover/testing/proxy.ts';
import { describe, expect, test } from 'vitest';
import { openFetch, proxyOf } from '../../src/platform/proxy.ts';

const ADDRESS = 'https://models.example.test/v1';
const PROXY = 'http://proxy:3128/';

describe('the proxy of an address', () => {
  test.each<[title: string, address: string, env: Record<string, string>, proxy: string | null]>([
    ['HTTPS_PROXY for https', ADDRESS, { HTTPS_PROXY: PROXY }, PROXY],
    ['https_proxy comes before HTTPS_PROXY', ADDRESS, { https_proxy: PROXY, HTTPS_PROXY: 'http://b:1/' }, PROXY],
    ['HTTP_PROXY for http', 'http://gateway/v1', { HTTP_PROXY: PROXY }, PROXY],
    ['not HTTP_PROXY for https', ADDRESS, { HTTP_PROXY: PROXY }, null],
    ['an address without http://', ADDRESS, { HTTPS_PROXY: 'proxy:3128' }, PROXY],
    ['an empty variable', ADDRESS, { HTTPS_PROXY: '' }, null],
    ['an empty variable before a set one', ADDRESS, { https_proxy: '', HTTPS_PROXY: PROXY }, PROXY],
    ['this machine', 'http://localhost:1/v1', { HTTP_PROXY: PROXY }, null],
    ['this machine by address', 'http://127.0.0.1:1/v1', { HTTP_PROXY: PROXY }, null],
    ['this machine by IPv6 address', 'http://[::1]:1/v1', { HTTP_PROXY: PROXY }, null],
  ])('%s', (_title, address, env, proxy) => {
    expect(proxyOf(new URL(address), env)?.href ?? null).toBe(proxy);
  });

  test.each<[list: string, address: string, isDirect: boolean]>([
    ['models.example.test', ADDRESS, true],
    ['example.test', ADDRESS, true],
    ['.example.test', ADDRESS, true],
    ['*.example.test', ADDRESS, true],
    ['other.test, EXAMPLE.test', ADDRESS, true],
    ['ample.test', ADDRESS, false],
    ['models.example.test:443', ADDRESS, true],
    ['models.example.test:8443', ADDRESS, false],
    ['*', ADDRESS, true],
    ['', ADDRESS, false],
    [',', ADDRESS, false],
    ['10.1.2.3', 'https://10.1.2.3/v1', true],
    ['10.0.0.0/8', 'https://10.1.2.3/v1', true],
    ['10.0.0.0/8', 'https://11.1.2.3/v1', false],
    ['10.0.0.0/8', ADDRESS, false],
    ['10.0.0.0/99', 'https://10.1.2.3/v1', false],
    ['fd00::1', 'https://[fd00::1]/v1', true],
    ['fd00::/8', 'https://[fd12::1]/v1', true],
  ])('NO_PROXY=%s and %s', (list, address, isDirect) => {
    const env = { HTTPS_PROXY: PROXY, NO_PROXY: list };
    expect(proxyOf(new URL(address), env)).toEqual(isDirect ? null : new URL(PROXY));
  });

  test.each(['socks5://proxy:1080', 'http://', 'http://a b'])(
    '%s is an error, and not a direct connection',
    async (setting) => {
      const message = 'the proxy in HTTPS_PROXY is not an http:// or https:// address';
      const error = await openFetch({ HTTPS_PROXY: setting })(ADDRESS, { redirect: 'error' }).catch(
        (reason: unknown) => reason,
      );
      expect((error as Error).cause).toEqual(new Error(message));
    },
  );
});

/** A model server and a proxy in front of it. Returns a `fetch` that uses this proxy, with a password. */
async function openProxied(status: number, headers: Record<string, string> = {}, refuses: number | null = null) {
  const bodies: { type: string; text: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    bodies.push({ type: request.headers['content-type'] ?? '', text: Buffer.concat(chunks).toString('utf8') });
    response.writeHead(status, headers);
    response.end(status === 204 ? '' : 'an answer');
  });
  const proxy = await startProxy(await listening(server), refuses);
  const address = `http://me:p%40ss@127.0.0.1:${proxy.port}`;
  return { bodies, seen: proxy.seen, send: openFetch({ HTTP_PROXY: address, HTTPS_PROXY: address }) };
}

describe('a request through a proxy', () => {
  test('sends the body and the headers, and returns the answer', async () => {
    const { send, seen, bodies } = await openProxied(429, { 'retry-after': '7', 'x-two': 'b' });
    const headers = { 'content-type': 'application/json' };
    const answer = await send('http://models.test/v1', { method: 'POST', redirect: 'error', headers, body: '{"é":1}' });
    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([429, '7', 'an answer']);
    expect(bodies).toEqual([{ type: 'application/json', text: '{"é":1}' }]);
    expect(seen).toMatchObject([{ method: 'POST', address: 'http://models.test/v1', login: 'me:p@ss' }]);
  });

  test('sends a form, and takes an answer without a body', async () => {
    const { send, bodies } = await openProxied(204);
    const body = new FormData();
    body.set('purpose', 'batch');
    const answer = await send('http://models.test/files', { method: 'POST', redirect: 'error', body });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(bodies[0]?.type).toContain('multipart/form-data; boundary=');
    expect(bodies[0]?.text).toContain('name="purpose"');
  });

  test('a redirect is an error', async () => {
    const { send } = await openProxied(307, { location: 'http://elsewhere.test/' });
    const error = await send('http://models.test/v1', { redirect: 'error' }).catch((reason: unknown) => reason);
    expect((error as Error).cause).toEqual(new Error('unexpected redirect'));
  });

  test('a proxy that refuses is an error that does not name its password', async () => {
    const { send } = await openProxied(200, {}, 407);
    const error = await send('https://models.test/v1', { redirect: 'error' }).catch((reason: unknown) => reason);
    expect((error as Error).cause).toEqual(new Error('the proxy answered with status 407'));
    const sendToNobody = openFetch({ HTTPS_PROXY: 'http://me:password@127.0.0.1:9' });
    const refusal = await sendToNobody('https://models.test/v1', { redirect: 'error' }).catch(
      (reason: unknown) => reason,
    );
    expect((refusal as Error).cause).toEqual(new Error('the proxy cannot be reached (ECONNREFUSED)'));
  });

  test('a server that does not speak TLS is an error', async () => {
    const { send, seen } = await openProxied(200);
    const error = await send('https://models.test/v1', { redirect: 'error' }).catch((reason: unknown) => reason);
    expect((error as Error).message).toBe('fetch failed');
    expect(seen).toMatchObject([{ method: 'CONNECT', address: 'models.test:443', login: 'me:p@ss' }]);
  });

  test('a signal ends it', async () => {
    const port = await listening(createServer(() => {}));
    const proxy = await startProxy(port);
    const send = openFetch({ HTTP_PROXY: `http://127.0.0.1:${proxy.port}` });
    const signal = AbortSignal.timeout(100);
    const answer = send('http://models.test/v1', { redirect: 'error', signal });
    await expect(answer).rejects.toThrow();
    expect(signal.aborted).toBe(true);
  });
});
