// Measures the queue of a team: calls a second with instant reviewers beside bare pg-boss, the time from adding a call
// to its start, connections, and the size of rows. Then it computes a day of 1,000 repositories with these figures.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { PgBoss } from 'pg-boss';
import { postgresPrograms, startPostgres } from '../test/support/postgres-server.mjs';
import { buildAll, load } from './support/build.mjs';
import { CLI, median } from './support/measure.mjs';
import { notMeasured, report } from './support/rows.mjs';
import { placesFor } from './support/team-day.mjs';

const JOBS = Number(process.env.TEAM_JOBS ?? 600);
const WORKERS = (process.env.TEAM_WORKERS ?? '1,4,16').split(',').map(Number);
const ROUNDS = Number(process.env.TEAM_ROUNDS ?? 3);
const STARTS = Number(process.env.TEAM_STARTS ?? 120);

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TEAM_CODE = /\/packages\/(?:(?:store|team)\/src\/(?!has-store)|agents\/src\/remote\/|[\w/-]*postgres-)/;
const PROMPT_BYTES = 24_000;
const DAY = { pullRequests: 10_000, reviews: 3, median: 120 };
const REPOSITORIES = 1000;
/** `max_connections` of a new PostgreSQL. */
const USUAL_CONNECTIONS = 100;

const OFFER = { agent: 'instant', made: 'bench', version: '1', usualModel: null, account: 'bench' };
// Code of this repository compresses like a prompt.
const CODE = ['-C', ROOT, 'grep', '-h', '', '--', 'packages/gates/src/run'];
const PROMPT = execFileSync('git', CODE, { encoding: 'utf8', maxBuffer: 1e9 }).slice(0, PROMPT_BYTES);
const DIGEST = 'a'.repeat(40);
const ANSWER = {
  ...{ ok: true, model: null, durationMs: 1 },
  reply: {
    text: '{"status":"pass","violations":[]}',
    sessionId: null,
    usage: null,
    sessionUsage: null,
    filesRead: null,
  },
};

// Each loaded part removes its folder at the end.
process.setMaxListeners(20);

await measureSize();
if (postgresPrograms === null)
  notMeasured({ id: 'calls', what: 'the queue of a team', why: 'PostgreSQL is not installed' });
else await measureTeam();

/** Measures the part of the package that only teams with a store load. */
async function measureSize() {
  const [team, all] = [[], []];
  const plugin = {
    name: 'sizes',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        for (const [id, { code }] of Object.entries(chunk.modules ?? {})) {
          all.push(code ?? '');
          if (TEAM_CODE.test(id)) team.push(code ?? '');
        }
      }
    },
  };
  await buildAll('packages/onceover/src/cli/main.ts', [plugin]);
  const kB = (parts) => Buffer.byteLength(parts.join('')) / 1000;
  const packed = (parts) => gzipSync(parts.join('')).length / 1000;
  report({
    ...{ id: 'size', what: 'built code that only teams with a store load, before it is minified', unit: 'kB' },
    figure: kB(team),
    beside: [{ what: 'all built code', figure: kB(all) }],
  });
  report({
    ...{
      id: 'size-packed',
      what: 'the same code compressed: the package grows by less, because it is minified',
      unit: 'kB',
    },
    figure: packed(team),
    beside: [{ what: 'all built code', figure: packed(all) }],
  });
}

