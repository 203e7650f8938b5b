import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { composeReviewId, inHashOrder } from '@onceover/gates/rules/review-id';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { copyWorkingTree, filesNamed, isSpelledSo, openContents, readText } from '../../src/git/working-files.ts';

const MIB = 1024 * 1024;
const SECRET = 'content of a file outside';

/** Makes a folder with `inside.txt` and `folder/deep.txt`, and a file outside that no link may reach. */
function workingTree(): { readonly root: string; readonly outside: string } {
  const top = temporaryFolder();
  const [root, outside] = [join(top, 'repo'), join(top, 'repository-of-another')];
  mkdirSync(join(root, 'folder'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, 'inside.txt'), 'inside');
  writeFileSync(join(root, 'folder/deep.txt'), 'deep');
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  return { root, outside };
}

function keepGitConfig(root: string): void {
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git/config'), 'password = secret');
}

function digest(root: string, ...paths: string[]) {
  return openContents(root).digest(paths as RepoPath[]);
}

test('an id ends with 12 digits of SHA-256 over the contents, files in order [REVIEW-REQ-009.1.4]', async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'a'));
  writeFileSync(join(root, 'a/b.py'), 'first in the list, last in the hash\r\n');
  writeFileSync(join(root, 'a-z.py'), Buffer.from([0xff, 0, 0x0d]));
  const paths = inHashOrder(['a/b.py', 'a-z.py'] as RepoPath[]);
  const { hash } = await digest(root, ...paths);
  const bytes = Buffer.concat([Buffer.from([0xff, 0, 0x0d]), Buffer.from('first in the list, last in the hash\r\n')]);
  expect(hash).toBe(sha256(bytes));
  const id = composeReviewId({ rule: 'style', paths, contentHash: hash });
  expect(id).toBe(`style--a-b.py_AND_a-z.py--${sha256(bytes).slice(0, 12)}`);
});

type Tree = { readonly root: string; readonly outside: string };

test.each<[string, string, (tree: Tree) => unknown]>([
  ['a deleted file', 'inside.txt', ({ root }) => rmSync(join(root, 'inside.txt'))],
  ['a folder', 'folder', () => {}],
  ['a FIFO', 'x', ({ root }) => execFileSync('mkfifo', [join(root, 'x')])],
  ['a broken symlink', 'x', ({ root }) => symlinkSync('nothing', join(root, 'x'))],
  ['a symlink to itself', 'x', ({ root }) => symlinkSync('x', join(root, 'x'))],
  ['a symlink to a folder', 'x', ({ root }) => symlinkSync('folder', join(root, 'x'))],
  [
    'a symlink to a FIFO',
    'x',
    ({ root }) => {
      execFileSync('mkfifo', [join(root, 'pipe')]);
      symlinkSync('pipe', join(root, 'x'));
    },
  ],
  ['a symlink to the outside', 'x', ({ root, outside }) => symlinkSync(join(outside, 'secret.txt'), join(root, 'x'))],
  [
    'a symlink that leaves by ..',
    'x',
    ({ root }) => symlinkSync('../repository-of-another/secret.txt', join(root, 'x')),
  ],
  [
    'a chain of symlinks that leaves',
    'x',
    ({ root, outside }) => {
      symlinkSync('y', join(root, 'x'));
      symlinkSync('folder/z', join(root, 'y'));
      symlinkSync(join(outside, 'secret.txt'), join(root, 'folder/z'));
    },
  ],
  [
    'a file in a symlinked folder that leaves',
    'x/secret.txt',
    ({ root, outside }) => symlinkSync(outside, join(root, 'x')),
  ],
  ['a path through a file', 'inside.txt/x', () => {}],
  ['a file in .git', '.git/config', ({ root }) => keepGitConfig(root)],
  [
    'a symlink to what git keeps for itself',
    'x',
    ({ root }) => [keepGitConfig(root), symlinkSync('.git/config', join(root, 'x'))],
  ],
  ['a name that is too long', 'x'.repeat(256), () => {}],
])('%s counts as MISSING [REVIEW-REQ-009.1.5]', async (_, path, prepare) => {
  const tree = workingTree();
  prepare(tree);
  const { hash, files } = await digest(tree.root, 'folder/deep.txt', path, 'folder/deep.txt');
  expect(hash).toBe(sha256('deepMISSINGdeep'));
  expect(files[1]).toMatchObject({ path, sha256: null });
});

test.each([
  ['inside.txt', 'inside'],
  ['./folder/deep.txt', 'deep'],
  ['folder/../folder/deep.txt', 'deep'],
])('a symlink to %s has the content of that file and is reported as a link', async (target, content) => {
  const { root } = workingTree();
  symlinkSync(target, join(root, 'x'));
  expect(await digest(root, 'x')).toEqual({
    hash: sha256(content),
    files: [{ path: 'x', sha256: sha256(content), link: target }],
  });
});

test('follows a symlink with the absolute path of a file inside', async () => {
  const { root } = workingTree();
  symlinkSync(join(root, 'inside.txt'), join(root, 'x'));
  expect(await digest(root, 'x')).toMatchObject({ hash: sha256('inside') });
});

test('reads from a root behind a symlink', async () => {
  const { root } = workingTree();
  symlinkSync(root, `${root}-link`);
  expect(await digest(`${root}-link`, 'inside.txt')).toMatchObject({ hash: sha256('inside') });
});

