import { join } from 'node:path';
import type { DiffSection } from '@onceover/base/kernel/repository';
import { asPaths, type Repo, snapshotsAt, someRepo, value } from '@onceover/testing/snapshots.ts';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readPatch } from '../../src/git/diff/patch.ts';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

const LINES = Array.from({ length: 20 }, (_, n) => (n === 10 ? '\n' : `line ${n}\n`)).join('');

/** Returns the tree of the current working tree. */
function treeOf(repo: Repo): string {
  repo.stage();
  return repo.git('write-tree').trim();
}

/** Returns the diff sections of the changes that `act` makes. */
async function sectionsOf(repo: Repo, act: () => unknown, contextLines = 3): Promise<readonly DiffSection[]> {
  const from = treeOf(repo);
  act();
  return value(await (await snapshotsAt(repo.root)).sections(from, treeOf(repo), contextLines));
}

const pathsOf = (sections: readonly DiffSection[]) => sections.map(({ paths }) => paths);

test('one section per file, sorted by path', async () => {
  const repo = someRepo();
  const sections = await sectionsOf(repo, () => {
    repo.write('sub/c.txt', 'new\n');
    repo.remove('b.txt');
    repo.write('added.txt', 'diff --git a/x b/x\n\n\rdiff --git a/y b/y\n\u2028diff --git a/z b/z\n');
    repo.mode('a.txt', 0o755);
  });
  expect(pathsOf(sections)).toEqual([['a.txt'], ['added.txt'], ['b.txt'], ['sub/c.txt']]);
  expect(sections.map(({ text }) => text)).toEqual([
    'diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n',
    expect.stringMatching(/^diff --git a\/added.txt b\/added.txt\nnew file mode 100644\nindex 0{12}\.\.\w{12}\n/),
    expect.stringMatching(/^diff --git a\/b.txt b\/b.txt\ndeleted file mode 100644\n/),
    expect.stringMatching(/\n--- a\/sub\/c.txt\n\+\+\+ b\/sub\/c.txt\n@@ -1 \+1 @@\n-c\n\+new\n$/),
  ]);
});

test('no sections for equal trees', async () => {
  expect(await sectionsOf(someRepo(), () => {})).toEqual([]);
});

test('a rename has both paths', async () => {
  const repo = someRepo({ 'old name.txt': LINES });
  const [section, ...otherSections] = await sectionsOf(repo, () => {
    repo.remove('old name.txt');
    repo.write('sub/new.txt', LINES.replace('line 3', 'line three'));
  });
  expect(otherSections).toEqual([]);
  expect(section?.paths).toEqual(['old name.txt', 'sub/new.txt']);
  expect(section?.text).toContain('rename from old name.txt\nrename to sub/new.txt\n');
});

test('a file that becomes a symlink is one section with both', async () => {
  const repo = someRepo();
  const sections = await sectionsOf(repo, () => {
    repo.remove('a.txt');
    repo.link('a.txt', 'b.txt');
    repo.write('b.txt', '2');
  });
  expect(pathsOf(sections)).toEqual([['a.txt'], ['b.txt']]);
  expect(sections[0]?.text).toMatch(/deleted file mode 100644.*new file mode 120000/s);
});

test('a submodule shows its commits', async () => {
  const repo = someRepo();
  repo.git('config', 'diff.submodule', 'log');
  const sections = await sectionsOf(repo, () => {
    repo.git('init', '-q', 'inner');
    repo.git('-C', 'inner', 'commit', '-q', '--allow-empty', '-m', 'inside');
  });
  expect(sections).toMatchObject([{ paths: ['inner'], text: expect.stringContaining('+Subproject commit ') }]);
});

test('has the requested number of context lines', async () => {
  const repo = someRepo({ 'long.txt': LINES });
  const change = (n: number) => () => repo.write('long.txt', LINES.replace('line 9\n', `line nine ${n}\n`));
  const count = async (lines: number) => (await sectionsOf(repo, change(lines), lines))[0]?.text.match(/^ /gm)?.length;
  expect(await count(3)).toBe(6);
  expect(await count(1)).toBe(2);
  expect(await count(0)).toBeUndefined();
});

