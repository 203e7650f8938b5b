import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommitId } from '../../src/domain/brand.ts';
import { commitFiles, diskFiles } from '../../src/io/text-files.ts';
import { repoWith } from '../support/repo.ts';

test('files are read the same from the disk and from a commit', () => {
  const repo = repoWith({ 'plain.md': 'text\n', 'mark.md': '\ufefftext\n', 'long.md': 'aaaaaaäz', 'empty.md': '' });
  repo.write('zero.md', 'a\0b');
  repo.write('latin.md', Buffer.from([0x61, 0xe4, 0x62]));
  repo.write('folder/in.md', 'in\n');
  repo.write('*', 'star');
  symlinkSync('/etc/hostname', join(repo.root, 'link.md'));
  repo.commit('files');
  const commit = repo.git('rev-parse', 'HEAD').trim() as CommitId;
  for (const files of [diskFiles(repo.root), commitFiles(repo.root, commit)]) {
    const read = (name: string, limit = 100) => files.read(name, limit);
    expect(read('plain.md')).toEqual({ kind: 'text', text: 'text\n', bytes: 5, cut: false });
    expect(read('folder/in.md')).toMatchObject({ text: 'in\n' });
    expect(read('*')).toMatchObject({ text: 'star' });
    expect(read('empty.md')).toEqual({ kind: 'text', text: '', bytes: 0, cut: false });
    // A byte order mark is no part of the text.
    expect(read('mark.md')).toMatchObject({ text: 'text\n' });
    // What is cut ends with a whole character, counted in bytes.
    expect(read('long.md', 7)).toEqual({ kind: 'text', text: 'aaaaaa', bytes: 6, cut: true });
    expect(read('long.md', 8)).toEqual({ kind: 'text', text: 'aaaaaaä', bytes: 8, cut: true });
    expect(read('zero.md')).toEqual({ kind: 'unusable', why: 'binary' });
    expect(read('latin.md')).toEqual({ kind: 'unusable', why: 'not-utf8' });
    expect(read('never.md')).toEqual({ kind: 'unusable', why: 'missing' });
    expect(read('folder')).toEqual({ kind: 'unusable', why: 'not-a-file' });
    expect(read('link.md').kind).toBe('unusable');
    expect([files.isSymlink('link.md'), files.isSymlink('plain.md')]).toEqual([true, false]);
  }
});

test('that git cannot say is not that there is nothing', () => {
  const lost = commitFiles(repoWith({ a: '' }).root, '0'.repeat(40) as CommitId);
  expect(lost.read('a', 100)).toEqual({ kind: 'unusable', why: 'unreadable' });
});
