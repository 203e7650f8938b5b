// Measures the look-up of the receipts of 200 gates in a store for teams with 200,000 receipts, beside the files of a
// clone, and the first connection of a process.
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresPrograms, startPostgres } from '../test/support/postgres-server.mjs';
import { load } from './support/build.mjs';
import { median } from './support/measure.mjs';
import { notMeasured, report } from './support/rows.mjs';

const RECEIPTS = Number(process.env.TEAM_RECEIPTS ?? 200_000);
const REPOSITORIES = 40;
const GATES = 200;
const ROUNDS = Number(process.env.TEAM_ROUNDS ?? 25);
const FILES = 5000;

const what = `look-up of ${GATES} gates in ${RECEIPTS.toLocaleString('en')} receipts of ${REPOSITORIES} repositories`;
if (postgresPrograms === null) notMeasured({ id: 'look-up', what, why: 'PostgreSQL is not installed' });
else await measureStore();

async function measureStore() {
  const { connect } = await load('packages/store/src/connect.ts');
  const { migrate } = await load('packages/store/src/migrate.ts');
  const { openRepositoryRow } = await load('packages/store/src/identity.ts');
  const { postgresReceipts } = await load('packages/gates/src/run/record/postgres-receipts.ts');
  const { openReceiptFiles } = await load('packages/gates/src/run/record/receipt-files.ts');
  const server = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'onceover-bench-'));
  try {
    const database = orThrow(await connect(server.url));
    orThrow(await migrate(database));
    const rows = [];
    for (let n = 0; n < REPOSITORIES; n++) {
      const remote = `https://git.example.com/team/repository-${n}`;
      rows.push(orThrow(await openRepositoryRow(database, { remote, root: String(n).padStart(40, '0') })));
    }
    await fill(database, rows);
    const seal = (fields) => createHmac('sha256', 'secret').update(fields.join('\0')).digest('hex');
    const clone = { clone: 'here', login: 'me', isTrusted: true, seal };
    const store = postgresReceipts({ database, repository: rows[7].id, ...clone });
    const files = openReceiptFiles(folder, FILES * 2);
    for (let n = 0; n < FILES; n++) await files.write('review', receiptOf(n));
    for (let n = 0; n < GATES; n++) await store.write('review', receiptOf(n));
    await database.query('ANALYZE onceover.receipts');

    const [inStore, inFiles] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      inStore.push(await timeOf(() => findAll(store)));
      inFiles.push(await timeOf(() => findAll(files)));
    }
    report({
      ...{ id: 'look-up', what, figure: median(inStore), unit: 'ms' },
      beside: [{ what: `in ${FILES.toLocaleString('en')} files of a clone`, figure: median(inFiles) }],
    });

    const connecting = [];
    for (let round = 0; round < ROUNDS; round++) {
      connecting.push(
        await timeOf(async () => {
          const again = orThrow(await connect(server.url));
          orThrow(await migrate(again));
          await again.close();
        }),
      );
    }
    report({ id: 'connect', what: 'connection and check of the schema', figure: median(connecting), unit: 'ms' });

    const writes = await timeOf(async () => {
      for (let n = 0; n < GATES; n++) await store.write('review', receiptOf(RECEIPTS + n));
    });
    report({ id: 'write', what: 'writing a receipt', figure: writes / GATES, unit: 'ms' });
    const [size] = await database.query("SELECT pg_total_relation_size('onceover.receipts') AS bytes");
    report({ id: 'size', what: 'disk space of a receipt', figure: Number(size.bytes) / RECEIPTS, unit: 'bytes' });
    await database.close();
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds receipts of the usual size, spread over the repositories. */
async function fill(database, rows) {
  const document = JSON.stringify(receiptOf(0));
  for (const { id } of rows) {
    await database.query(
      `INSERT INTO onceover.receipts (repository, key, document)
       SELECT $1::bigint, encode(sha256(($1::bigint || ':' || n)::bytea), 'hex'), $2 FROM generate_series(1, $3::int) AS n`,
      [id, document, Math.round(RECEIPTS / REPOSITORIES)],
    );
  }
}

function receiptOf(n) {
  const digest = (text) => `${text}${n}`.padEnd(64, '0');
  return {
    ...{ gate: `review:packages/service-${n}:code-quality`, slot: 1, content: digest('c'), scope: 'full' },
    ...{ promptDigest: digest('p'), verdict: 'pass', findings: [], agent: 'claude', iteration: 1 },
    at: '2026-03-01T12:00:00.000Z',
  };
}

async function findAll(store) {
  const found = await Promise.all(
    Array.from({ length: GATES }, (_, n) => {
      const { gate, slot, content, scope, promptDigest } = receiptOf(n);
      return store.find('review', { gate, slot, content, scope, promptDigest });
    }),
  );
  if (found.some((receipt) => receipt?.verdict !== 'pass')) throw new Error('a receipt was not found');
}

async function timeOf(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function orThrow(result) {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
