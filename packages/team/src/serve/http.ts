import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { errorCode } from '@onceover/base/platform/files';

/** A request to the server. The body is complete and not parsed. */
export type ServerRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | null;
  readonly body: Buffer;
};

export type ServerReply = {
  readonly status: number;
  readonly type: 'text/html' | 'text/plain' | 'application/json' | 'text/plain; version=0.0.4';
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};

type Answering = {
  /** Returns the size limit of the request body for a path, in bytes. */
  longest(path: string): number;
  answer(request: ServerRequest): Promise<ServerReply>;
};

const REQUEST_MS = 30_000;

const MOST_CONNECTIONS = 1000;

export type HttpServer = { readonly port: number; close(): Promise<void> };

/** Starts the HTTP server. When it is closed, requests in progress are still answered. */
export async function listen(host: string, port: number, answering: Answering): Promise<Result<HttpServer>> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (incoming, outgoing) => {
    void handle(incoming, outgoing, answering).catch(() => outgoing.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  const error = await new Promise<Error | null>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => resolve(null));
  });
  if (error !== null)
    return err({
      kind: 'wrong-usage',
      said: `The server cannot listen on ${host}:${port} (${errorCode(error)}). Choose another address with "listen" in its settings.`,
      command: 'serve',
    });
  return ok({ port: (server.address() as AddressInfo).port, close: () => closeServer(server) });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 5000).unref();
  });
}

async function handle(incoming: IncomingMessage, outgoing: ServerResponse, answering: Answering): Promise<void> {
  const url = new URL(`http://server${incoming.url?.startsWith('/') === true ? incoming.url : '/'}`);
  const body = await readBody(incoming, answering.longest(url.pathname));
  const reply: ServerReply =
    body === null
      ? { status: 413, type: 'text/plain', body: 'The body is too large.\n' }
      : await answering.answer({
          ...{ method: incoming.method ?? 'GET', path: url.pathname, query: url.searchParams, body },
          header: (name) => {
            const value = incoming.headers[name];
            return typeof value === 'string' ? value : null;
          },
        });
  outgoing.writeHead(reply.status, {
    'content-type': reply.type === 'text/html' ? 'text/html; charset=utf-8' : reply.type,
    'content-length': Buffer.byteLength(reply.body),
    ...ALWAYS,
    ...reply.headers,
  });
  // Reply and let Node discard the rest of a body that is too large, at most until `requestTimeout`. If we closed the
  // connection at once, a client that is still sending would get a reset instead of the reply.
  outgoing.end(incoming.method === 'HEAD' ? '' : reply.body);
}

const ALWAYS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // The server checks the origin of forms. With 'no-referrer', browsers would not send the origin.
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** Returns the body of a request; `null` as soon as the body exceeds the limit. */
async function readBody(incoming: IncomingMessage, longest: number): Promise<Buffer | null> {
  if (Number(incoming.headers['content-length'] ?? 0) > longest) return null;
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    incoming.on('data', (part: Buffer) => {
      size += part.length;
      if (size <= longest) parts.push(part);
      else resolve(null);
    });
    incoming.on('end', () => resolve(Buffer.concat(parts)));
    incoming.on('error', reject);
    incoming.on('close', () => reject(new Error('the client left')));
  });
}
