import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  checkFolder,
  errorCode,
  listFolder,
  makeFolder,
  makeParents,
  removeFile,
  removeLeftovers,
  removeOldest,
  writeAtomically,
} from '../../src/platform/files.ts';

const MINUTE = 60_000;
const fine = { ok: true, value: undefined };

test('makes a folder with its parents, also through a symlink', () => {
  const folder = temporaryFolder();
  symlinkSync(folder, join(folder, 'link'));
  makeParents(join(folder, 'link/a/b'));
  makeParents(join(folder, 'a/b'));
  expect(existsSync(join(folder, 'a/b'))).toBe(true);
  writeFileSync(join(folder, 'plain'), '');
  expect(() => makeParents(join(folder, 'plain/a'))).toThrow(/ENOTDIR|EEXIST/);
});

// Node's own recursive mkdir never returns there.
test.skipIf(!existsSync('/proc/self'))('fails at once where no folder can be made', () => {
  expect(() => makeParents('/proc/none/a/b')).toThrow('ENOENT');
});

test('writes the whole file and leaves no other file', () => {
  const folder = temporaryFolder();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      expect(writeAtomically(folder, 'file', text)).toEqual(fine);
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(text);
      expect(readdirSync(folder)).toEqual(['file']);
    }),
  );
});

// Reads the file in a loop until it has changed often, or until the reader sees half of it.
const READER = `
const { readFileSync } = require('node:fs');
let last = '';
for (let changes = 0; changes < 60; ) {
  const text = readFileSync(process.argv[1], 'latin1');
  if (text.length !== 300000 || text !== text[0].repeat(300000)) process.exit(1);
  if (text[0] !== last) changes++;
  last = text[0];
}
`;

test('a reader never sees half a file', async () => {
  const folder = temporaryFolder();
  writeAtomically(folder, 'file', 'a'.repeat(300_000));
  const reader = spawn(process.execPath, ['-e', READER, join(folder, 'file')], { stdio: 'ignore' });
  let exitCode: number | null = null;
  reader.on('close', (code) => {
    exitCode = code ?? -1;
  });
  for (let n = 0; exitCode === null; n++) {
    writeAtomically(folder, 'file', (n % 2 ? 'a' : 'b').repeat(300_000));
    await nextTurn();
  }
  expect(exitCode).toBe(0);
});

test('a second write replaces the file', () => {
  const folder = temporaryFolder();
  writeAtomically(folder, 'file', 'a longer first text');
  writeAtomically(folder, 'file', 'short');
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('short');
});

test.each<[string, (folder: string) => void, object]>([
  ['a symlink to a file', (folder) => symlinkSync('kept', join(folder, 'file')), { found: 'symlink' }],
  ['a symlink to nothing', (folder) => symlinkSync('nothing', join(folder, 'file')), { found: 'symlink' }],
  ['a folder', (folder) => mkdirSync(join(folder, 'file')), { found: 'folder' }],
])('refuses to replace %s', (_, prepare, obstacle) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'kept'), 'as it was');
  prepare(folder);
  const before = readdirSync(folder, { withFileTypes: true });
  const failure = { kind: 'path-in-the-way', path: join(folder, 'file'), ...obstacle };
  expect(writeAtomically(folder, 'file', 'new')).toEqual({ ok: false, failure });
  expect(readdirSync(folder, { withFileTypes: true })).toEqual(before);
  expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('as it was');
});

test.each([
  ['whose folder is gone', 'gone', 'file', 'write', 'ENOENT'],
  ['that cannot be moved to its place', '.', 'gone/file', 'write', 'ENOENT'],
  ['with a name that is too long', '.', 'x'.repeat(256), 'read', 'ENAMETOOLONG'],
  ['below a file', 'other', 'file', 'read', 'ENOTDIR'],
])('fails for a file %s and leaves no other file', (_, below, name, action, code) => {
  const top = temporaryFolder();
  writeFileSync(join(top, 'other'), '');
  const folder = join(top, below);
  const failure = { kind: 'disk', action, path: join(folder, name), code };
  expect(writeAtomically(folder, name, 'text')).toEqual({ ok: false, failure });
  expect(readdirSync(top)).toEqual(['other']);
});

type Prepare = (top: string) => void;
const inTheWay: [string, string, Prepare, string, string][] = [
  ['a symlinked first part', 'a/b', (top) => symlinkSync('elsewhere', join(top, 'a')), 'a', 'symlink'],
  [
    'a symlinked last part',
    'elsewhere/b',
    (top) => symlinkSync('.', join(top, 'elsewhere/b')),
    'elsewhere/b',
    'symlink',
  ],
  ['a symlink to nothing', 'a', (top) => symlinkSync('nothing', join(top, 'a')), 'a', 'symlink'],
  ['a file', 'a/b', (top) => writeFileSync(join(top, 'a'), ''), 'a', 'file'],
];

