import * as z from 'zod';
import { checkShape, readYaml } from '../config/yaml.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { decodeUtf8, readPlainFile } from '../platform/private-files.ts';
import { shownStore } from './connect.ts';
import { STORE_TRUST, type StoreTrust } from './decide-trust.ts';
import { STORE_VARIABLE, userConfigPath } from './has-store.ts';
import { storeError } from './store-error.ts';

const LARGEST_BYTES = 64 * 1024;

const STORE = z.strictObject({
  url: z.string().min(1).optional(),
  trust: z.enum(STORE_TRUST).optional(),
  wait_seconds: z.number().int().min(0).max(600).optional(),
  keep_calls_days: z.number().int().min(1).max(3650).optional(),
  // The queue keeps a call that waits for a day, so its files must stay at least as long.
  keep_snapshot_hours: z.number().int().min(24).max(8760).optional(),
});

const USER_CONFIG = z.strictObject({
  store: z.union([z.string().min(1), STORE]).optional(),
  runs: z.enum(['local', 'remote']).optional(),
});

type FileConfig = z.output<typeof USER_CONFIG>;

/** The settings of the user's own config file. They are never read from the repository under review. */
export type UserConfig = {
  /** The store for teams; `null` if the files in the git folder are the store. */
  readonly store: StoreSettings | null;
  /** The place of reviewers if neither `--remote` nor `--no-remote` is given. Always `local` without a store. */
  readonly runs: 'local' | 'remote';
};

export type StoreSettings = {
  readonly url: string;
  /** The places in which unsigned receipts count. `own-branches`: all but pull requests from forks. */
  readonly trust: StoreTrust;
  /** How long to wait for a database that does not answer. */
  readonly waitSeconds: number;
  /** How long workers keep ended calls and unused snapshots; `DEFAULT_KEEP` if it is missing. */
  readonly keep?: StoreKeep;
};

export type StoreKeep = { readonly callsDays: number; readonly snapshotHours: number };

export const DEFAULT_KEEP: StoreKeep = { callsDays: 7, snapshotHours: 24 };

/** Reads the user's config file. `ONCEOVER_STORE` comes before the address in the file; an empty one turns it off. */
export function readUserConfig(env: NodeJS.ProcessEnv): Result<UserConfig> {
  const path = userConfigPath(env);
  const file = readPlainFile(path, LARGEST_BYTES);
  if (!file.ok && file.code !== 'ENOENT' && file.code !== 'ENOTDIR')
    return err({ kind: 'disk', action: 'read', path, code: file.code });
  const parsed = file.ok ? parseUserConfig(path, file.bytes, file.cut) : ok<FileConfig>({});
  if (!parsed.ok) return parsed;
  const { store, runs = 'local' } = parsed.value;
  const own = typeof store === 'string' ? { url: store } : (store ?? {});
  const url = env[STORE_VARIABLE] ?? own.url ?? '';
  if (url === '') return ok({ store: null, runs: 'local' });
  if (shownStore(url) === null) {
    const from = env[STORE_VARIABLE] === undefined ? path : STORE_VARIABLE;
    return err(storeError(from, 'bad-address', '').failure);
  }
  const keep = {
    callsDays: own.keep_calls_days ?? DEFAULT_KEEP.callsDays,
    snapshotHours: own.keep_snapshot_hours ?? DEFAULT_KEEP.snapshotHours,
  };
  return ok({ store: { url, trust: own.trust ?? 'own-branches', waitSeconds: own.wait_seconds ?? 20, keep }, runs });
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
  const checked = yaml.ok ? checkShape(USER_CONFIG, yaml.value ?? {}, yaml.yaml) : yaml;
  if (checked.ok) return ok(checked.value);
  return err({ kind: 'broken-config', problems: checked.problems.map((problem) => ({ file: path, ...problem })) });
}
