import type { Result } from '@onceover/base/kernel/result';
import type { Database, Query } from './connect.ts';
import { MIGRATIONS, type Migration, SCHEMA } from './migrations.ts';
import { type StoreError, storeError, storeResult } from './store-error.ts';

/**
 * The number of a PostgreSQL advisory lock. A program holds this lock while it changes the schema, so that no other
 * program changes the schema at the same time.
 */
const LOCK_KEY = 4_732_081_905;

/**
 * Updates the database schema to the version of this program, in one transaction under an advisory lock. Returns the
 * versions that were applied; none if the schema was current. Fails if the schema is newer than this program.
 */
export function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Result<readonly number[]>> {
  return storeResult(applyAll(database, migrations));
}

async function applyAll(database: Database, migrations: readonly Migration[]): Promise<readonly number[]> {
  const newest = migrations.at(-1)?.version ?? 0;
  // Usually the schema is already current. Then skip the lock, and the user needs no permission to change the schema.
  const before = await schemaVersion(database.query);
  if (before > newest) throw newerSchema(database, before, newest);
  if (before === newest) return [];
  return database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    await query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await query(`CREATE TABLE IF NOT EXISTS ${SCHEMA}.migrations (
      version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
    const currentVersion = await schemaVersion(query);
    if (currentVersion > newest) throw newerSchema(database, currentVersion, newest);
    const missing = migrations.filter(({ version }) => version > currentVersion);
    for (const { version, name, sql } of missing) {
      await query(sql);
      await query(`INSERT INTO ${SCHEMA}.migrations (version, name) VALUES ($1, $2)`, [version, name]);
    }
    return missing.map(({ version }) => version);
  });
}

/** Returns the version of the database schema; 0 if no schema exists. */
async function schemaVersion(query: Query): Promise<number> {
  const [table] = await query<{ name: string | null }>(`SELECT to_regclass('${SCHEMA}.migrations')::text AS name`);
  if (typeof table?.name !== 'string') return 0;
  const [row] = await query<{ version: number | null }>(`SELECT max(version) AS version FROM ${SCHEMA}.migrations`);
  return row?.version ?? 0;
}

function newerSchema({ where }: Database, currentVersion: number, newestVersion: number): StoreError {
  return storeError(where, 'newer-schema', `version ${currentVersion}, and this program knows ${newestVersion}`);
}
