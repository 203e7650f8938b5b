import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { findRepository } from '@onceover/repo/git/locate';
import { openSnapshots } from '@onceover/repo/git/snapshot';
import { repoWith, type TestRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { openTreeReader } from '../../src/adapters/tree-reader.ts';
import { runTool, TOOL_LIMITS } from '../../src/api/run-tool.ts';

const HIDDEN = ['.deepwork/logs', '.deepwork/tmp'] as RepoPath[];

/** Takes a snapshot of a repository and returns a function that calls a tool on it. */
async function toolsOn(repo: TestRepo) {
  const repository = await findRepository(repo.root);
  if (!repository.ok) throw new Error(repository.failure.kind);
  const place = repository.value;
  const snapshots = openSnapshots(place);
  const comparison = await snapshots.compare({ kind: 'change', base: 'main' }, 'main');
  if (!comparison.ok) throw new Error(comparison.failure.kind);
  const snapshot = await snapshots.take(comparison.value, { folders: HIDDEN });
  const tree = snapshot.ok ? await snapshot.value.tree() : snapshot;
  if (!tree.ok) throw new Error(tree.failure.kind);
  const files = openTreeReader(place, { head: tree.value, base: comparison.value.baseTree, hidden: HIDDEN });
  return async (name: string, input: object | null) => {
    const { result, opened } = await runTool(files, { id: '1', name, input: input as never });
    return { text: result.text, failed: result.failed, opened };
  };
}

const SECRET = 'top secret outside';

/** A repository in which everything tries to lead out of it. */
function jail() {
  const outside = temporaryFolder();
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  mkdirSync(join(outside, 'folder'));
  writeFileSync(join(outside, 'folder/inner.txt'), SECRET);
  const repo = repoWith({ 'src/a.ts': 'export const a = 1;\n', 'lib/b.ts': 'b\n' });
  symlinkSync(join(outside, 'secret.txt'), join(repo.root, 'link.txt'));
  symlinkSync(join(outside, 'folder'), join(repo.root, 'linked'));
  symlinkSync('../../etc/passwd', join(repo.root, 'up'));
  repo.write('src/a.ts', 'export const a = 2;\n');
  repo.write('line\nbreak.ts', 'odd name\n');
  repo.write('.env', 'TOKEN=abc\n');
  repo.write('.gitignore', 'ignored.txt\n');
  repo.write('ignored.txt', SECRET);
  repo.write('.deepwork/logs/review.json', '{"status":"pass"}\n');
  repo.write('data.bin', Buffer.from([0, 1, 2, 0]));
  repo.write('long.txt', `${Array.from({ length: 5000 }, (_, i) => `line ${i + 1}`).join('\n')}\n`);
  repo.write('wide.txt', `${'x'.repeat(500_000)}\n`);
  repo.write('huge.txt', 'y\n'.repeat(2_200_000));
  repo.git('add', 'huge.txt');
  return { repo, outside };
}

describe('the jail of the tools', () => {
  test('only the files of the snapshot can be read', async () => {
    const { repo, outside } = jail();
    const call = await toolsOn(repo);
    const paths = [
      '../secret.txt',
      'src/../../secret.txt',
      'src/../.git/config',
      join(outside, 'secret.txt'),
      '/etc/passwd',
      '.git/config',
      '.git/HEAD',
      'linked/inner.txt',
      'link.txt/x',
      '.env',
      'ignored.txt',
      '.deepwork/logs/review.json',
      'src',
      '',
      'a\0b',
      'src/a.ts\0',
      '-x',
      ':(top)src/a.ts',
      'HEAD:src/a.ts',
    ];
    for (const path of paths) {
      for (const name of ['read', 'show_base', 'diff']) {
        const end = await call(name, { path });
        expect([path, name, end.failed, end.opened]).toEqual([path, name, true, null]);
        expect(end.text).not.toContain(SECRET);
      }
    }
  });

  test('a symlink shows its target and is not followed', async () => {
    const { repo, outside } = jail();
    const call = await toolsOn(repo);
    expect(await call('read', { path: 'link.txt' })).toEqual({
      text: `link.txt is a symlink to ${join(outside, 'secret.txt')}.`,
      failed: false,
      opened: null,
    });
    expect((await call('read', { path: 'up' })).text).toContain('is a symlink to ../../etc/passwd.');
    expect((await call('grep', { pattern: 'secret' })).text).not.toContain(SECRET);
    expect((await call('grep', { pattern: 'root:' })).text).toBe('(No line matches.)');
  });

  test('withheld, ignored and hidden files are in no list and no search', async () => {
    const { repo } = jail();
    const call = await toolsOn(repo);
    const { text } = await call('glob', { glob: '**' });
    for (const path of ['.env', 'ignored.txt', '.deepwork']) expect(text).not.toContain(path);
    expect((await call('grep', { pattern: 'TOKEN|"status"' })).text).toBe('(No line matches.)');
  });

  test('a submodule is named and not entered', async () => {
    const inner = repoWith({ 'inside.txt': SECRET });
    const { repo } = jail();
    repo.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.root, 'module');
    const call = await toolsOn(repo);
    const submodule = await call('read', { path: 'module' });
    expect([submodule.failed, submodule.text]).toEqual([true, expect.stringContaining('is a submodule at')]);
    expect((await call('read', { path: 'module/inside.txt' })).failed).toBe(true);
    expect((await call('grep', { pattern: SECRET })).text).toBe('(No line matches.)');
  });

  test('binary and huge files are not shown', async () => {
    const { repo } = jail();
    const call = await toolsOn(repo);
    expect((await call('read', { path: 'data.bin' })).text).toBe('data.bin is binary (4 bytes).');
    expect((await call('read', { path: 'huge.txt' })).text).toContain('too large to read');
    expect((await call('diff', { path: 'huge.txt' })).text).toContain('too large');
  });

  test('a name with a line break can be read and is quoted', async () => {
    const { repo } = jail();
    const call = await toolsOn(repo);
    expect((await call('read', { path: 'line\nbreak.ts' })).text).toBe('1\todd name');
    expect((await call('glob', { glob: 'line*' })).text).toBe('"line\\nbreak.ts"');
    expect((await call('grep', { pattern: 'odd name' })).text).toBe('"line\\nbreak.ts":1: odd name');
  });

  test.each([
    ['no arguments', 'read', null],
    ['a missing path', 'read', {}],
    ['a path that is not a text', 'read', { path: { a: 1 } }],
    ['an unknown tool', 'bash', { command: 'cat /etc/passwd' }],
    ['a glob out of the repository', 'glob', { glob: '../**' }],
    ['a glob that expands too far', 'glob', { glob: '{a,b}'.repeat(40) }],
    ['a broken pattern', 'grep', { pattern: '(' }],
  ])('a call with %s gets a sentence and opens nothing', async (_title, name, input) => {
    const call = await toolsOn(repoWith({ 'a.txt': 'a\n' }));
    const end = await call(name, input);
    expect([end.failed, end.opened]).toEqual([true, null]);
    expect(end.text).toMatch(/^[A-Z"].*\.$/s);
  });
});

describe('the tools', () => {
  test('read shows lines with numbers and says how to go on', async () => {
    const { repo } = jail();
    const call = await toolsOn(repo);
    const first = await call('read', { path: 'long.txt' });
    expect(first.opened).toBe('long.txt');
    expect(first.text).toMatch(/^1\tline 1\n2\tline 2\n/);
    expect(first.text.split('\n').at(-1)).toBe('(3000 more lines: read again with "from": 2001.)');
    const part = await call('read', { path: './long.txt', from: 4999, lines: 10 });
    expect(part.text).toBe('4999\tline 4999\n5000\tline 5000');
    expect((await call('read', { path: 'long.txt', from: 9999 })).text).toBe('(The file has only 5000 lines.)');
    expect((await call('read', { path: 'wide.txt' })).text.length).toBeLessThan(TOOL_LIMITS.lineCharacters + 100);
  });

  test('read shows the file after the change, show_base the one before', async () => {
    const { repo } = jail();
    const call = await toolsOn(repo);
    expect((await call('read', { path: 'src/a.ts' })).text).toBe('1\texport const a = 2;');
    expect((await call('show_base', { path: 'src/a.ts' })).text).toBe('1\texport const a = 1;');
    expect((await call('diff', { path: 'src/a.ts' })).text).toContain('-export const a = 1;\n+export const a = 2;');
    expect((await call('diff', { path: 'lib/b.ts' })).text).toBe('lib/b.ts is not changed.');
  });

  test('the disk is not read: a later edit is not seen', async () => {
    const { repo } = jail();
    const call = await toolsOn(repo);
    repo.write('src/a.ts', 'export const a = 3;\n');
    expect((await call('read', { path: 'src/a.ts' })).text).toBe('1\texport const a = 2;');
  });

  test('grep pages through its matches', async () => {
    const { repo } = jail();
    const call = await toolsOn(repo);
    const first = await call('grep', { pattern: '^line \\d+$', glob: '*.txt' });
    expect(first.text.split('\n').at(-1)).toBe('(More lines match: search again with "skip": 200.)');
    const next = await call('grep', { pattern: '^line \\d+$', glob: '*.txt', skip: 200 });
    expect(next.text.split('\n')[0]).toBe('long.txt:201: line 201');
    expect((await call('grep', { pattern: 'CONST A', ignore_case: true })).text).toBe(
      'src/a.ts:1: export const a = 2;',
    );
  });
});