async function measureTeam() {
  const parts = {};
  for (const name of ['connect', 'migrate', 'identity', 'boss'])
    Object.assign(parts, await load(`packages/store/src/${name}.ts`));
  for (const name of ['calls', 'decide-call', 'pack-trees', 'remote-reviewers'])
    Object.assign(parts, await load(`packages/agents/src/remote/${name}.ts`));
  Object.assign(parts, await load('packages/team/src/worker/take-calls.ts'));
  Object.assign(parts, await load('packages/repo/src/git/locate.ts'));
  const server = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
  try {
    const database = orThrow(await parts.connect(server.url, { connections: 8 }));
    orThrow(await parts.migrate(database));
    const facts = { remote: 'https://git.example.com/team/shop', root: '0'.repeat(40) };
    const { id: repository } = orThrow(await parts.openRepositoryRow(database, facts));
    const boss = orThrow(await parts.openWorkerBoss(server.url, database, { heartbeatSeconds: 60 }));
    await parts.addQueues(boss, [parts.queueName(OFFER)], { heartbeatSeconds: 60 });
    for (const workers of WORKERS) await measureCalls(parts, { server, database, boss, repository, workers });
    const connections = await measureStarts(parts, { server, database, folder });
    await measureDay(parts, { database, connections });
    await boss.stop({ graceful: false });
    await database.close();
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures calls a second through the queue in turns with jobs a second through pg-boss alone. */
async function measureCalls(parts, { server, database, boss, repository, workers }) {
  const opened = await Promise.all(
    Array.from({ length: workers }, async (_, n) => {
      const own = orThrow(await parts.connect(server.url, { connections: 1 }));
      const ownBoss = orThrow(await parts.openClientBoss(own));
      return {
        own,
        ownBoss,
        taken: parts.openTakenCalls(own, ownBoss, `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`, 60),
      };
    }),
  );
  const bare = await Promise.all(Array.from({ length: workers }, () => openBare(server.url)));
  const [ours, theirs] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const client = parts.openCalls(database, boss, repository);
    await atOnce(8, JOBS, (n) =>
      client.add({ key: `${workers} ${round} ${n}`, request: requestOf(n), urgency: 'ci', accepts: () => true }),
    );
    const done = await perSecond(opened, async ({ taken }) => {
      const next = await taken.take(OFFER);
      if (next.kind === 'taken') await taken.end(next.call, ANSWER);
      return next.kind === 'taken';
    });
    ours.push(done);
    await bare[0].insert(
      'bare',
      Array.from({ length: JOBS }, (_, n) => ({ data: { call: String(n) } })),
    );
    theirs.push(
      await perSecond(bare, async (one) => {
        const [job] = await one.fetch('bare', { batchSize: 1 });
        if (job !== undefined) await one.complete('bare', job.id);
        return job !== undefined;
      }),
    );
  }
  for (const { own, ownBoss } of opened) {
    await ownBoss.stop({ graceful: false });
    await own.close();
  }
  for (const one of bare) await one.stop({ graceful: false });
  report({
    id: `calls-${workers}`,
    what: `calls through the queue, with answer and limits, ${workers} ${workers === 1 ? 'worker' : 'workers'} whose reviewers answer at once`,
    figure: median(ours),
    unit: 'calls/s',
    beside: [{ what: 'jobs of pg-boss alone', figure: median(theirs) }],
  });
}

async function openBare(connectionString) {
  const boss = new PgBoss({ connectionString, schema: 'bare', max: 1, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue('bare');
  return boss;
}

/** Lets all workers take until there is nothing left. Returns how many they took per second. */
async function perSecond(workers, takeOne) {
  const start = performance.now();
  let count = 0;
  await Promise.all(
    workers.map(async (worker) => {
      while (await takeOne(worker)) count++;
    }),
  );
  if (count !== JOBS) throw new Error(`${count} of ${JOBS} calls were taken`);
  return (count * 1000) / (performance.now() - start);
}

async function atOnce(most, count, work) {
  let next = 0;
  await Promise.all(
    Array.from({ length: most }, async () => {
      while (next < count) await work(next++);
    }),
  );
}

function requestOf(n) {
  return {
    ...{ agent: OFFER.agent, made: OFFER.made, model: null, sandbox: false, mostRetries: null },
    ...{ stable: PROMPT, dynamic: `Change ${n}.`, schema: { type: 'object' }, cacheTtl: '5m' },
    ...{ timeoutSeconds: 600, idleSeconds: 600, tree: DIGEST, baseTree: DIGEST },
  };
}

/** Measures the time from adding a call to its start on an idle worker. Returns the connections of a worker and a client. */
async function measureStarts(parts, { server, database, folder }) {
  const repo = join(folder, 'repo');
  mkdirSync(repo);
  const who = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'];
  const git = (...args) => execFileSync('git', ['-C', repo, ...who, ...args], { encoding: 'utf8' }).trim();
  const answer = '{"status":"pass","violations":[]}';
  const command = ['sh', '-c', `asked=$(cat); case "$asked" in *slowly*) sleep 8;; esac; echo '${answer}'`];
  const agent = `agents: [quick]\nagent:\n  quick: { command: ${JSON.stringify(command)} }\n`;
  const reviews = [1, 2, 3].map((n) => `      r${n}: { prompt: r${n}.md }\n`).join('');
  writeFileSync(join(repo, 'onceover.yml'), `${agent}gates:\n  - path: .\n    reviews:\n${reviews}`);
  for (const n of [1, 2, 3]) writeFileSync(join(repo, `r${n}.md`), `Review ${n} slowly.\n`);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  git('checkout', '--quiet', '-b', 'work');
  writeFileSync(join(repo, 'a.js'), 'export const a = 1;\n');
  const envOf = (name) => ({
    PATH: process.env.PATH,
    HOME: folder,
    ONCEOVER_STORE: `${server.url}?application_name=${name}`,
  });
  const flags = ['--agents', 'quick', '--settings', repo, '--folder', join(folder, 'worker')];
  const worker = spawn(process.execPath, [CLI, 'worker', ...flags], {
    env: envOf('bench-worker'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const counted = countConnections(database);
  try {
    await new Promise((done) => worker.stdout.once('data', done));
    worker.stdout.resume();
    const run = spawn(process.execPath, [CLI, 'run', '--remote'], {
      ...{ cwd: repo, env: envOf('bench-client') },
      stdio: 'ignore',
    });
    const code = await new Promise((done) => run.once('exit', done));
    if (code !== 0) throw new Error(`the run ended with exit code ${code}`);

    const place = orThrow(await parts.repositoryAt(repo));
    const settings = { model: null, command, path: null, resume: false, env: {}, sandbox: false, timeoutSeconds: null };
    const use = { store: { url: server.url, trust: 'always', waitSeconds: 20 }, urgency: 'ci' };
    const client = await parts.openRemoteAt(place, { agent: { quick: settings }, agents: null }, use);
    const reviewers = await client.reviewers();
    const tree = git('rev-parse', 'HEAD^{tree}');
    const question = {
      ...{ stable: 'You review a change.', schema: { type: 'object' }, sessionId: null, usedBefore: null },
      ...{ cacheTtl: '5m', timeoutSeconds: 60, idleSeconds: 60 },
    };
    for (let n = 0; n < STARTS; n++) {
      const subject = { tree, baseTree: tree, asker: 'bench', mayShare: true, accepts: () => true };
      const options = { stop: null, watch() {}, subject };
      const end = await reviewers.ask('quick', { ...question, dynamic: `Change ${n}.` }, options);
      if (!end.ok) throw new Error('a call failed');
    }
    await client.close();
    const [row] = await database.query(
      `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99
       FROM (SELECT 1000 * extract(epoch FROM started_at - created_at)::float8 AS ms FROM onceover.calls
             WHERE agent = 'quick') AS t`,
    );
    const what = 'from adding a call to its start on an idle worker';
    report({ id: 'start-p50', what: `${what}, median of ${STARTS}`, figure: row.p50, unit: 'ms' });
    report({ id: 'start-p99', what: `${what}, 99 of 100 calls`, figure: row.p99, unit: 'ms' });
    return counted();
  } finally {
    const ended = new Promise((done) => worker.once('exit', done));
    worker.kill('SIGTERM');
    await ended;
  }
}

/**
 * Counts the connections of a worker and of a run. The returned function ends the counting, and gives the most of the
 * worker and the usual number of the run, which waits most of the time.
 */
function countConnections({ query }) {
  const counts = { worker: [], client: [] };
  let isEnded = false;
  const counting = async () => {
    if (isEnded) return;
    const rows = await query(
      "SELECT substr(application_name, 7) AS name, count(*)::int AS n FROM pg_stat_activity WHERE application_name LIKE 'bench-%' GROUP BY 1",
    );
    for (const { name, n } of rows) counts[name].push(n);
    setTimeout(counting, 100).unref();
  };
  void counting();
  return () => {
    isEnded = true;
    return { worker: Math.max(...counts.worker), client: median(counts.client) };
  };
}

/** Computes which limit a day of a large team reaches first, from the figures above and the size of rows. */
async function measureDay(parts, { database, connections }) {
  const [size] = await database.query(
    `SELECT pg_total_relation_size('onceover.calls') / (SELECT count(*) FROM onceover.calls) AS bytes`,
  );
  const head = execFileSync('git', ['-C', ROOT, 'rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' }).trim();
  const pack = orThrow(await parts.packTree(ROOT, head, null)).length;
  const { places, day } = placesFor(60, DAY);
  const what = `a day of ${REPOSITORIES.toLocaleString('en')} repositories, ${DAY.pullRequests.toLocaleString('en')} pull requests and ${DAY.reviews} reviews each`;
  report({
    id: 'day-places',
    what: `${what}: calls at once, so that 99 of 100 start within a minute`,
    figure: places,
    unit: 'calls',
  });
  report({
    id: 'day-starts',
    what: `${what}: most calls that start in a minute`,
    figure: day.startsPerMinute,
    unit: 'calls',
  });
  report({
    id: 'day-connections',
    what: `${what}: connections at the peak, ${connections.client} per run and ${connections.worker} per worker with 64 calls at once`,
    figure: day.runsAtOnce * connections.client + Math.ceil(places / 64) * connections.worker,
    unit: 'connections',
    beside: [{ what: 'limit of a new PostgreSQL', figure: USUAL_CONNECTIONS }],
  });
  report({
    id: 'day-calls',
    what: `${what}: growth of the table of calls, prompts of ${PROMPT_BYTES / 1000} kB`,
    figure: (Number(size.bytes) * DAY.pullRequests * DAY.reviews) / 1e9,
    unit: 'GB',
  });
  report({
    id: 'day-snapshots',
    what: `${what}: growth of the snapshots, if each pull request has another base and a repository like this one`,
    figure: (pack * DAY.pullRequests) / 1e9,
    unit: 'GB',
  });
}

function orThrow(result) {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