test.each(inTheWay)('makeFolder does not go through %s', (_, folder, prepare, part, obstacle) => {
  const top = temporaryFolder();
  mkdirSync(join(top, 'elsewhere'));
  prepare(top);
  const failure = { kind: 'path-in-the-way', path: join(top, part), found: obstacle };
  const before = readdirSync(top, { recursive: true });
  expect(makeFolder(top, folder)).toEqual({ ok: false, failure });
  expect(checkFolder(top, folder)).toEqual({ ok: false, failure });
  expect(readdirSync(top, { recursive: true })).toEqual(before);
});

test('makeFolder makes missing folders and keeps existing ones', () => {
  const top = temporaryFolder();
  expect(checkFolder(top, 'a/b')).toEqual({ ok: true, value: 'missing' });
  expect(makeFolder(top, 'a/b')).toEqual({ ok: true, value: join(top, 'a/b') });
  writeFileSync(join(top, 'a/b/file'), 'kept');
  expect(checkFolder(top, 'a/b')).toEqual({ ok: true, value: 'there' });
  expect(makeFolder(top, 'a/b/c')).toEqual({ ok: true, value: join(top, 'a/b/c') });
  expect(readFileSync(join(top, 'a/b/file'), 'utf8')).toBe('kept');
});

test.each([
  ['below nothing', 'gone', 'a', 'ENOENT'],
  ['below a file', 'file', 'a', 'ENOTDIR'],
  ['with a name that is too long', '.', 'x'.repeat(256), 'ENAMETOOLONG'],
])('makeFolder fails for a folder %s', (_, below, name, code) => {
  const top = temporaryFolder();
  writeFileSync(join(top, 'file'), '');
  expect(makeFolder(join(top, below), name)).toMatchObject({ ok: false, failure: { kind: 'disk', code } });
});

test('checkFolder fails for an unreadable folder', () => {
  const top = temporaryFolder();
  const failure = { kind: 'disk', action: 'read', code: 'ENAMETOOLONG' };
  expect(checkFolder(top, 'x'.repeat(256))).toMatchObject({ ok: false, failure });
});

test('removes old temporary files and keeps all other files', () => {
  const folder = temporaryFolder();
  const now = Date.now();
  for (const [name, age] of [
    ['.onceover-1-old', 11 * MINUTE],
    ['.onceover-1-young', 9 * MINUTE],
    ['old.md', 11 * MINUTE],
    ['a.onceover-1-old', 11 * MINUTE],
  ] as const) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), new Date(now - age), new Date(now - age));
  }
  symlinkSync('nothing', join(folder, '.onceover-link'));
  removeLeftovers(folder, now);
  const names = ['.onceover-1-young', '.onceover-link', 'a.onceover-1-old', 'old.md'];
  expect(readdirSync(folder).sort()).toEqual(names);
});

test('ignores a folder with the name of a temporary file', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.onceover-folder'));
  expect(() => removeLeftovers(folder, Date.now() + 11 * MINUTE)).not.toThrow();
  expect(readdirSync(folder)).toEqual(['.onceover-folder']);
});

test.each([
  [5, [], 'abcde'],
  [3, [], 'abc'],
  [0, [], ''],
  [3, ['e', 'd'], 'ade'],
  [1, ['e', 'd'], 'de'],
])('keeps the newest %i of 5 files, and always %j', (limit, keep, names) => {
  const folder = temporaryFolder();
  for (const [age, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), 1_000_000 - age, 1_000_000 - age);
  }
  removeOldest(folder, limit, new Set(keep));
  expect(readdirSync(folder).join('')).toBe(names);
});

test('lists a missing folder as empty and fails for an unreadable one', () => {
  const top = temporaryFolder();
  writeFileSync(join(top, 'file'), '');
  expect(listFolder(join(top, 'gone'))).toEqual({ ok: true, value: [] });
  const failure = { kind: 'disk', action: 'read', path: join(top, 'file'), code: 'ENOTDIR' };
  expect(listFolder(join(top, 'file'))).toEqual({ ok: false, failure });
});

test('removes a missing file without failure and refuses to remove a folder', () => {
  const top = temporaryFolder();
  mkdirSync(join(top, 'folder'));
  expect(removeFile(join(top, 'gone'))).toEqual(fine);
  expect(removeFile(join(top, 'folder'))).toMatchObject({ ok: false, failure: { kind: 'disk', action: 'write' } });
  removeOldest(top, 0, new Set());
  expect(existsSync(join(top, 'folder'))).toBe(true);
});

test.each([
  [Object.assign(new Error('full'), { code: 'ENOSPC' }), 'ENOSPC'],
  [new Error('other'), 'Error: other'],
  [Object.assign(new Error('numbered'), { code: 5 }), 'Error: numbered'],
  ['text', 'text'],
])('returns the code of %s', (error, code) => {
  expect(errorCode(error)).toBe(code);
});
