import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An HTTP server on 127.0.0.1 that ends with the test. */
export type TestServer = {
  readonly address: string;
  /** One line per request: method, path and the headers that matter. */
  readonly requests: string[];
};

/** Starts a server. */
export async function startServer(answer: RequestListener): Promise<TestServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { authorization = '-', 'if-none-match': match = '-' } = request.headers;
    requests.push(`${request.method} ${request.url} ${authorization} ${match}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Starts a store as docs/sharing-passes.md describes it: write-once, with a bearer token. */
export function startPassStore(token: string): Promise<TestServer> {
  const stored = new Map<string, Buffer>();
  return startServer(async (request, response) => {
    const path = request.url ?? '';
    if (request.headers.authorization !== `Bearer ${token}`) return end(response, 401);
    if (!/^\/ac\/[0-9a-f]{64}$/.test(path)) return end(response, 400);
    const found = stored.get(path);
    if (request.method === 'GET') return found === undefined ? end(response, 404) : end(response, 200, found);
    const body = await bodyOf(request);
    if (stored.has(path)) return end(response, 412);
    stored.set(path, body);
    end(response, 201);
  });
}

/** Ends an answer. */
export function end(response: ServerResponse, status: number, body: string | Buffer = ''): void {
  response.writeHead(status);
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
