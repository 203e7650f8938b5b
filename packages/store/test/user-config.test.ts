import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasTeamStore, userConfigPath } from '../src/has-store.ts';
import { readUserConfig } from '../src/user-config.ts';

const URL_OF_STORE = 'postgres://reviews:secret@db.example.com/onceover';

/** Returns an environment whose config folder has this file; `null` for no file. */
function environment(text: string | null, store?: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'onceover-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'onceover'));
  if (text !== null) writeFileSync(join(folder, 'onceover', 'config.yml'), text);
  return { XDG_CONFIG_HOME: folder, ...(store === undefined ? {} : { ONCEOVER_STORE: store }) };
}

const KEEP = { callsDays: 7, snapshotHours: 24 };

const DEFAULTS = { url: URL_OF_STORE, trust: 'own-branches', waitSeconds: 20, keep: KEEP };

test.each([
  ['no file', null, undefined, null],
  ['an empty file', '', undefined, null],
  ['a file with a comment', '# nothing\n', undefined, null],
  ['an address', `store: ${URL_OF_STORE}\n`, undefined, DEFAULTS],
  [
    'all keys',
    `store:\n  url: ${URL_OF_STORE}\n  trust: never\n  wait_seconds: 5\n  keep_calls_days: 30\n  keep_snapshot_hours: 48\n`,
    undefined,
    { url: URL_OF_STORE, trust: 'never', waitSeconds: 5, keep: { callsDays: 30, snapshotHours: 48 } },
  ],
  ['only the variable', null, URL_OF_STORE, DEFAULTS],
  ['the variable before the file', 'store: postgres://other.example.com/x\n', URL_OF_STORE, DEFAULTS],
  ['the variable with trust of the file', 'store: { trust: always }\n', URL_OF_STORE, { ...DEFAULTS, trust: 'always' }],
  ['an empty variable, which turns the store off', `store: ${URL_OF_STORE}\n`, '', null],
  ['an address in a comment', `# store: ${URL_OF_STORE}\n`, undefined, null],
  ['trust without an address', 'store: { trust: always }\n', undefined, null],
])('%s', (_title, text, variable, store) => {
  const env = environment(text, variable);
  expect(readUserConfig(env)).toEqual({ ok: true, value: { store, runs: 'local' } });
  expect(hasTeamStore(env)).toBe(store !== null);
});

test.each([
  ['remote', `store: ${URL_OF_STORE}\nruns: remote\n`, undefined, 'remote'],
  ['local', `store: ${URL_OF_STORE}\nruns: local\n`, undefined, 'local'],
  ['remote with the address in the variable', 'runs: remote\n', URL_OF_STORE, 'remote'],
  ['remote without a store', 'runs: remote\n', undefined, 'local'],
  ['remote with the store turned off', `store: ${URL_OF_STORE}\nruns: remote\n`, '', 'local'],
])('runs: %s', (_title, text, variable, runs) => {
  expect(readUserConfig(environment(text, variable))).toMatchObject({ ok: true, value: { runs } });
});

test.each([
  ['an unknown place for runs', 'runs: elsewhere\n', undefined, 'broken-config'],
  ['snapshots that are kept for less than a day', 'store: { keep_snapshot_hours: 1 }\n', undefined, 'broken-config'],
  ['an unknown key', 'stroe: x\n', undefined, 'broken-config'],
  ['an unknown value of trust', 'store: { trust: sometimes }\n', undefined, 'broken-config'],
  ['text that is not YAML', 'store: [\n', undefined, 'broken-config'],
  ['an address of another database', 'store: mysql://db.example.com/x\n', undefined, 'store-failed'],
  ['a variable that is not an address', null, 'localhost', 'store-failed'],
  ['a file that is too large', `# ${'x'.repeat(70_000)}\n`, undefined, 'broken-config'],
])('%s is a failure', (_title, text, variable, kind) => {
  const result = readUserConfig(environment(text, variable));
  expect(result).toMatchObject({ ok: false, failure: { kind } });
});

test('the file is below the config folder of the user, and a relative one is ignored', () => {
  expect(userConfigPath({ HOME: '/home/kim' })).toBe('/home/kim/.config/onceover/config.yml');
  expect(userConfigPath({ HOME: '/home/kim', XDG_CONFIG_HOME: 'here' })).toBe('/home/kim/.config/onceover/config.yml');
  expect(userConfigPath({ HOME: '/home/kim', XDG_CONFIG_HOME: '/etc/kim' })).toBe('/etc/kim/onceover/config.yml');
});
