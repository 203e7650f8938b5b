import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asPaths, brief, CHANGE, type Repo, someRepo, takeAt } from '@onceover/testing/snapshots.ts';
import { expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

const onMain = (repo: Repo) => repo.git('branch', '-f', 'main');

const names = [
  ' spaces ',
  '"quoted"',
  'back\\slash',
  'new\nline',
  'tab\there',
  '#',
  '*',
  '-dash',
  '--',
  '[x]',
  ':c',
  ':!n',
  ':(top)x',
  'ä',
  '日本/日本',
  '😀',
  '\ufffd',
];

test('names of every kind are literal: new, changed, deleted and generated files', async () => {
  const repo = someRepo();
  for (const name of names) repo.write(name, '1');
  expect(new Set(brief((await takeAt(repo.root)).entries))).toEqual(new Set(names.map((name) => `A ${name}`)));
  repo.commit();
  onMain(repo);
  for (const name of names) repo.write(name, '2');
  expect(new Set(brief((await takeAt(repo.root)).entries))).toEqual(new Set(names.map((name) => `M ${name}`)));
  for (const name of names) rmSync(join(repo.root, name));
  expect(new Set(brief((await takeAt(repo.root)).entries))).toEqual(new Set(names.map((name) => `D ${name}`)));
  const omittedFiles = { folders: asPaths(...names) };
  expect((await takeAt(repo.root, CHANGE, omittedFiles)).entries).toEqual([]);
});

test.each<[string, string[], (repo: Repo, path: Buffer) => unknown]>([
  ['untracked', ['bä.t'], () => {}],
  ['staged', ['bä.t'], (repo) => repo.stage()],
  ['committed', ['bä.t'], (repo) => repo.commit()],
  ['on main', [], (repo) => [repo.commit(), onMain(repo)]],
  ['on main, changed', ['bä.t'], (repo, path) => [repo.commit(), onMain(repo), writeFileSync(path, '2')]],
  ['on main, deleted', ['bä.t'], (repo, path) => [repo.commit(), onMain(repo), rmSync(path)]],
])('a name that is not UTF-8 is reported without losing other names: %s', async (_, unnameable, act) => {
  const repo = someRepo();
  const path = Buffer.concat([Buffer.from(`${repo.root}/b`), Buffer.from([0xe4, 0x2e, 0x74])]);
  writeFileSync(path, '1');
  act(repo, path);
  for (const name of ['a.txt', 'b.txt', 'sub/c.txt']) repo.write(name, '2');
  const snapshot = await takeAt(repo.root);
  expect(brief(snapshot.entries)).toEqual(['M a.txt', 'M b.txt', 'M sub/c.txt']);
  expect(snapshot.unnameable).toEqual(unnameable);
  const inSub = await takeAt(repo.root, { kind: 'files', files: asPaths('sub'), base: null });
  expect(inSub).toMatchObject({ entries: [{ path: 'sub/c.txt' }], unnameable: [] });
});

test('a secret with a name that is not UTF-8 is reported and not stored', async () => {
  const repo = someRepo();
  writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/`), Buffer.from([0xe4]), Buffer.from('.pem')]), 'key');
  expect(await takeAt(repo.root)).toMatchObject({ entries: [], withheld: [], unnameable: ['ä.pem'] });
  expect(() => repo.git('cat-file', '-e', createHash('sha1').update('blob 3\0key').digest('hex'))).toThrow();
});
