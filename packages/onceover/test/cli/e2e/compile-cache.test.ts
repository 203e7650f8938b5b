import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CLI, onceover } from '@onceover/testing/cli.ts';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

/** Whether Node keeps compiled code itself, in files of its own format. */
const HAS_CACHE = 'enableCompileCache' in process.getBuiltinModule('node:module');

async function cachedBy(args: readonly string[], caches = temporaryFolder()) {
  const { root } = repoWith({});
  const run = () => onceover(root, args, { env: { XDG_CACHE_HOME: caches } });
  const folder = join(caches, 'onceover-compiled');
  return { folder, run, first: await run() };
}

test('keeps compiled code in the cache folder of the user', async () => {
  const { folder } = await cachedBy(['rules']);
  expect(readdirSync(folder).length).toBeGreaterThan(0);
});

test('keeps no compiled code in a working tree, where it would become part of the change', async () => {
  const { root } = repoWith({});
  const caches = join(root, 'sub/caches');
  mkdirSync(caches, { recursive: true });
  await onceover(root, ['rules'], { env: { XDG_CACHE_HOME: caches } });
  expect(existsSync(join(caches, 'onceover-compiled'))).toBe(false);
});

test('no chunk calls import(), which fails in code that comes from the cache on Node 20', () => {
  const dist = dirname(CLI);
  const chunks = readdirSync(dist).filter((name) => name.endsWith('.cjs'));
  expect(chunks.length).toBeGreaterThan(20);
  expect(chunks.filter((name) => /(?<![\w.$])import\(/.test(readFileSync(join(dist, name), 'utf8')))).toEqual([]);
});

test.skipIf(HAS_CACHE)('writes no file again that it can use', async () => {
  const { folder, run, first } = await cachedBy(['rules']);
  const long = new Date('2026-01-01');
  const files = readdirSync(folder).map((name) => join(folder, name));
  for (const file of files) utimesSync(file, long, long);
  const before = files.map((file) => readFileSync(file));
  expect(await run()).toEqual(first);
  expect(files.map((file) => readFileSync(file))).toEqual(before);
});

test.skipIf(HAS_CACHE)('compiles again if a cached file is damaged, cut off, empty or from other code', async () => {
  const { folder, run, first } = await cachedBy(['rules']);
  const files = readdirSync(folder).map((name) => join(folder, name));
  const whole = files.map((file) => readFileSync(file));
  const damages: ((bytes: Buffer, n: number) => Buffer)[] = [
    (bytes) => Buffer.from(bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte))),
    (bytes) => bytes.subarray(0, bytes.length >> 1),
    () => Buffer.alloc(0),
    (_, n) => whole[(n + 1) % whole.length] ?? Buffer.alloc(0),
  ];
  for (const damage of damages) {
    for (const [n, file] of files.entries()) writeFileSync(file, damage(readFileSync(file), n));
    const damagedTexts = files.map((file) => readFileSync(file));
    expect(await run()).toEqual(first);
    // The second command does not load every chunk of the first.
    expect(files.filter((file, n) => !readFileSync(file).equals(damagedTexts[n] as Buffer)).length).toBeGreaterThan(2);
  }
});

test.skipIf(HAS_CACHE)('removes files that are older than a month when it writes new ones', async () => {
  const caches = temporaryFolder();
  mkdirSync(join(caches, 'onceover-compiled'));
  const [old, recent] = ['v20.19.0-old.cjs', 'v20.19.0-recent.cjs'].map((name) =>
    join(caches, 'onceover-compiled', name),
  );
  for (const file of [old, recent]) writeFileSync(file as string, '');
  const before = new Date(Date.now() - 40 * 86_400_000);
  utimesSync(old as string, before, before);
  await cachedBy(['rules'], caches);
  expect([existsSync(old as string), existsSync(recent as string)]).toEqual([false, true]);
});
