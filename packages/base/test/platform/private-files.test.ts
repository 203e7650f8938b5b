import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { asNobody } from '@onceover/testing/as-nobody.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { readPrivateFile, writeNew, writeNewWithoutLinks } from '../../src/platform/private-files.ts';

test('reads a plain file and returns null for a missing one', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'ä 日本\r\n');
  expect(readPrivateFile(join(folder, 'file'))).toEqual({ ok: true, value: 'ä 日本\r\n' });
  expect(readPrivateFile(join(folder, 'none'))).toEqual({ ok: true, value: null });
  expect(readPrivateFile(join(folder, 'none/file'))).toEqual({ ok: true, value: null });
});

test.each<[string, (path: string) => void, string]>([
  ['a folder', (path) => mkdirSync(path), 'not a file'],
  ['a pipe', (path) => execFileSync('mkfifo', [path]), 'not a file'],
  ['a symlink to a file', (path) => symlinkSync(import.meta.filename, path), 'ELOOP'],
  ['a symlink to nothing', (path) => symlinkSync('nowhere', path), 'ELOOP'],
  ['a huge file', putHuge, 'EFBIG'],
])('fails for %s', (_, placeFile, code) => {
  const path = join(temporaryFolder(), 'file');
  placeFile(path);
  expect(readPrivateFile(path)).toEqual({ ok: false, failure: { kind: 'disk', action: 'read', path, code } });
});

describe.each([
  ['with hard links', writeNew],
  ['without hard links', writeNewWithoutLinks],
])('on a disk %s', (_disk, write) => {
  test('writes a new file as a whole and leaves no other file', () => {
    const folder = temporaryFolder();
    expect(write(folder, 'file', 'text')).toEqual({ ok: true, value: 'written' });
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('text');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test.each<[string, (path: string) => void]>([
    ['a file', (path) => writeFileSync(path, 'of another')],
    ['a folder', (path) => mkdirSync(path)],
    ['a symlink to nothing', (path) => symlinkSync('nowhere', path)],
  ])('reports a name as taken if it is %s', (_, placeFile) => {
    const folder = temporaryFolder();
    placeFile(join(folder, 'file'));
    expect(write(folder, 'file', 'text')).toEqual({ ok: true, value: 'taken' });
    expect(readdirSync(folder)).toEqual(['file']);
  });
});

test('on a disk without hard links, the claim of a killed process does not last', () => {
  const folder = temporaryFolder();
  const claim = join(folder, 'file.claim');
  mkdirSync(claim);
  expect(writeNewWithoutLinks(folder, 'file', 'text')).toEqual({ ok: true, value: 'taken' });
  utimesSync(claim, 1, 1);
  expect(writeNewWithoutLinks(folder, 'file', 'text')).toEqual({ ok: true, value: 'written' });
  expect(readdirSync(folder)).toEqual(['file']);
});

test.each([0o555, 0o000])('a folder with mode %o is a failure', async (mode) => {
  const folder = temporaryFolder('/tmp');
  chmodSync(folder, mode);
  const result = await asNobody(async () => writeNew(folder, 'file', 'text')).finally(() => chmodSync(folder, 0o777));
  const failure = { kind: 'disk', action: 'write', path: join(folder, 'file'), code: 'EACCES' };
  expect(result).toEqual({ ok: false, failure });
});

function putHuge(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, 64 * 1024 * 1024 + 1);
}
