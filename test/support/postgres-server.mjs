import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const HOME = '/usr/lib/postgresql';

const WAIT_MS = 30_000;

export const postgresPrograms = newest();

export const hasPostgres =
  process.env.ONCEOVER_TEST_POSTGRES !== undefined || postgresPrograms !== null || process.env.CI === 'true';

function newest() {
  if (!existsSync(HOME)) return null;
  const versions = readdirSync(HOME).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(HOME, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb'))) ?? null;
}

export async function startPostgres() {
  if (postgresPrograms === null) throw new Error('There is no PostgreSQL. Install the Debian package "postgresql".');
  const folder = mkdtempSync(join(tmpdir(), 'onceover-postgres-'));
  const who = await owner();
  if (who !== null) chownSync(folder, who.uid, who.gid);
  const as = { ...(who ?? {}), cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } };
  const data = join(folder, 'data');
  await run(
    join(postgresPrograms, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    as,
  );
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '200',
    shared_buffers: '64MB',
    logging_collector: 'off',
  };
  let server = null;

  async function start() {
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(postgresPrograms, 'postgres'), ['-D', data, ...flags], {
      ...as,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (bytes) => {
      said = (said + bytes).slice(-4000);
    });
    server = child;
    const until = Date.now() + WAIT_MS;
    while (!(await isReady(as, port))) {
      if (child.exitCode !== null || Date.now() > until) throw new Error(`PostgreSQL did not start:\n${said}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  async function stop() {
    const child = server;
    server = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    // SIGQUIT is PostgreSQL's immediate shutdown.
    child.kill('SIGQUIT');
    await ended;
  }

  const atExit = () => {
    server?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', atExit);
  await start();
  return {
    url,
    port,
    start,
    stop,
    async remove() {
      await stop();
      process.off('exit', atExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL does not run as root. */
async function owner() {
  if (process.getuid?.() !== 0) return null;
  const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  const [uid, gid] = ids.map(({ stdout }) => Number(stdout));
  return { uid, gid };
}

async function isReady(as, port) {
  const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-q'];
  return run(join(postgresPrograms, 'pg_isready'), args, as).then(
    () => true,
    () => false,
  );
}

function freePort() {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
