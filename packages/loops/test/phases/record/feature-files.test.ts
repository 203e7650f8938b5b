import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { metaOf } from '@onceover/testing/phase/meta.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import type { FeatureFiles } from '../../../src/phases/record/store.ts';
import { openFeatureFiles } from '../../../src/phases/record/store.ts';

const FEATURE = 'docs/f' as RepoPath;
const AT = new Date('2026-03-04T05:06:07.089Z');
const BYTES = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xe4, 0x22, 0x7d]);

/** A feature, and a file outside that must not change. */
function open(feature = FEATURE) {
  const top = temporaryFolder();
  const root = join(top, 'root');
  const outside = join(top, 'outside');
  mkdirSync(join(root, FEATURE), { recursive: true });
  writeFileSync(outside, 'as it was');
  return { root, outside, at: (name: string) => join(root, feature, name), files: openFeatureFiles(root, feature) };
}

type Made = ReturnType<typeof open>;

const READS: readonly [string, string, (files: FeatureFiles) => Promise<unknown>][] = [
  ['.review-history.md', 'history', (files) => files.history()],
  ['.meta.json', 'meta', (files) => files.meta()],
];
const WRITES: readonly [string, string, (files: FeatureFiles) => Promise<unknown>][] = [
  ['.review-history.md', 'writeHistory', (files) => files.writeHistory('new')],
  ['.meta.json', 'writeMeta', (files) => files.writeMeta(metaOf(), AT)],
  ['.meta.json', 'putMetaAside', (files) => files.putMetaAside(AT)],
];
const IN_THE_WAY: readonly [string, (made: Made, name: string) => void][] = [
  ['a folder', ({ at }, name) => mkdirSync(at(name))],
  ['a symlink out of the repository', ({ at, outside }, name) => symlinkSync(outside, at(name))],
  ['a broken symlink', ({ at }, name) => symlinkSync('nowhere', at(name))],
];

describe.each(IN_THE_WAY)('%s is in the way', (_title, block) => {
  test.each([...READS, ...WRITES])('of %s: %s fails, and nothing is written', async (name, _method, act) => {
    const place = open();
    block(place, name);
    expect(await act(place.files)).toMatchObject({ ok: false });
    expect(readFileSync(place.outside, 'utf8')).toBe('as it was');
    expect(readdirSync(place.at(''))).toEqual([name]);
  });
});

test.each([...READS, ...WRITES])('%s: %s does not go through a folder that is a symlink', async (_name, _m, act) => {
  const { root, at } = open();
  symlinkSync(join(root, 'docs'), join(root, 'linked'));
  writeFileSync(at('.meta.json'), '{"id":"7"}');
  const files = openFeatureFiles(root, 'linked/f' as RepoPath);
  expect(await act(files)).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way', found: 'symlink' } });
  expect(readdirSync(at(''))).toEqual(['.meta.json']);
  expect(readFileSync(at('.meta.json'), 'utf8')).toBe('{"id":"7"}');
});

test('renames a .meta.json that is not UTF-8 byte for byte', async () => {
  const { at, files } = open();
  writeFileSync(at('.meta.json'), BYTES);
  expect(await files.meta()).toEqual({ ok: true, value: null });
  const writeResult = await files.writeMeta(metaOf(), AT);
  expect(writeResult.ok && readFileSync(at(writeResult.value ?? ''))).toEqual(BYTES);
  expect(JSON.parse(readFileSync(at('.meta.json'), 'utf8'))).toMatchObject({ phases: { specify: {} } });
});

test('refuses a history that is not UTF-8, so that it is never overwritten', async () => {
  const { at, files } = open();
  writeFileSync(at('.review-history.md'), BYTES);
  expect(await files.history()).toMatchObject({
    ok: false,
    failure: { kind: 'disk', action: 'read', code: 'not-utf8' },
  });
  expect(readFileSync(at('.review-history.md'))).toEqual(BYTES);
});

test('the feature may be the repository root', async () => {
  const { root, files } = open('' as RepoPath);
  await files.writeHistory('text');
  await files.writeMeta(metaOf(), AT);
  expect(readdirSync(root).sort()).toEqual(['.meta.json', '.review-history.md', 'docs']);
  expect(await files.history()).toEqual({ ok: true, value: 'text' });
});

test('a deleted folder is not created again', async () => {
  const { root } = open();
  const files = openFeatureFiles(root, 'docs/gone' as RepoPath);
  expect(await files.history()).toEqual({ ok: true, value: '' });
  expect(await files.writeHistory('text')).toMatchObject({ ok: false, failure: { kind: 'disk', code: 'ENOENT' } });
  expect(await files.writeMeta(metaOf(), AT)).toMatchObject({ ok: false, failure: { kind: 'disk', code: 'ENOENT' } });
  expect(readdirSync(join(root, 'docs'))).toEqual(['f']);
});
