import { constants as bufferConstants } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asNobody } from '@onceover/testing/as-nobody.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openOutputFiles } from '../../../src/workflows/quality/output-files.ts';

/** Creates a project next to a folder outside of it. */
function project() {
  const folder = temporaryFolder();
  const root = join(folder, 'project');
  for (const name of ['project/sub', 'project/.git', 'outside']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'outside/secret.txt'), 'secret');
  writeFileSync(join(root, '.git/config'), 'secret');
  const at = (name: string) => join(root, name);
  const write = (name: string, content: string | Uint8Array) => writeFileSync(at(name), content);
  return { folder, root, at, write, open: () => openOutputFiles(root) };
}

test.each<[string, string]>([
  ['plain text', 'one\ntwo\n'],
  ['an empty file', ''],
  ['no newline at the end', 'one'],
  ['other line endings', 'one\r\ntwo\rthree\u2028'],
  ['a byte order mark', '\ufeffone\n'],
  ['many alphabets', 'ä Ω 漢 😀\n'],
  ['a NUL, which is valid UTF-8', 'a\0b'],
  ['six megabytes', 'ä'.repeat(3 * 1024 * 1024)],
])('returns a text completely and unaltered: %s [JOBS-REQ-004.4.2]', async (_, text) => {
  const { write, open } = project();
  write('a.md', text);
  expect(await (await open()).read('a.md')).toEqual({ kind: 'text', text });
});

test.each<[string, Uint8Array]>([
  ['bytes that are not UTF-8', Buffer.from([0x89, 0x50, 0x4e, 0x47])],
  ['a cut character at the end', Buffer.from('ä').subarray(0, 1)],
  ['UTF-16', Buffer.from('\ufeffä', 'utf16le')],
  ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0x80])],
])('returns binary with the absolute path for other bytes: %s [JOBS-REQ-004.4.3]', async (_, bytes) => {
  const { at, write, open } = project();
  write('a.bin', bytes);
  expect(await (await open()).read('a.bin')).toEqual({ kind: 'binary', path: at('a.bin') });
});

test.each(['gone.md', 'sub/gone.md', 'gone/gone.md', 'a.md/b.md'])(
  'what is not there is missing: %s [JOBS-REQ-004.4.4]',
  async (path) => {
    const { write, open } = project();
    write('a.md', 'one');
    const files = await open();
    expect([await files.isOutside(path), await files.read(path)]).toEqual([false, { kind: 'missing' }]);
  },
);

test('returns unreadable for a folder and a pipe [JOBS-REQ-004.4.5]', async () => {
  const { at, open } = project();
  execFileSync('mkfifo', [at('pipe')]);
  const files = await open();
  expect(await files.read('sub')).toEqual({ kind: 'unreadable', error: 'it is a folder' });
  expect(await files.read('.')).toEqual({ kind: 'unreadable', error: 'it is a folder' });
  expect(await files.read('pipe')).toEqual({ kind: 'unreadable', error: 'it is not a regular file' });
});

test('returns unreadable for a circular link and a name that is too long [JOBS-REQ-004.4.5]', async () => {
  const { at, open } = project();
  symlinkSync('loop', at('loop'));
  const files = await open();
  expect(await files.read('loop')).toEqual({ kind: 'unreadable', error: expect.stringMatching(/^ELOOP/) });
  expect(await files.read('x'.repeat(300))).toEqual({
    kind: 'unreadable',
    error: expect.stringMatching(/^ENAMETOOLONG/),
  });
});

test('returns unreadable for a file without permission [JOBS-REQ-004.4.5]', async () => {
  const { folder, at, write, open } = project();
  for (const path of [folder, at('.')]) chmodSync(path, 0o755);
  write('a.md', 'one');
  chmodSync(at('a.md'), 0);
  const files = await open();
  const content = await asNobody(() => files.read('a.md'));
  expect(content).toEqual({ kind: 'unreadable', error: expect.stringMatching(/^EACCES: permission denied/) });
});

