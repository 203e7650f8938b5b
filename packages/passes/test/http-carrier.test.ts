import type { RequestListener } from 'node:http';
import { okValue, storedSample } from '@onceover/testing/pass-clones.ts';
import { end, startPassStore, startServer } from '@onceover/testing/pass-store.ts';
import { describe, expect, test } from 'vitest';
import { openHttpCarrier } from '../src/http-carrier.ts';

const [one, two] = [storedSample('one'), storedSample('two')];
const body = ({ file }: typeof one) =>
  JSON.stringify({ statement: Buffer.from(file.statement).toString('base64'), signature: file.signature });

describe('the address of a store', () => {
  test.each([
    'https://store.example/passes',
    'https://store.example:8443/a/b/',
    'http://127.0.0.1:8080',
    'http://localhost/x',
    'http://[::1]:80/',
  ])('%s is usable', (address) => {
    expect(openHttpCarrier(address, { token: 'x' }).ok).toBe(true);
  });

  test.each([
    ['plain HTTP to another machine', 'http://store.example/passes'],
    ['a host that looks like loopback', 'http://127.0.0.1.example/'],
    ['another host that looks like loopback', 'http://localhost.example/'],
    ['a password', 'https://me:secret@store.example/'],
    ['a user', 'https://me@store.example/'],
    ['a query', 'https://store.example/?key=1'],
    ['a fragment', 'https://store.example/#x'],
    ['another protocol', 'file:///etc/passwd'],
    ['a line break', 'https://store.example/\nx'],
    ['no address', ''],
    ['an unclosed bracket', 'https://[::1/'],
  ])('%s is refused', (_, address) => {
    const result = openHttpCarrier(address, { token: 'x' });
    expect(result).toMatchObject({ ok: false, failure: { kind: 'passes-carrier', why: 'bad-address' } });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  test('a token with a line break is refused', () => {
    expect(openHttpCarrier('https://store.example', { token: 'a\r\nX-Evil: 1' }).ok).toBe(false);
  });
});

describe('a store', () => {
  const open = (address: string, limitMs = 5000) => okValue(openHttpCarrier(address, { token: 'secret', limitMs }));

  test('gets the token and is asked to replace nothing', async () => {
    const { address, requests } = await startPassStore('secret');
    okValue(await open(`${address}/`).push([one], null));
    expect(requests.map((line) => line.replace(/\/ac\/[0-9a-f]{64}/, '/ac/ID'))).toEqual([
      'GET /ac/ID Bearer secret -',
      'PUT /ac/ID Bearer secret *',
    ]);
  });

  test('that requires another token refuses', async () => {
    const { address } = await startPassStore('other');
    const failure = { kind: 'passes-carrier', why: 'refused' };
    expect(await open(address).find([one.key])).toMatchObject({ ok: false, failure });
    expect(await open(address).push([one], null)).toMatchObject({ ok: false, failure });
  });

  test('with more statements for a key than it has numbers keeps the first ones', async () => {
    const { address } = await startPassStore('secret');
    const many = Array.from({ length: 18 }, (_, n) => ({ key: one.key, file: storedSample(`${n}`).file }));
    for (const file of many) okValue(await open(address).push([file], null));
    expect(okValue(await open(address).find([one.key])).get(one.key)).toEqual(
      many.slice(0, 16).map(({ file }) => file),
    );
  });

  test('asks a store for nothing without keys', async () => {
    const { address, requests } = await startPassStore('secret');
    expect(okValue(await open(address).find([]))).toEqual(new Map());
    expect(requests).toEqual([]);
  });

  const huge: RequestListener = (_, response) => {
    response.writeHead(200);
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 97)));
      response.once('drain', write);
    };
    write();
  };

  test.each<[what: string, answer: RequestListener, finds: 'nothing' | string]>([
    ['HTML', (_, response) => end(response, 200, '<html>Sign in</html>'), 'nothing'],
    ['an empty answer', (_, response) => end(response, 200), 'nothing'],
    ['JSON of another kind', (_, response) => end(response, 200, '[{"statement":1,"signature":null}]'), 'nothing'],
    ['bytes that are not UTF-8', (_, response) => end(response, 200, Buffer.from([0xff, 0xfe])), 'nothing'],
    ['an endless answer', huge, 'nothing'],
    [
      'a statement over the size limit',
      (_, response) => end(response, 200, JSON.stringify({ statement: 'A'.repeat(90_000), signature: 'x' })),
      'nothing',
    ],
    ['deep JSON', (_, response) => end(response, 200, '['.repeat(100_000)), 'nothing'],
    ['status 500', (_, response) => end(response, 500, 'oops'), 'unreachable'],
    ['status 204', (_, response) => end(response, 204), 'unreachable'],
    ['status 403', (_, response) => end(response, 403), 'refused'],
    [
      'a redirect',
      (_, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/steal' });
        response.end();
      },
      'unreachable',
    ],
    ['a closed connection', (request) => request.socket.destroy(), 'unreachable'],
    [
      'an answer that is cut off',
      (request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"statement":');
        setTimeout(() => request.socket.destroy(), 20);
      },
      'unreachable',
    ],
    ['bytes that are not HTTP', (request) => request.socket.end('SSH-2.0-x\r\n'), 'unreachable'],
    ['no answer', () => {}, 'timeout'],
    [
      'an answer that never ends, byte by byte',
      (_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
      'timeout',
    ],
  ])('that answers with %s gives no statement', async (_, answer, finds) => {
    const { address } = await startServer(answer);
    const carrier = open(address, finds === 'timeout' ? 200 : 5000);
    const result = await carrier.find([one.key, two.key]);
    if (finds === 'nothing') expect(okValue(result)).toEqual(new Map());
    else expect(result).toMatchObject({ ok: false, failure: { kind: 'passes-carrier', why: finds } });
  });

  test("that answers with other people's statements returns them once, for the caller to verify", async () => {
    const { address } = await startServer((_, response) => end(response, 200, body(two)));
    expect(okValue(await open(address).find([one.key]))).toEqual(new Map([[one.key, [two.file]]]));
  });

  test('that claims to have stored a file but does not is not believed by a reader', async () => {
    const { address } = await startServer((request, response) => end(response, request.method === 'PUT' ? 201 : 404));
    expect(okValue(await open(address).push([one], null))).toEqual({ added: 1 });
    expect(okValue(await open(address).find([one.key]))).toEqual(new Map());
  });

  test('that says that a file exists but does not have it gets no more than one request per number', async () => {
    const { address, requests } = await startServer((request, response) =>
      end(response, request.method === 'PUT' ? 412 : 404),
    );
    expect(okValue(await open(address).push([one], null))).toEqual({ added: 0 });
    expect(requests.length).toBeLessThanOrEqual(16 * 3);
  });

  test('that does not run is unreachable', async () => {
    expect(await open('http://127.0.0.1:1').find([one.key])).toMatchObject({
      ok: false,
      failure: { kind: 'passes-carrier', why: 'unreachable', said: 'ECONNREFUSED' },
    });
  });

  test('is no longer called after an abort', async () => {
    const { address } = await startServer(() => {});
    const stop = new AbortController();
    const search = open(address).find([one.key], stop.signal);
    const push = open(address).push([one], stop.signal);
    setTimeout(() => stop.abort(), 50);
    const failure = { kind: 'passes-carrier', why: 'stopped' };
    expect(await search).toMatchObject({ ok: false, failure });
    expect(await push).toMatchObject({ ok: false, failure });
    expect(await open(address).fetch(stop.signal)).toMatchObject({ ok: false, failure });
  });
});
