import { err, ok, type Result } from '@onceover/base/kernel/result';
import { decodeUtf8, readPlainFile } from '@onceover/base/platform/private-files';
import { STORE_VARIABLE } from '@onceover/base/platform/store-variable';
import { checkShape, readYaml } from '@onceover/repo/config/yaml';
import * as z from 'zod';
import { STORE_TRUST, type StoreTrust } from './decide-trust.ts';
import { userConfigPath } from './has-store.ts';
import { shownStore } from './store-address.ts';
import { storeError } from './store-error.ts';

const LARGEST_BYTES = 64 * 1024;

const STORE = z.strictObject({
  url: z.string().min(1).optional(),
  trust: z.enum(STORE_TRUST).optional(),
  wait_seconds: z.number().int().min(0).max(600).optional(),
  keep_calls_days: z.number().int().min(1).max(3650).optional(),
  // The job queue keeps a waiting agent call for a day, so its uploaded files must stay at least as long.
  keep_snapshot_hours: z.number().int().min(24).max(8760).optional(),
});

const USER_CONFIG = z.strictObject({
  store: z.union([z.string().min(1), STORE]).optional(),
  runs: z.enum(['local', 'remote']).optional(),
});

type FileConfig = z.output<typeof USER_CONFIG>;

/** The settings in the user's own config file. They are never read from the repository under review. */
export type UserConfig = {
  /** The settings of the store for teams; `null` if onceover keeps its data in files in the git folder. */
  readonly store: StoreSettings | null;
  /**
   * The place where reviewers run if neither `--remote` nor `--no-remote` is given. Without a store this is always
   * `local`.
   */
  readonly runs: 'local' | 'remote';
};

export type StoreSettings = {
  readonly url: string;
  /**
   * In which runs unsigned results from the store count. `own-branches` means all runs except pull requests from forks.
   */
  readonly trust: StoreTrust;
  /** How many seconds to wait for a database that does not answer. */
  readonly waitSeconds: number;
  /** How long workers keep ended agent calls and unused snapshots; `DEFAULT_KEEP` if not set. */
  readonly keep?: StoreKeep;
};

export type StoreKeep = { readonly callsDays: number; readonly snapshotHours: number };

export const DEFAULT_KEEP: StoreKeep = { callsDays: 7, snapshotHours: 24 };

/**
 * Reads the user's config file. If `ONCEOVER_STORE` is set, it replaces the store address in the file; an empty value
 * turns the store off.
 */
export function readUserConfig(env: NodeJS.ProcessEnv): Result<UserConfig> {
  const path = userConfigPath(env);
  const file = readPlainFile(path, LARGEST_BYTES);
  if (!file.ok && file.code !== 'ENOENT' && file.code !== 'ENOTDIR')
    return err({ kind: 'disk', action: 'read', path, code: file.code });
  const config = file.ok ? parseUserConfig(path, file.bytes, file.cut) : ok<FileConfig>({});
  if (!config.ok) return config;
  const { store, runs = 'local' } = config.value;
  const storeConfig = typeof store === 'string' ? { url: store } : (store ?? {});
  const url = env[STORE_VARIABLE] ?? storeConfig.url ?? '';
  if (url === '') return ok({ store: null, runs: 'local' });
  if (shownStore(url) === null) {
    const from = env[STORE_VARIABLE] === undefined ? path : STORE_VARIABLE;
    return err(storeError(from, 'bad-address', '').failure);
  }
  const keep = {
    callsDays: storeConfig.keep_calls_days ?? DEFAULT_KEEP.callsDays,
    snapshotHours: storeConfig.keep_snapshot_hours ?? DEFAULT_KEEP.snapshotHours,
  };
  return ok({
    store: { url, trust: storeConfig.trust ?? 'own-branches', waitSeconds: storeConfig.wait_seconds ?? 20, keep },
    runs,
  });
}

function parseUserConfig(path: string, bytes: Buffer, isCut: boolean): Result<FileConfig> {
  const text = isCut ? null : (decodeUtf8(bytes)?.text ?? null);
  const unusable = (why: 'too-large' | 'not-utf8') => ({
    line: 1,
    column: 1,
    what: { kind: 'unusable-file', path, why } as const,
  });
  if (text === null)
    return err({ kind: 'broken-config', problems: [{ file: path, ...unusable(isCut ? 'too-large' : 'not-utf8') }] });
  if (text.trim() === '') return ok({});
  const yaml = readYaml(text);
  const result = yaml.ok ? checkShape(USER_CONFIG, yaml.value ?? {}, yaml.yaml) : yaml;
  if (result.ok) return ok(result.value);
  return err({ kind: 'broken-config', problems: result.problems.map((problem) => ({ file: path, ...problem })) });
}
