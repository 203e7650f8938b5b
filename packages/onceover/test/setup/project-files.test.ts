import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openProjectFiles } from '../../src/setup/project-files.ts';

const PATH = '.mcp.json' as RepoPath;

/** A root with a file beside it that must not change. */
function open() {
  const top = temporaryFolder();
  const root = join(top, 'root');
  const outside = join(top, 'outside');
  mkdirSync(root);
  writeFileSync(outside, 'as it was');
  return { root, outside, file: join(root, PATH), files: openProjectFiles(root) };
}

test('reads what it wrote', async () => {
  const { files } = open();
  expect(await files.read(PATH)).toEqual({ ok: true, value: null });
  expect(await files.write(PATH, 'ä\r\n')).toEqual({ ok: true, value: undefined });
  expect(await files.read(PATH)).toEqual({ ok: true, value: 'ä\r\n' });
  await files.write(PATH, '');
  expect(await files.read(PATH)).toEqual({ ok: true, value: '' });
});

test.each<[string, string, (made: ReturnType<typeof open>) => void]>([
  ['a folder', 'not-a-file', ({ file }) => mkdirSync(file)],
  ['not UTF-8', 'not-utf8', ({ file }) => writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]))],
  ['binary', 'binary', ({ file }) => writeFileSync(file, Buffer.from([0x7b, 0, 0x7d]))],
  ['too large', 'too large', ({ file }) => writeFileSync(file, ' '.repeat(4 * 1024 * 1024 + 1))],
  ['a symlink that leaves', 'outside', ({ file, outside }) => symlinkSync(outside, file)],
])('fails to read a file that is %s', async (_, code, prepare) => {
  const project = open();
  prepare(project);
  const failure = { kind: 'disk', action: 'read', path: PATH, code };
  expect(await project.files.read(PATH)).toEqual({ ok: false, failure });
});

test('does not write through a symlink', async () => {
  const { file, outside, files } = open();
  symlinkSync(outside, file);
  expect(await files.write(PATH, 'new')).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way' } });
  expect(readFileSync(outside, 'utf8')).toBe('as it was');
});

test('creates the folders of a new file', async () => {
  const { root, files } = open();
  const path = '.onceover/reviews/a.md' as RepoPath;
  expect(await files.read(path)).toEqual({ ok: true, value: null });
  expect(await files.write(path, 'text')).toEqual({ ok: true, value: undefined });
  expect(await files.read(path)).toEqual({ ok: true, value: 'text' });
  expect(readdirSync(root, { recursive: true }).sort()).toEqual(['.onceover', '.onceover/reviews', path]);
});

test.each<[string, string]>([
  ['a folder inside', 'inside'],
  ['nothing', 'gone'],
])('fails before it writes if the folder is a symlink to %s', async (_, target) => {
  const { root, files } = open();
  mkdirSync(join(root, 'inside'));
  symlinkSync(target, join(root, '.onceover'));
  const path = '.onceover/a.md' as RepoPath;
  const refusal = { ok: false, failure: { kind: 'path-in-the-way', found: 'symlink' } };
  expect(await files.read(path)).toMatchObject(refusal);
  expect(await files.write(path, 'text')).toMatchObject(refusal);
  expect(readdirSync(join(root, 'inside'))).toEqual([]);
});

test('does not treat a dangling symlink as a missing file', async () => {
  const { file, files } = open();
  symlinkSync('gone', file);
  expect(await files.read(PATH)).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way' } });
});

test('keeps the permissions of a file', async () => {
  const { file, files } = open();
  writeFileSync(file, '{}');
  chmodSync(file, 0o600);
  await files.write(PATH, '{"mcpServers":{}}');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('lists the plain files of a folder in order', async () => {
  const { root, outside, files } = open();
  const folder = 'a/b' as RepoPath;
  expect(await files.list(folder)).toEqual({ ok: true, value: [] });
  mkdirSync(join(root, folder, 'inner'), { recursive: true });
  for (const name of ['z.md', 'B.md', 'a.md']) writeFileSync(join(root, folder, name), '');
  symlinkSync(outside, join(root, folder, 'link.md'));
  expect(await files.list(folder)).toEqual({ ok: true, value: ['B.md', 'a.md', 'z.md'] });
  writeFileSync(join(root, 'top'), '');
  expect(await files.list('' as RepoPath)).toEqual({ ok: true, value: ['top'] });
});

test.each<[string, (made: ReturnType<typeof open>) => void]>([
  ['a symlink', ({ root }) => symlinkSync('..', join(root, 'a'))],
  ['a file', ({ root }) => writeFileSync(join(root, 'a'), '')],
])('does not list a folder that is %s', async (_, prepare) => {
  const project = open();
  prepare(project);
  expect(await project.files.list('a' as RepoPath)).toMatchObject({ ok: false, failure: { kind: 'path-in-the-way' } });
});

test('removes a file and the folders that become empty, and nothing else', async () => {
  const { files, root, outside } = open();
  await files.write('a/b/one.md' as RepoPath, '1');
  await files.write('a/two.md' as RepoPath, '2');
  expect((await files.remove('a/b/one.md' as RepoPath)).ok).toBe(true);
  expect(readdirSync(join(root, 'a'))).toEqual(['two.md']);
  expect((await files.remove('a/two.md' as RepoPath)).ok).toBe(true);
  expect(readdirSync(root)).toEqual([]);
  symlinkSync('..', join(root, 'up'));
  expect(await files.remove('up/outside' as RepoPath)).toMatchObject({ failure: { kind: 'path-in-the-way' } });
  expect(readFileSync(outside, 'utf8')).toBe('as it was');
});
