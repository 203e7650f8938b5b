import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ACTIVE } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { errorCode } from '@onceover/base/platform/files';
import { openBrowser } from '@onceover/base/platform/open-browser';
import type { Actor } from '@onceover/gates/findings/types';
import { liveTemplate } from './describe-page.ts';
import { readTemplate } from './page.ts';
import { openRoutes } from './routes.ts';

export type UiOptions = {
  /** The port to listen on; `null` for any free port. */
  readonly port: number | null;
  readonly by: Actor;
};

/** A running server that only this machine can reach. `address` contains the token that all requests need. */
export type UiServer = {
  readonly address: string;
  readonly port: number;
  /** Opens the live view in the user's browser. */
  open(): void;
  close(): Promise<void>;
};

const HOST = '127.0.0.1';
const LONGEST_BODY = 64 * 1024;

/** Starts the server of the live view. */
export async function startUi(repository: RepositoryPaths, { port, by }: UiOptions): Promise<Result<UiServer>> {
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'inside-a-run' });
  const template = readTemplate();
  if (!template.ok) return template;
  const token = randomBytes(24).toString('base64url');
  const codes = new Set<string>();
  let boundPort = 0;
  const routes = openRoutes({
    ...{ root: repository.root, token, by, page: liveTemplate(template.value) },
    port: () => boundPort,
    takeCode: (code) => codes.delete(code),
  });
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing, async (request) => routes.fetch(request)).catch(() => outgoing.destroy());
  });
  const listening = await new Promise<Result<number>>((resolve) => {
    server.once('error', (error) =>
      resolve(err({ kind: 'wrong-usage', said: describePort(port, error), command: 'ui' })),
    );
    server.listen(port ?? 0, HOST, () => {
      const address = server.address();
      resolve(ok(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
  if (!listening.ok) return listening;
  boundPort = listening.value;
  return ok({
    address: `http://${HOST}:${boundPort}/${token}/`,
    port: boundPort,
    open() {
      const code = randomBytes(24).toString('base64url');
      codes.add(code);
      openBrowser(`http://${HOST}:${boundPort}/open/${code}`);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

function describePort(port: number | null, error: Error): string {
  const why = errorCode(error) === 'EADDRINUSE' ? 'another program uses it' : errorCode(error);
  return `Port ${port ?? 0} cannot be opened: ${why}. Choose another one with --port.`;
}

type Answering = (request: Request) => Promise<Response>;

/** Passes a request of Node's HTTP server to a function that takes a web `Request`, and sends its answer. */
async function answer(incoming: IncomingMessage, outgoing: ServerResponse, answering: Answering): Promise<void> {
  const body = incoming.method === 'POST' ? await readBody(incoming) : null;
  if (body === undefined) {
    outgoing.writeHead(413).end();
    return;
  }
  const abortController = new AbortController();
  outgoing.on('close', () => abortController.abort());
  const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  // Keep the path exactly as the browser sent it. The host in this address does not matter, because the `Host` header
  // is checked elsewhere.
  const path = incoming.url?.startsWith('/') === true ? incoming.url : '/';
  const request = new Request(`http://${HOST}${path}`, {
    method: incoming.method ?? 'GET',
    headers: headers.filter(([name]) => name !== 'connection'),
    ...(body === null ? {} : { body }),
    signal: abortController.signal,
  });
  const response = await answering(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  if (reader === undefined) {
    outgoing.end();
    return;
  }
  outgoing.on('close', () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!outgoing.write(value)) await new Promise((resolve) => outgoing.once('drain', resolve).once('close', resolve));
  }
  outgoing.end();
}

/** Returns the body of a request; `undefined` if the body is too long. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    const bytes = Buffer.from(part as Uint8Array);
    size += bytes.length;
    if (size > LONGEST_BODY) return undefined;
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}
