import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { newDatabase, sqlAt } from './postgres.ts';

/** Lets every way to a false pass, and every test of whole runs, use a store for teams. */
const WITH_STORE = /no-false-pass|\.runs\.team\.test\.ts$/;

let drop = async () => {};
let isWithStore = false;

beforeAll(async () => {
  isWithStore = WITH_STORE.test(expect.getState().testPath ?? '');
  if (!isWithStore) return;
  const database = await newDatabase();
  drop = database.drop;
  process.env['ONCEOVER_STORE'] = database.url;
});

// Usage limits of agents hold in all repositories of a login, so a test must not leave one to the next.
afterEach(async () => {
  const url = process.env['ONCEOVER_STORE'];
  if (!isWithStore || url === undefined) return;
  const sql = sqlAt(url);
  const [table] = await sql(`SELECT to_regclass('onceover.cooldowns')::text AS name`);
  if (table?.['name'] != null) await sql('DELETE FROM onceover.cooldowns');
});

afterAll(async () => {
  await drop();
});
