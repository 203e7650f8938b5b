import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A request that a proxy saw, with the bytes that the proxy passed on. */
export type Proxied = { readonly method: string; readonly address: string; readonly login: string; bytes: string };

/** Starts a server on 127.0.0.1 that ends with the test, and returns its port. */
export async function listening(server: Server): Promise<number> {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a proxy that sends everything to this port, whatever the host is. `refuses` is the status of all its answers. */
export async function startProxy(port: number, refuses: number | null = null) {
  const seen: Proxied[] = [];
  const see = ({ method = '', url = '', headers }: IncomingMessage): Proxied => {
    const login = Buffer.from(headers['proxy-authorization']?.split(' ')[1] ?? '', 'base64').toString('utf8');
    const proxied = { method, address: url, login, bytes: '' };
    seen.push(proxied);
    return proxied;
  };
  const server = createServer((asked, response) => {
    const proxied = see(asked);
    if (refuses !== null) return void response.writeHead(refuses).end();
    const { pathname } = new URL(proxied.address);
    const onward = request({ port, method: proxied.method, path: pathname, headers: asked.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    asked.on('data', (chunk: Buffer) => {
      proxied.bytes += chunk.toString('latin1');
    });
    asked.pipe(onward);
  });
  server.on('connect', (asked, client, head) => {
    const proxied = see(asked);
    client.on('error', () => {});
    if (refuses !== null) return void client.end(`HTTP/1.1 ${refuses} No\r\n\r\n`);
    const onward = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    onward.write(head);
    client.on('data', (chunk: Buffer) => {
      proxied.bytes += chunk.toString('latin1');
    });
    onward.on('error', () => client.destroy());
    client.pipe(onward).pipe(client);
  });
  return { seen, port: await listening(server) };
}
