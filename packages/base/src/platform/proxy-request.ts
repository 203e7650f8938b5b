import http, { type ClientRequest, type IncomingMessage, type RequestOptions as NodeOptions } from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { connect } from 'node:tls';

type RequestOptions = Pick<NodeOptions, 'method' | 'headers' | 'signal'> & {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** Sends a request through the proxy. Returns or throws what the built-in `fetch` would. */
export async function fetchThrough(proxy: URL, target: URL, init: RequestInit): Promise<Response> {
  // The built-in class turns every kind of body into bytes, and adds the header that describes the body.
  const request = new Request(target, init);
  const body = Buffer.from(await request.arrayBuffer());
  const signal = init.signal ?? undefined;
  const headers = {
    ...Object.fromEntries(request.headers),
    'accept-encoding': 'identity',
    ...(body.length === 0 ? {} : { 'content-length': String(body.length) }),
  };
  const options = { method: request.method, headers, ...(signal === undefined ? {} : { signal }) };
  const answer = await (target.protocol === 'https:'
    ? answerOf(await overTunnel(proxy, target, options), body)
    : answerOf(throughProxy(proxy, target, options), body));
  const status = answer.statusCode ?? 0;
  if (REDIRECTS.has(status) && init.redirect === 'error') {
    answer.destroy();
    throw proxyError('unexpected redirect');
  }
  const headerPairs = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const stream = NO_BODY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream);
  return new Response(stream, { status, headers: headerPairs });
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

function answerOf(request: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', (error) => reject(new TypeError('fetch failed', { cause: error })));
    request.end(body);
  });
}

/** Returns a request in plain text, which the proxy reads and sends on. */
function throughProxy(proxy: URL, target: URL, { headers, ...options }: RequestOptions): ClientRequest {
  const { request } = moduleOf(proxy);
  const proxyHeaders = { ...headers, host: target.host, ...credentialsOf(proxy) };
  return request(addressOf(proxy), { ...options, headers: proxyHeaders, path: target.href, agent: false });
}

/** Returns an encrypted request. The proxy only passes its bytes on. */
async function overTunnel(proxy: URL, target: URL, options: RequestOptions): Promise<ClientRequest> {
  const socket = await openTunnel(proxy, target, options.signal);
  const { hostname } = target;
  const servername = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { servername: hostname } : {};
  return https.request(target, {
    ...options,
    createConnection: () => connect({ socket, host: hostname, ...servername }),
  });
}

function openTunnel(proxy: URL, target: URL, signal: AbortSignal | undefined): Promise<Socket> {
  const { request } = moduleOf(proxy);
  const path = `${target.hostname}:${target.port || 443}`;
  const headers = { host: path, ...credentialsOf(proxy) };
  const tunnelRequest = request(addressOf(proxy), {
    method: 'CONNECT',
    path,
    headers,
    agent: false,
    ...(signal && { signal }),
  });
  return new Promise((resolve, reject) => {
    tunnelRequest.on('connect', ({ statusCode }, socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket as Socket);
      }
      socket.destroy();
      reject(proxyError(`the proxy answered with status ${statusCode}`));
    });
    tunnelRequest.on('error', (error: NodeJS.ErrnoException) => {
      reject(signal?.aborted ? error : proxyError(`the proxy cannot be reached (${error.code ?? error.message})`));
    });
    tunnelRequest.end();
  });
}

/** Returns an error like those of `fetch`. The text never contains the proxy's address, which may have a password. */
function proxyError(message: string): TypeError {
  return new TypeError('fetch failed', { cause: new Error(message) });
}

function moduleOf({ protocol }: URL): Pick<typeof http, 'request'> {
  return protocol === 'https:' ? https : http;
}

/** Returns the proxy's address without the user name and the password, which have a header of their own. */
function addressOf({ protocol, host }: URL): URL {
  return new URL(`${protocol}//${host}`);
}

function credentialsOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
