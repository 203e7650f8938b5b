import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { openInitManifest } from '../../src/setup/own-files.ts';

const A = 'a.yml' as RepoPath;
const B = 'b.yml' as RepoPath;

test('knows a file as long as its text is unchanged', () => {
  const folder = temporaryFolder();
  expect([openInitManifest(folder).note(A, 'one').ok, openInitManifest(folder).note(A, 'two').ok]).toEqual([
    true,
    true,
  ]);
  const notes = openInitManifest(folder);
  expect([notes.has(A, 'one'), notes.has(A, 'two'), notes.has(A, 'three'), notes.has(B, 'one')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(new Set(notes.paths())).toEqual(new Set([A]));
});

test('ignores paths outside the repository', () => {
  const folder = temporaryFolder();
  for (const path of ['../x', '/etc/passwd', 'a/../../x', '']) openInitManifest(folder).note(path as RepoPath, 'x');
  expect(openInitManifest(folder).paths()).toEqual([]);
});

test('knows no file if nothing was noted', () => {
  expect(openInitManifest(join(temporaryFolder(), 'missing')).has(A, '')).toBe(false);
});
