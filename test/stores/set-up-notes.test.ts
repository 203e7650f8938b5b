import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RepoPath } from '../../src/domain/brand.ts';
import { openSetUpNotes } from '../../src/stores/set-up-notes.ts';
import { temporaryFolder } from '../support/repo.ts';

const A = 'a.yml' as RepoPath;
const B = 'b.yml' as RepoPath;

test('a file is known as long as it is as it was written', () => {
  const folder = temporaryFolder();
  expect([openSetUpNotes(folder).note(A, 'one').ok, openSetUpNotes(folder).note(A, 'two').ok]).toEqual([true, true]);
  const notes = openSetUpNotes(folder);
  expect([notes.has(A, 'one'), notes.has(A, 'two'), notes.has(A, 'three'), notes.has(B, 'one')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('where nothing was noted, nothing is known', () => {
  expect(openSetUpNotes(join(temporaryFolder(), 'missing')).has(A, '')).toBe(false);
});
