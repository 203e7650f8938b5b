import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { keptLoop } from '@onceover/testing/phase/kept-loop.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { openPhaseLoops } from '../../../src/phases/record/store.ts';

const FEATURE = 'docs/f' as RepoPath;

function open(commonDir = temporaryFolder(), { root = '/here', version = '1.0.0' } = {}) {
  const folder = join(commonDir, 'onceover/phases');
  return { commonDir, folder, loops: openPhaseLoops({ root, commonDir }, version) };
}

/** A loop on disk, and its file. */
async function kept() {
  const store = open();
  await store.loops.write(keptLoop());
  const [name] = readdirSync(store.folder);
  return { ...store, file: join(store.folder, name ?? '') };
}

const read = ({ loops }: ReturnType<typeof open>) => loops.read('specify', FEATURE);
const UNREADABLE = { ok: true, value: 'unreadable' };

describe('an unreadable loop', () => {
  test.each<[string, (text: string) => string]>([
    ['a truncated file', (text) => text.slice(0, text.length / 2)],
    ['nothing', () => ''],
    ['not JSON', () => 'oh'],
    ['another kind of JSON', () => '[]'],
    ['null', () => 'null'],
    ['a changed word', (text) => text.replace('"waiting"', '"starting"')],
    ['an extra field', (text) => text.replace('"loop":{', '"loop":{"x":1,')],
    ['no digest', (text) => text.replace(/"digest":"[0-9a-f]+",/, '')],
    ['a missing loop', () => '{"version":"1.0.0"}'],
  ])('%s in its file', async (_title, damage) => {
    const store = await kept();
    writeFileSync(store.file, damage(readFileSync(store.file, 'utf8')));
    expect(await read(store)).toEqual(UNREADABLE);
  });

  test('a loop of another version', async () => {
    const { commonDir } = await kept();
    expect(await read(open(commonDir, { version: '1.0.1' }))).toEqual(UNREADABLE);
    expect(await read(open(commonDir))).toMatchObject({ ok: true, value: { run: { phase: 'specify' } } });
  });

  test('a loop of another feature, under this name', async () => {
    const store = await kept();
    const { run, ...rest } = keptLoop();
    await store.loops.write({ ...rest, run: { ...run, feature: 'docs/g' as RepoPath } });
    const otherName = readdirSync(store.folder).find((name) => !store.file.endsWith(name));
    writeFileSync(store.file, readFileSync(join(store.folder, otherName ?? '')));
    expect(await read(store)).toEqual(UNREADABLE);
  });

  test('is overwritten by the next one', async () => {
    const store = await kept();
    writeFileSync(store.file, 'oh');
    expect(await store.loops.write(keptLoop())).toEqual({ ok: true, value: undefined });
    expect(await read(store)).toEqual({ ok: true, value: keptLoop() });
  });
});

test('only the user can read the file of a loop, because it contains session ids', async () => {
  const store = await kept();
  expect(statSync(store.file).mode & 0o777).toBe(0o600);
  chmodSync(store.file, 0o644);
  await store.loops.write(keptLoop());
  expect(statSync(store.file).mode & 0o777).toBe(0o600);
});

test('another worktree of the clone has its own', async () => {
  const { commonDir } = await kept();
  const there = open(commonDir, { root: '/there' });
  expect(await read(there)).toEqual({ ok: true, value: null });
  await there.loops.write(keptLoop({ lastEntry: 'there' }));
  expect(await read(open(commonDir))).toMatchObject({ value: { lastEntry: null } });
});

test.each<[string, (made: { readonly file: string; readonly folder: string }) => void]>([
  ['a symlink for its file', ({ file }) => [rmSync(file), symlinkSync('/dev/null', file)]],
  ['a folder for its file', ({ file }) => [rmSync(file), mkdirSync(file)]],
  ['a symlink for its folder', ({ folder }) => [rmSync(folder, { recursive: true }), symlinkSync('/tmp', folder)]],
])('%s: neither read nor written', async (_title, block) => {
  const store = await kept();
  block(store);
  expect(await read(store)).toMatchObject({ ok: false });
  expect(await store.loops.write(keptLoop())).toMatchObject({ ok: false });
});

test('a half-written file of a killed process is not a loop, and is removed later', async () => {
  const store = await kept();
  const leftover = join(store.folder, '.onceover-1-abc');
  writeFileSync(leftover, '{"version":');
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(leftover, hourAgo, hourAgo);
  expect(await read(store)).toEqual({ ok: true, value: keptLoop() });
  await store.loops.write(keptLoop());
  expect(readdirSync(store.folder)).toHaveLength(1);
});
