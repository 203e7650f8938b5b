import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  checkFolder,
  codeOf,
  listFolder,
  makeFolder,
  removeFile,
  removeForgotten,
  removeOldest,
  writeWhole,
} from '../../src/io/files.ts';
import { temporaryFolder } from '../support/repo.ts';

const MINUTE = 60_000;
const fine = { ok: true, value: undefined };

test('what is written is there whole, with nothing beside it', () => {
  const folder = temporaryFolder();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      expect(writeWhole(folder, 'file', text)).toEqual(fine);
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(text);
      expect(readdirSync(folder)).toEqual(['file']);
    }),
  );
});

// Reads the file over and over, until it has seen it change often, or only half there.
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
  writeWhole(folder, 'file', 'a'.repeat(300_000));
  const reader = spawn(process.execPath, ['-e', READER, join(folder, 'file')], { stdio: 'ignore' });
  let exitCode: number | null = null;
  reader.on('close', (code) => {
    exitCode = code ?? -1;
  });
  for (let n = 0; exitCode === null; n++) {
    writeWhole(folder, 'file', (n % 2 ? 'a' : 'b').repeat(300_000));
    await nextTurn();
  }
  expect(exitCode).toBe(0);
});

test('a second writer of the same file takes its place', () => {
  const folder = temporaryFolder();
  writeWhole(folder, 'file', 'a longer first text');
  writeWhole(folder, 'file', 'short');
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('short');
});

test.each<[string, (folder: string) => void, object]>([
  ['a symlink to a file', (folder) => symlinkSync('kept', join(folder, 'file')), { found: 'symlink' }],
  ['a symlink to nothing', (folder) => symlinkSync('nothing', join(folder, 'file')), { found: 'symlink' }],
  ['a folder', (folder) => mkdirSync(join(folder, 'file')), { found: 'folder' }],
])('%s in place of the file is refused and left alone', (_, prepare, expected) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'kept'), 'as it was');
  prepare(folder);
  const before = readdirSync(folder, { withFileTypes: true });
  const failure = { kind: 'path-in-the-way', path: join(folder, 'file'), ...expected };
  expect(writeWhole(folder, 'file', 'new')).toEqual({ ok: false, failure });
  expect(readdirSync(folder, { withFileTypes: true })).toEqual(before);
  expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('as it was');
});

test.each([
  ['whose folder is gone', 'gone', 'file', 'write', 'ENOENT'],
  ['that cannot be moved to its place', '.', 'gone/file', 'write', 'ENOENT'],
  ['with a name that is too long', '.', 'x'.repeat(256), 'read', 'ENAMETOOLONG'],
  ['below a file', 'other', 'file', 'read', 'ENOTDIR'],
])('a file %s is a failure that leaves nothing behind', (_, below, name, action, code) => {
  const top = temporaryFolder();
  writeFileSync(join(top, 'other'), '');
  const folder = join(top, below);
  const failure = { kind: 'disk', action, path: join(folder, name), code };
  expect(writeWhole(folder, name, 'text')).toEqual({ ok: false, failure });
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

test.each(inTheWay)('makeFolder does not go through %s', (_, folder, prepare, part, found) => {
  const top = temporaryFolder();
  mkdirSync(join(top, 'elsewhere'));
  prepare(top);
  const failure = { kind: 'path-in-the-way', path: join(top, part), found };
  const before = readdirSync(top, { recursive: true });
  expect(makeFolder(top, folder)).toEqual({ ok: false, failure });
  expect(checkFolder(top, folder)).toEqual({ ok: false, failure });
  expect(readdirSync(top, { recursive: true })).toEqual(before);
});

test('makeFolder makes what is missing, and what is there stays', () => {
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
])('a folder %s cannot be made', (_, below, name, code) => {
  const top = temporaryFolder();
  writeFileSync(join(top, 'file'), '');
  expect(makeFolder(join(top, below), name)).toMatchObject({ ok: false, failure: { kind: 'disk', code } });
});

test('a folder that cannot be looked at is a failure', () => {
  const top = temporaryFolder();
  const failure = { kind: 'disk', action: 'read', code: 'ENAMETOOLONG' };
  expect(checkFolder(top, 'x'.repeat(256))).toMatchObject({ ok: false, failure });
});

test('forgotten temporary files go; young ones and everything else stay', () => {
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
  removeForgotten(folder, now);
  const left = ['.onceover-1-young', '.onceover-link', 'a.onceover-1-old', 'old.md'];
  expect(readdirSync(folder).sort()).toEqual(left);
});

test('a folder that has the name of a temporary file does no harm', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.onceover-folder'));
  expect(() => removeForgotten(folder, Date.now() + 11 * MINUTE)).not.toThrow();
  expect(readdirSync(folder)).toEqual(['.onceover-folder']);
});

test.each([
  [5, [], 'abcde'],
  [3, [], 'abc'],
  [0, [], ''],
  [3, ['e', 'd'], 'ade'],
  [1, ['e', 'd'], 'de'],
])('at most %i of 5 files stay, the newest, and %j in any case', (most, keep, left) => {
  const folder = temporaryFolder();
  for (const [age, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), 1_000_000 - age, 1_000_000 - age);
  }
  removeOldest(folder, most, new Set(keep));
  expect(readdirSync(folder).join('')).toBe(left);
});

test('a missing folder is empty, one that cannot be read is a failure', () => {
  const top = temporaryFolder();
  writeFileSync(join(top, 'file'), '');
  expect(listFolder(join(top, 'gone'))).toEqual({ ok: true, value: [] });
  const failure = { kind: 'disk', action: 'read', path: join(top, 'file'), code: 'ENOTDIR' };
  expect(listFolder(join(top, 'file'))).toEqual({ ok: false, failure });
});

test('removing what is gone is fine, removing a folder is refused', () => {
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
])('the code of %s', (error, code) => {
  expect(codeOf(error)).toBe(code);
});
