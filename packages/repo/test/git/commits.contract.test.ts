import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId, RepoPath } from '@onceover/base/kernel/ids';
import type { Commits } from '@onceover/base/kernel/repository';
import { memoryCommits } from '@onceover/testing/memory/commits.ts';
import { memoryClone, memoryWorktree } from '@onceover/testing/memory/git.ts';
import { repoWith } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { openCommits } from '../../src/git/commit.ts';

type Opened = {
  readonly commits: Commits;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Commits all changes. */
  commitAll(): void;
  /** Returns the files of the last commit. */
  head(): Readonly<Record<string, string>>;
  headId(): string;
};

const FIRST = { 'a.md': 'a\n', 'b.md': 'b\n', 'docs/c.md': 'c\n' };

commitsContract('in memory', () => {
  const clone = memoryClone(FIRST);
  const git = memoryWorktree(clone, 'work', clone.branches.get('main') as CommitId);
  return {
    commits: memoryCommits(git),
    write: (path, text) => git.write(path as RepoPath, text),
    remove: (path) => git.remove(path as RepoPath),
    commitAll: () => git.commit(),
    head: () => Object.fromEntries([...clone.treeOf(git.now().commit)].map(([path, { text }]) => [path, text])),
    headId: () => git.now().commit,
  };
});

commitsContract('with git', () => {
  const repo = repoWith(FIRST);
  repo.git('config', 'user.name', 'Test');
  repo.git('config', 'user.email', 'test@example.invalid');
  const textByBlob = new Map<string, string>();
  const blob = (text: string) =>
    createHash('sha1')
      .update(`blob ${Buffer.byteLength(text)}\0${text}`)
      .digest('hex');
  const write = (path: string, text: string) => {
    textByBlob.set(blob(text), text);
    repo.write(path, text);
  };
  for (const text of Object.values(FIRST)) textByBlob.set(blob(text), text);
  const head = () => {
    const lines = repo.git('ls-tree', '-r', '-z', 'HEAD').split('\0').filter(Boolean);
    return Object.fromEntries(
      lines.map((line) => [line.slice(line.indexOf('\t') + 1), textByBlob.get(line.split(/\s/)[2] ?? '') ?? '']),
    );
  };
  return {
    commits: openCommits({ root: repo.root }),
    write,
    remove: (path) => rmSync(join(repo.root, path)),
    commitAll: () => repo.commit(),
    head,
    headId: () => repo.git('rev-parse', 'HEAD').trim(),
  };
});

/** The contract of Commits. */
function commitsContract(name: string, open: () => Opened): void {
  const paths = (...names: string[]) => names as RepoPath[];
  const FINE = { kind: 'committed', commit: expect.any(String) };

  describe(`commits ${name}`, () => {
    test('commits exactly the named paths with their current content', async () => {
      const { commits, write, remove, head, headId } = open();
      write('a.md', 'new a\n');
      write('b.md', 'new b\n');
      write('other.md', 'untracked\n');
      remove('docs/c.md');
      const end = await commits.commit(paths('a.md'), 'work');
      expect(end).toEqual({ kind: 'committed', commit: headId() });
      expect(head()).toEqual({ ...FIRST, 'a.md': 'new a\n' });
    });

    test('commits new, changed, deleted and renamed files together', async () => {
      const { commits, write, remove, head } = open();
      write('a.md', 'new a\n');
      write('new/file.md', 'new\n');
      remove('b.md');
      remove('docs/c.md');
      write('docs/renamed.md', 'c\n');
      write('foreign.md', 'foreign\n');
      const requestedPaths = paths('a.md', 'new/file.md', 'b.md', 'docs/c.md', 'docs/renamed.md');
      expect(await commits.commit(requestedPaths, 'work')).toEqual(FINE);
      expect(head()).toEqual({ 'a.md': 'new a\n', 'new/file.md': 'new\n', 'docs/renamed.md': 'c\n' });
    });

    test('commits the changed paths if other named paths are unchanged', async () => {
      const { commits, write, head } = open();
      write('b.md', 'new b\n');
      expect(await commits.commit(paths('a.md', 'b.md', 'never-there.md'), 'work')).toEqual(FINE);
      expect(head()).toEqual({ ...FIRST, 'b.md': 'new b\n' });
    });

    test.each([
      ['no path', []],
      ['a path that did not change', ['a.md']],
      ['a path that was never there', ['nowhere.md']],
    ])('has nothing to commit for %s', async (_title, requestedPaths) => {
      const { commits, write, headId } = open();
      write('b.md', 'new b\n');
      const before = headId();
      expect(await commits.commit(paths(...requestedPaths), 'work')).toEqual({ kind: 'nothing' });
      expect(headId()).toBe(before);
    });

    test('has nothing to commit if the change is already committed', async () => {
      const { commits, write, commitAll, headId } = open();
      write('a.md', 'new a\n');
      commitAll();
      const before = headId();
      expect(await commits.commit(paths('a.md'), 'work')).toEqual({ kind: 'nothing' });
      expect(headId()).toBe(before);
    });

    test('makes one commit after the other', async () => {
      const { commits, write, head } = open();
      for (const text of ['one\n', 'two\n']) {
        write('a.md', text);
        expect(await commits.commit(paths('a.md'), 'work')).toEqual(FINE);
      }
      expect(head()).toEqual({ ...FIRST, 'a.md': 'two\n' });
    });

    test('takes names of every kind literally and never as patterns', async () => {
      const { commits, write, remove, head } = open();
      for (const path of [...ODD, 'a.md', 'b.md', 'new.md']) write(path, 'odd\n');
      expect(await commits.commit(paths(...ODD), 'work')).toEqual(FINE);
      expect(head()).toEqual({ ...FIRST, ...Object.fromEntries(ODD.map((path) => [path, 'odd\n'])) });
      for (const path of ODD) remove(path);
      expect(await commits.commit(paths(...ODD), 'work')).toEqual(FINE);
      expect(head()).toEqual(FIRST);
    });
  });
}

const ODD = [
  'with space.md',
  ' begins with one',
  'new\nline.md',
  'ünïcödé 日本.md',
  '-dash',
  '--all',
  '"quoted".md',
  ':(top)',
  ':(top)a.md',
  ':!b.md',
  ':(glob)**',
  '*',
  '?.md',
  '[ab].md',
  'a\\.md',
];
