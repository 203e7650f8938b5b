import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { hashFields, sha256 } from '@onceover/base/kernel/ids';
import type { Result } from '@onceover/base/kernel/result';
import { readJsonFile } from '@onceover/base/platform/private-files';
import { secretFile } from '@onceover/base/platform/secret-file';
import { connect, type Database } from './connect.ts';
import { decideTrust } from './decide-trust.ts';
import { userConfigPath } from './has-store.ts';
import { openRepositoryRow, readCloneFacts } from './identity.ts';
import { migrate } from './migrate.ts';
import { StoreError, storeError } from './store-error.ts';
import { readUserConfig, type StoreSettings } from './user-config.ts';

/** The store for teams, as one clone of a repository uses it. */
export type TeamStore = {
  readonly database: Database;
  /** The id of the repository's row. Every query is limited to this repository. */
  readonly repository: number;
  /** Identifies this clone. Passes of checks count only in the same clone, because checks depend on the machine. */
  readonly clone: string;
  /**
   * Returns a code for these fields that only this clone can compute; `null` if its secret cannot be read. The code
   * proves that an entry in the database was written by this clone and not by another program that copied `clone`.
   */
  seal(fields: readonly string[]): string | null;
  /** Identifies the user on this machine. Usage limits of agents apply to this user's logins. */
  readonly login: string;
  /** Whether passes, findings and waivers in the store count. If not, those in the files of this clone are used. */
  readonly isTrusted: boolean;
};

const LARGEST_EVENT = 8 * 1024 * 1024;

const stores = new Map<string, Promise<TeamStore>>();

const databases = new Map<string, Promise<Database>>();

/** Opens the store for the clone with this git folder, once per process. Throws a `StoreError` on failure. */
export function teamStore(commonDir: string): Promise<TeamStore> {
  return once(stores, commonDir, () => openTeamStore(commonDir, process.env));
}

async function openTeamStore(commonDir: string, env: NodeJS.ProcessEnv): Promise<TeamStore> {
  const { store: settings } = orThrow(readUserConfig(env));
  if (settings === null) throw storeError(userConfigPath(env), 'no-address', '');
  const database = await openDatabase(settings);
  const shallow = existsSync(join(commonDir, 'shallow'));
  const facts = orThrow(await readCloneFacts({ root: commonDir, shallow }));
  const { id } = orThrow(await openRepositoryRow(database, facts));
  return {
    database,
    repository: id,
    clone: sha256(JSON.stringify([hostname(), commonDir])),
    seal: (fields) => sealOf(commonDir, fields),
    login: sha256(JSON.stringify([hostname(), userInfo().uid])),
    isTrusted: isTrustedRun(settings, env),
  };
}

/** Whether results that other programs wrote to the store count in this run. */
export function isTrustedRun({ trust }: Pick<StoreSettings, 'trust'>, env: NodeJS.ProcessEnv): boolean {
  return decideTrust(trust, env, readJsonFile(env['GITHUB_EVENT_PATH'] ?? '', LARGEST_EVENT));
}

const SECRET = 'store-secret';

function sealOf(commonDir: string, fields: readonly string[]): string | null {
  const secret = secretFile(commonDir, SECRET);
  return secret.ok ? createHmac('sha256', secret.value).update(hashFields(fields)).digest('hex') : null;
}

/** Connects to the configured database and updates its schema, once per process. Throws a `StoreError` on failure. */
function openDatabase({ url, waitSeconds }: StoreSettings): Promise<Database> {
  return once(databases, url, async () => {
    const database = orThrow(await connect(url, { waitSeconds }));
    const migration = await migrate(database);
    if (!migration.ok) await database.close();
    orThrow(migration);
    return database;
  });
}

/**
 * Returns what an earlier call opened for this key, or opens it now. A failed attempt is not remembered, so that a
 * long-lived process can try again.
 */
function once<T>(cache: Map<string, Promise<T>>, key: string, open: () => Promise<T>): Promise<T> {
  const cachedPromise = cache.get(key);
  if (cachedPromise !== undefined) return cachedPromise;
  const opening = open();
  cache.set(key, opening);
  opening.catch(() => cache.delete(key));
  return opening;
}

function orThrow<T>(result: Result<T>): T {
  if (!result.ok) throw new StoreError(result.failure);
  return result.value;
}