test('shows names of every kind', async () => {
  const names = [
    ' spaces ',
    '"quoted"',
    'a b/x',
    'new\nline',
    'tab\there',
    '-dash',
    '--',
    ':c',
    '[x]',
    '*',
    'ä',
    '😀',
    'b => c',
  ];
  const repo = someRepo();
  const from = treeOf(repo);
  for (const [n, name] of names.entries()) repo.write(name, `${n} of it\n`);
  const to = treeOf(repo);
  const snapshots = await snapshotsAt(repo.root);
  for (const sections of [
    value(await snapshots.sections(from, to, 3)),
    value(await snapshots.plainSections(from, to, asPaths(...names))),
  ]) {
    expect(new Set(sections.flatMap(({ paths }) => paths))).toEqual(new Set(names));
    for (const { paths, text } of sections) {
      expect(text).toContain(`+${names.indexOf(paths[0] ?? '')} of it\n`);
    }
  }
  expect(value(await snapshots.sections(from, to, 3)).find(({ paths }) => paths[0] === 'ä')?.text).toContain('b/ä\n');
});

describe('the user’s settings and attributes', () => {
  const change = (repo: Repo) => () => {
    repo.remove('old.txt');
    repo.write('new.txt', LINES.replace('line 3', 'line three').replace('line 12\n', 'line twelve\n\n'));
    repo.write('a.txt', 'a  \n\nb\n');
  };

  test.each<[string, string]>([
    ['diff.noprefix', 'true'],
    ['diff.mnemonicPrefix', 'true'],
    ['diff.external', 'false'],
    ['diff.context', '0'],
    ['diff.interHunkContext', '20'],
    ['diff.algorithm', 'patience'],
    ['diff.renames', 'false'],
    ['diff.renames', 'copies'],
    ['diff.renameLimit', '1'],
    ['diff.suppressBlankEmpty', 'true'],
    ['diff.indentHeuristic', 'false'],
    ['diff.relative', 'true'],
    ['diff.wsErrorHighlight', 'all'],
    ['diff.colorMoved', 'zebra'],
    ['diff.ignoreSubmodules', 'all'],
    ['diff.orderFile', 'order'],
    ['color.ui', 'always'],
    ['core.abbrev', '4'],
    ['core.quotePath', 'true'],
    ['core.bigFileThreshold', '1'],
    ['core.attributesFile', 'attributes'],
    ['core.whitespace', 'cr-at-eol'],
  ])('%s=%s makes no difference', async (name, setting) => {
    const files = { 'old.txt': LINES, order: 'new.txt\n', attributes: '*.txt -diff\n' };
    const plain = someRepo(files);
    const set = someRepo(files);
    set.git('config', name, name.endsWith('File') ? join(set.root, setting) : setting);
    expect(await sectionsOf(set, change(set))).toEqual(await sectionsOf(plain, change(plain)));
  });

  test('the environment makes no difference', async () => {
    vi.stubEnv('GIT_DIFF_OPTS', '-u0');
    vi.stubEnv('GIT_EXTERNAL_DIFF', 'false');
    onTestFinished(() => void vi.unstubAllEnvs());
    // git's environment is read once.
    vi.resetModules();
    const { snapshotsAt } = await import('@onceover/testing/snapshots.ts');
    const repo = someRepo({ 'long.txt': LINES });
    const from = treeOf(repo);
    repo.write('long.txt', LINES.replace('line 9', 'line nine'));
    const [section] = value(await (await snapshotsAt(repo.root)).sections(from, treeOf(repo), 3));
    expect(section?.text.match(/^ /gm)).toHaveLength(6);
  });

  test.each(['-diff', 'binary', 'diff=odd', '-text -diff'])('text is shown although it is %s', async (attributes) => {
    const repo = someRepo({
      '.gitattributes': `*.txt ${attributes}\n*.bin -diff\n`,
      'x.bin': '\0one',
      'old.txt': LINES,
    });
    repo.git('config', 'diff.odd.binary', 'true');
    repo.git('config', 'diff.odd.textconv', 'false');
    repo.git('config', 'diff.odd.command', 'false');
    const from = treeOf(repo);
    repo.write('a.txt', 'changed\n');
    repo.write('new.txt', 'new\n');
    repo.remove('b.txt');
    repo.write('sub/c.txt', 'with\0zero\n');
    repo.write('x.bin', '\0two');
    repo.write('text.bin', 'text\n');
    repo.git('mv', 'old.txt', 'renamed.txt');
    repo.write('renamed.txt', LINES.replace('line 9', 'line nine'));
    const to = treeOf(repo);
    const snapshots = await snapshotsAt(repo.root);
    const texts = new Map(
      value(await snapshots.sections(from, to, 1)).map(({ paths, text }) => [paths.join(' > '), text]),
    );
    expect(texts.get('a.txt')).toContain('-a\n+changed\n');
    expect(texts.get('new.txt')).toContain('+new\n');
    expect(texts.get('b.txt')).toContain('-b\n');
    expect(texts.get('text.bin')).toContain('+text\n');
    expect(texts.get('old.txt > renamed.txt')).toContain('+line nine\n');
    expect(texts.get('sub/c.txt')).toMatch(/\n-c\n\+with\\x00zero\n$/);
    expect(texts.get('x.bin')).toMatch(/\n\+\\x00two\n\\ No newline at end of file\n$/);
    const [plain] = value(await snapshots.plainSections(from, to, asPaths('a.txt')));
    expect(plain?.text).toContain('-a\n+changed\n');
  });

  test('finds a NUL at the very end of a long file', async () => {
    const repo = someRepo({ '.gitattributes': '*.txt -diff\n' });
    const long = 'x'.repeat(300_000);
    const sections = await sectionsOf(repo, () => {
      repo.write('clean.txt', `${long}\n`);
      repo.write('empty.txt', '');
      repo.write('zero.txt', `${long}\0`);
      repo.write('after.txt', 'short\n');
    });
    const texts = new Map(sections.map(({ paths, text }) => [paths[0], text]));
    expect(texts.get('clean.txt' as never)).toContain(`+${long}\n`);
    expect(texts.get('zero.txt' as never)).toContain(`+${long}\\x00\n`);
    expect(texts.get('after.txt' as never)).toContain('+short\n');
  });

  test('a binary that becomes a submodule', async () => {
    const repo = someRepo({ inner: '\0' });
    const sections = await sectionsOf(repo, () => {
      repo.remove('inner');
      repo.git('init', '-q', 'inner');
      repo.git('-C', 'inner', 'commit', '-q', '--allow-empty', '-m', 'inside');
    });
    expect(sections).toMatchObject([{ paths: ['inner'], text: expect.stringContaining('+Subproject commit ') }]);
  });
});

