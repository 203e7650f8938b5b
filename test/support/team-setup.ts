import { afterAll, beforeAll, expect } from 'vitest';
import { newDatabase } from './postgres.ts';

/** Lets every way to a false pass, and every test of whole runs, use a store for teams. */
const WITH_STORE = /no-false-pass|\.runs\.team\.test\.ts$/;

let drop = async () => {};

beforeAll(async () => {
  if (!WITH_STORE.test(expect.getState().testPath ?? '')) return;
  const database = await newDatabase();
  drop = database.drop;
  process.env['ONCEOVER_STORE'] = database.url;
});

afterAll(async () => {
  await drop();
});
