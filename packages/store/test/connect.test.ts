import { createServer, type Server } from 'node:net';
import { describeFailure } from '@onceover/base/ui/describe-failure';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../src/connect.ts';
import { shownStore } from '../src/store-address.ts';

test.each([
  ['postgres://kim:secret@db.example.com:5433/onceover?sslmode=require', 'postgres://db.example.com:5433/onceover'],
  ['postgresql://db.example.com/x', 'postgresql://db.example.com/x'],
  ['mysql://db.example.com/x', null],
  ['db.example.com', null],
  ['postgres://[', null],
])('the address %s is shown as %s', (address, display) => {
  expect(shownStore(address)).toBe(display);
});

test('a server that does not answer is waited for, then the failure has no password in it', async () => {
  const port = await closedPort();
  const start = Date.now();
  const connection = await connect(`postgres://kim:hunter2@127.0.0.1:${port}/x`, { waitSeconds: 1 });
  expect(Date.now() - start).toBeGreaterThan(500);
  expect(connection).toMatchObject({ ok: false, failure: { kind: 'store-failed', why: 'unreachable' } });
  if (connection.ok) return;
  const { what } = describeFailure(connection.failure);
  expect(what).toContain(`postgres://127.0.0.1:${port}/x`);
  expect(what).not.toContain('hunter2');
});

test('a server that speaks another protocol is a failure', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const port = await listen(server);
  const connection = await connect(`postgres://127.0.0.1:${port}/x`, { waitSeconds: 1 });
  expect(connection).toMatchObject({ ok: false, failure: { kind: 'store-failed' } });
});

test('an address of another kind is a failure', async () => {
  expect(await connect('mysql://127.0.0.1/x')).toMatchObject({ ok: false, failure: { why: 'bad-address' } });
});

function listen(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