test('reports a file that is too long for one text, without reading it', async () => {
  const { at, write, open } = project();
  write('a.md', 'one');
  truncateSync(at('a.md'), bufferConstants.MAX_STRING_LENGTH + 1);
  const before = process.memoryUsage().rss;
  const error = expect.stringMatching(/^its \d+ bytes do not fit into one text\. Read from: /);
  expect(await (await open()).read('a.md')).toEqual({ kind: 'unreadable', error });
  expect(process.memoryUsage().rss - before).toBeLessThan(30_000_000);
});

test.each<[string, string]>([
  ['a path above the root', '../outside/secret.txt'],
  ['an absolute path', '/etc/hostname'],
  ['an empty path', ''],
  ['a NUL in a name', 'a.md\0'],
  ['a link to a file outside', 'file-link'],
  ['a link to a folder outside', 'folder-link/secret.txt'],
  ['a missing file in a linked folder outside', 'folder-link/gone.txt'],
  ['a dangling link to the outside', 'dangling-link'],
  ['a chain of dangling links to the outside', 'first-link'],
  ['out through a link', 'sub-link/../../../outside/secret.txt'],
  ['out through the parent of a link target', 'folder-link/../outside/secret.txt'],
  ["git's own folder", '.git/config'],
  ["a link into git's own folder", 'git-link'],
])('reports a path as outside and never reads it: %s', async (_, path) => {
  const { folder, at, write, open } = project();
  write('a.md', 'one');
  symlinkSync(join(folder, 'outside/secret.txt'), at('file-link'));
  symlinkSync('../outside', at('folder-link'));
  symlinkSync('../outside/gone.txt', at('dangling-link'));
  symlinkSync('second-link', at('first-link'));
  symlinkSync('folder-link/gone.txt', at('second-link'));
  symlinkSync('sub', at('sub-link'));
  symlinkSync('.git/config', at('git-link'));
  const files = await open();
  expect([await files.isOutside(path), await files.read(path)]).toEqual([true, { kind: 'outside' }]);
});

test.each<[string, (root: string) => string]>([
  ['a link inside', () => 'link.md'],
  ['a link to a folder inside', () => 'folder/b.md'],
  ['an absolute path', (root) => join(root, 'a.md')],
  ['a path with dots that stays inside', () => './sub/../a.md'],
  ['the root by another name', (root) => join(root, '../alias/a.md')],
  ['a path that goes out and comes back', () => '../project/a.md'],
  ['a name that begins with dots', () => '..a.md'],
])('reads a path inside: %s', async (_, path) => {
  const { folder, root, at, write, open } = project();
  for (const name of ['a.md', 'sub/b.md', '..a.md']) write(name, 'one');
  symlinkSync('a.md', at('link.md'));
  symlinkSync('sub', at('folder'));
  symlinkSync('project', join(folder, 'alias'));
  expect(await (await open()).read(path(root))).toEqual({ kind: 'text', text: 'one' });
});

test('returns missing for a dangling link inside', async () => {
  const { at, open } = project();
  symlinkSync('sub/gone.md', at('link.md'));
  expect(await (await open()).read('link.md')).toEqual({ kind: 'missing' });
});

test('accepts a root that is a link', async () => {
  const { folder, write } = project();
  write('a.md', 'one');
  symlinkSync('project', join(folder, 'alias'));
  const files = await openOutputFiles(join(folder, 'alias'));
  expect([await files.isOutside('a.md'), (await files.read('a.md')).kind]).toEqual([false, 'text']);
  expect(await files.isOutside('../outside/secret.txt')).toBe(true);
});

test('reads files without blocking other work [JOBS-REQ-004.4.1]', async () => {
  const { write, open } = project();
  write('a.md', 'x'.repeat(4 * 1024 * 1024));
  const files = await open();
  let turns = 0;
  const count = () => {
    turns++;
    if (turns < 10_000) setImmediate(count);
  };
  setImmediate(count);
  await files.read('a.md');
  expect(turns).toBeGreaterThan(10);
});