describe('selected paths', () => {
  test('are shown without renames and without files below them', async () => {
    const repo = someRepo({ 'old.txt': LINES });
    const from = treeOf(repo);
    repo.git('mv', 'old.txt', 'new.txt');
    repo.remove('a.txt');
    repo.write('a.txt/inside', '1');
    repo.write('b.txt', '2');
    const to = treeOf(repo);
    const snapshots = await snapshotsAt(repo.root);
    const plain = (...paths: string[]) => snapshots.plainSections(from, to, asPaths(...paths));
    expect(pathsOf(value(await plain('new.txt', 'a.txt')))).toEqual([['a.txt'], ['new.txt']]);
    expect(pathsOf(value(await plain('a.txt/inside', 'a.txt', 'sub/c.txt')))).toEqual([['a.txt'], ['a.txt/inside']]);
    expect(pathsOf(value(await plain('sub', 'never')))).toEqual([]);
    expect(await plain()).toEqual({ ok: true, value: [] });
  });

  test('can be more than fit on a command line', async () => {
    const repo = someRepo();
    const names = Array.from({ length: 450 }, (_, n) => `${'long/'.repeat(40)}${String(n).padStart(3, '0')}`);
    const from = treeOf(repo);
    for (const name of names) repo.write(name, name);
    const snapshots = await snapshotsAt(repo.root);
    const sections = value(await snapshots.plainSections(from, treeOf(repo), asPaths(...[...names].reverse())));
    expect(pathsOf(sections)).toEqual(names.map((name) => [name]));
  });
});

describe('a missing tree', () => {
  test.each(['1'.repeat(40), '--output=stolen', 'HEAD', '', 'main:sub'])('%j', async (odd) => {
    const repo = someRepo();
    const tree = treeOf(repo);
    const snapshots = await snapshotsAt(repo.root);
    const failure = { ok: false, failure: { kind: 'git-failed' } };
    expect(await snapshots.sections(odd, tree, 3)).toMatchObject(failure);
    expect(await snapshots.sections(tree, odd, 3)).toMatchObject(failure);
    expect(await snapshots.plainSections(tree, odd, asPaths('a.txt'))).toMatchObject(failure);
    expect(await snapshots.textIn(odd as never, asPaths('a.txt')[0] as never)).toMatchObject(failure);
    expect(await snapshots.keep(odd as never)).toMatchObject(failure);
    expect(repo.git('status', '--porcelain')).toBe('');
  });
});

test('a patch that does not match its list is rejected', () => {
  const raw = ':100644 100644 111111111111 222222222222 M\0a\0';
  expect(readPatch(Buffer.from(`${raw}\0diff --git a/a b/a\n`))).toHaveLength(1);
  expect(readPatch(Buffer.from(`${raw}\0diff --git a/a b/a\ndiff --git a/b b/b\n`))).toBeNull();
  expect(readPatch(Buffer.from(`${raw}\0`))).toBeNull();
  expect(readPatch(Buffer.from(raw))).toBeNull();
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void readPatch(Buffer.from(bytes))));
});