test('hashes small, large and missing files in any order', async () => {
  const { root } = workingTree();
  const large = Buffer.alloc(4 * MIB + 1, 'onceover');
  const limit = Buffer.alloc(4 * MIB, 'limit');
  writeFileSync(join(root, 'large.bin'), large);
  writeFileSync(join(root, 'limit.bin'), limit);
  const contents = openContents(root);
  const bytes: Record<string, Uint8Array> = {
    'large.bin': large,
    'limit.bin': limit,
    'inside.txt': Buffer.from('inside'),
    gone: Buffer.from('MISSING'),
  };
  for (const order of [
    ['large.bin', 'inside.txt', 'gone'],
    ['gone', 'inside.txt', 'large.bin'],
    ['inside.txt', 'large.bin', 'gone', 'limit.bin', 'large.bin', 'inside.txt'],
  ]) {
    const { hash, files } = await contents.digest(order as RepoPath[]);
    expect(hash).toBe(sha256(Buffer.concat(order.map((path) => bytes[path] ?? Buffer.of()))));
    expect(files[order.indexOf('large.bin')]?.sha256).toBe(sha256(large));
  }
});

test('hashes more than 64 MiB of small files, the first and the second time', async () => {
  const root = temporaryFolder();
  const paths = Array.from({ length: 18 }, (_, n) => `${n}.bin`);
  const hash = createHash('sha256');
  for (const [n, path] of paths.entries()) {
    const bytes = Buffer.alloc(4 * MIB, n + 1);
    writeFileSync(join(root, path), bytes);
    hash.update(bytes);
  }
  const contents = openContents(root);
  const first = await contents.digest(paths as RepoPath[]);
  expect(first.hash).toBe(hash.digest('hex'));
  expect(await contents.digest(paths as RepoPath[])).toEqual(first);
});

test('reads a file once and ignores later changes', async () => {
  const { root } = workingTree();
  const contents = openContents(root);
  await contents.digest(['inside.txt' as RepoPath]);
  writeFileSync(join(root, 'inside.txt'), 'changed');
  expect(await contents.digest(['inside.txt' as RepoPath])).toMatchObject({ hash: sha256('inside') });
  expect(await digest(root, 'inside.txt')).toMatchObject({ hash: sha256('changed') });
});

test.each<[string, (tree: Tree) => void, string]>([
  [
    'a symlink that leaves',
    ({ root, outside }) => symlinkSync(join(outside, 'secret.txt'), join(root, 'x')),
    'outside',
  ],
  ['a symlink to nothing', ({ root }) => symlinkSync('nothing', join(root, 'x')), 'missing'],
  ['a symlink to itself', ({ root }) => symlinkSync('x', join(root, 'x')), 'unreadable'],
  ['a FIFO', ({ root }) => execFileSync('mkfifo', [join(root, 'x')]), 'not-a-file'],
])('has no text for %s', async (_, prepare, why) => {
  const tree = workingTree();
  prepare(tree);
  expect(await openContents(tree.root).text('x' as RepoPath, 99)).toEqual({ kind: 'unusable', why });
});

test('cuts a text at the end of a character for every limit', () => {
  const root = temporaryFolder();
  const text = 'aä日😀'.repeat(3);
  writeFileSync(join(root, 'x'), text);
  for (let limit = 0; limit <= 30; limit++) {
    let whole = '';
    for (const char of text) {
      if (Buffer.byteLength(whole + char) > limit) break;
      whole += char;
    }
    const fileText = { kind: 'text', text: whole, bytes: Buffer.byteLength(whole), cut: limit < 30 };
    expect(readText(root, 'x', limit), `${limit}`).toEqual(fileText);
  }
});

test.each([
  ['a symlink to a folder', 'link-to-folder', 'file'],
  ['a symlink to nothing', 'link-to-nothing', 'file'],
  ['a name that is too long', 'x'.repeat(256), 'missing'],
])('exists checks the path itself: %s', async (_, path, kind) => {
  const { root } = workingTree();
  symlinkSync('folder', join(root, 'link-to-folder'));
  symlinkSync('nothing', join(root, 'link-to-nothing'));
  expect(await openContents(root).exists(path as RepoPath)).toBe(kind);
});

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

test('files that an agent would load are found and left out in any spelling of their names', async () => {
  const root = temporaryFolder();
  execFileSync('git', ['init', '-q'], { cwd: root });
  const loaded = ['.OpenCode/plugin/x.js', 'OpenCode.JSON', '.opencode\u200b/y.js'];
  const named = ['src/AGENT\u017f.md', 'src/agents.MD', 'src/deep/AGENTS\u00ad.md'];
  const others = ['src/a.js', 'src/AGENTS2.md', 'opencode.json5'];
  for (const path of [...loaded, ...named, ...others]) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), 'x');
  }
  const found = await filesNamed(root, ['AGENTS.md']);
  expect(found.ok && [...found.value].sort()).toEqual([...named].sort());
  const copy = temporaryFolder();
  expect((await copyWorkingTree(root, copy, ['.opencode', 'opencode.json', ...named])).ok).toBe(true);
  expect([...loaded, ...named].filter((path) => existsSync(join(copy, path)))).toEqual([]);
  expect(others.filter((path) => !existsSync(join(copy, path)))).toEqual([]);
});

test('a path is spelled as the disk lists it, also on a disk that finds other spellings', () => {
  const folders: Readonly<Record<string, readonly string[]>> = {
    '/r': ['src', 'ä'.normalize('NFC')],
    '/r/src': ['A.js'],
  };
  const list = (folder: string) => folders[folder.replace('SRC', 'src')] ?? [];
  const verdicts = ['src', 'src/A.js', 'SRC', 'SRC/A.js', 'src/a.js', 'ä'.normalize('NFD'), ''].map((path) =>
    isSpelledSo('/r', path, list),
  );
  expect(verdicts).toEqual([true, true, false, false, false, false, true]);
});
