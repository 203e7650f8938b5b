import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { byCodePoint } from '@onceover/base/kernel/collections';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { DEFAULT_BASES } from '@onceover/base/kernel/repository';
import { onceover } from '@onceover/testing/cli.ts';
import { emptyRepo, repoWith, type TestRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findRepository } from '../../src/git/locate.ts';
import { openRepository } from '../../src/git/repository.ts';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

type Repo = TestRepo & {
  stage(): void;
  remove(path: string): void;
  touch(path: string): void;
  link(path: string, target: string): void;
};

/** A repository with `a.txt`, `b.txt` and `sub/c.txt` on main, and branch work checked out. */
function someRepo(): Repo {
  const repo = repoWith({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n' });
  const at = (path: string) => join(repo.root, path);
  return {
    ...repo,
    stage: () => repo.git('add', '-A'),
    remove: (path) => rmSync(at(path), { recursive: true }),
    touch: (path) => utimesSync(at(path), 1_000_000, 1_000_000),
    link: (path, target) => symlinkSync(target, at(path)),
  };
}

async function repositoryAt(folder: string) {
  const place = await findRepository(folder);
  if (!place.ok) throw new Error(JSON.stringify(place.failure));
  return openRepository(place.value);
}

async function changesAt(folder: string, base: string | null = null) {
  return (await repositoryAt(folder)).changes(base);
}

/** Clones into a new folder. */
function clone(repo: TestRepo, ...options: string[]): string {
  const root = join(temporaryFolder(), 'clone');
  repo.git('clone', '-q', ...options, `file://${repo.root}`, root);
  return root;
}

const NO_REFRESH = 'diff.autoRefreshIndex';
const onMain = (repo: TestRepo) => repo.git('branch', '-f', 'main');
const changesOf = (...paths: string[]) => ({ ok: true, value: { changed: paths, deleted: [], submodules: [] } });

describe('changed files', () => {
  test.each<[string, string[], string[], (repo: Repo) => unknown]>([
    ['unchanged', [], [], () => {}],
    ['committed', ['a.txt'], [], (repo) => [repo.write('a.txt', '2'), repo.commit()]],
    ['staged', ['a.txt'], [], (repo) => [repo.write('a.txt', '2'), repo.stage()]],
    ['unstaged', ['a.txt'], [], (repo) => repo.write('a.txt', '2')],
    ['staged, changed', ['a.txt'], [], (repo) => [repo.write('a.txt', '2'), repo.stage(), repo.write('a.txt', '3')]],
    ['staged, reverted', [], [], (repo) => [repo.write('a.txt', '2'), repo.stage(), repo.write('a.txt', 'a\n')]],
    ['committed, reverted', [], [], (repo) => [repo.write('a.txt', '2'), repo.commit(), repo.write('a.txt', 'a\n')]],
    ['untracked', ['new/file.txt'], [], (repo) => repo.write('new/file.txt', '')],
    [
      'added with intent-to-add',
      ['new.txt'],
      [],
      (repo) => [repo.write('new.txt', 'n'), repo.git('add', '-N', 'new.txt')],
    ],
    ['added, removed', [], [], (repo) => [repo.write('new.txt', 'n'), repo.stage(), repo.remove('new.txt')]],
    ['renamed', ['z.txt'], ['a.txt'], (repo) => repo.git('mv', 'a.txt', 'z.txt')],
    ['renamed, committed', ['z.txt'], ['a.txt'], (repo) => [repo.git('mv', 'a.txt', 'z.txt'), repo.commit()]],
    ['deleted', [], ['a.txt'], (repo) => repo.remove('a.txt')],
    ['deleted, staged', [], ['a.txt'], (repo) => repo.git('rm', '-q', 'a.txt')],
    ['deleted, committed', [], ['a.txt'], (repo) => [repo.remove('a.txt'), repo.commit()]],
    ['untracked with git rm --cached', ['a.txt'], [], (repo) => repo.git('rm', '-q', '--cached', 'a.txt')],
    ['new mode', ['a.txt'], [], (repo) => chmodSync(join(repo.root, 'a.txt'), 0o755)],
    ['symlink instead of a file', ['a.txt'], [], (repo) => [repo.remove('a.txt'), repo.link('a.txt', 'b.txt')]],
    ['folder instead of a file', ['a.txt/x'], ['a.txt'], (repo) => [repo.remove('a.txt'), repo.write('a.txt/x', '')]],
    ['file instead of a folder', ['sub'], ['sub/c.txt'], (repo) => [repo.remove('sub'), repo.write('sub', '')]],
    ['touched', [], [], (repo) => repo.touch('a.txt')],
    [
      'touched, without index refresh',
      [],
      [],
      (repo) => [repo.git('config', NO_REFRESH, 'false'), repo.touch('a.txt')],
    ],
    ['ignored', [], [], (repo) => [repo.write('.git/info/exclude', '*.log\n'), repo.write('sub/x.log', '')]],
    ['ignored, but tracked', ['a.txt'], [], (repo) => [repo.write('.git/info/exclude', '*'), repo.write('a.txt', '2')]],
    ['left out by a sparse checkout', [], [], (repo) => repo.git('sparse-checkout', 'set', '--no-cone', 'a.txt')],
  ])('%s', async (_, changedPaths, deletedPaths, act) => {
    const repo = someRepo();
    act(repo);
    const value = { base: { name: 'main' }, changed: changedPaths, deleted: deletedPaths, submodules: [] };
    expect(await changesAt(repo.root)).toMatchObject({ ok: true, value });
  });

  test('do not depend on the user’s settings', async () => {
    const repo = someRepo();
    repo.git('config', 'color.ui', 'always');
    repo.git('config', 'diff.external', 'false');
    repo.git('config', 'diff.renames', 'copies');
    repo.git('config', 'status.showUntrackedFiles', 'no');
    repo.git('mv', 'a.txt', 'z.txt');
    repo.write('new.txt', '');
    expect(await changesAt(repo.root)).toMatchObject({ value: { changed: ['new.txt', 'z.txt'], deleted: ['a.txt'] } });
  });

  test('leave out changes that are only on main', async () => {
    const repo = someRepo();
    repo.git('checkout', '-q', 'main');
    repo.write('a.txt', '2');
    repo.commit();
    repo.git('checkout', '-q', 'work');
    expect(await changesAt(repo.root)).toMatchObject(changesOf());
  });

  test('leave out a file of which git converts the line endings', async () => {
    const repo = someRepo();
    repo.git('config', 'core.autocrlf', 'true');
    repo.remove('a.txt');
    repo.git('checkout', '--', 'a.txt');
    expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe('a\r\n');
    repo.touch('a.txt');
    expect(await changesAt(repo.root)).toMatchObject(changesOf());
  });

  test('are the same for the same content in another commit', async () => {
    const repo = someRepo();
    repo.write('a.txt', '2');
    const answer = await changesAt(repo.root);
    repo.commit();
    const changes = await changesAt(repo.root);
    repo.git('commit', '-q', '--amend', '-m', 'said otherwise');
    expect(changes).toEqual(answer);
    expect(await changesAt(repo.root)).toEqual(answer);
  });

  test('list a path once during a merge', async () => {
    const repo = someRepo();
    repo.write('a.txt', 'ours');
    repo.remove('b.txt');
    repo.commit();
    repo.git('checkout', '-q', '-b', 'other', 'main');
    repo.write('a.txt', 'theirs');
    repo.write('b.txt', 'theirs');
    repo.commit();
    expect(() => repo.git('merge', '-q', 'work')).toThrow();
    const result = await changesAt(repo.root);
    expect(result).toMatchObject(changesOf('a.txt', 'b.txt'));
    expect(result).toMatchObject({ value: { listing: { tracked: ['a.txt', 'b.txt', 'sub/c.txt'] } } });
  });

  test('are found without reading an ignored folder', async () => {
    const repo = someRepo();
    for (let n = 0; n < 30; n++) repo.write(`out/${n}/x`, '');
    repo.write('.git/info/exclude', 'out/\n');
    const trace = join(temporaryFolder(), 'trace');
    // git's environment is read once, so tracing git needs a new copy of the module.
    vi.stubEnv('GIT_TRACE2_EVENT', trace);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.resetModules();
    const { openRepository } = await import('../../src/git/repository.ts');
    const { place } = await repositoryAt(repo.root);
    expect(await openRepository(place).changes(null)).toMatchObject(changesOf());
    const folderCounts = readFileSync(trace, 'utf8').match(/(?<="directories-visited","value":")\d+/g) ?? [];
    expect(folderCounts.length).toBeGreaterThan(0);
    expect(Math.max(...folderCounts.map(Number))).toBeLessThan(10);
  });

  test('leave the user’s index unchanged', async () => {
    const repo = someRepo();
    const index = () => readFileSync(join(repo.root, '.git/index'));
    repo.touch('a.txt');
    repo.write('b.txt', '2');
    const before = index();
    expect(await changesAt(repo.root)).toMatchObject(changesOf('b.txt'));
    expect(index().equals(before)).toBe(true);
  });
});

describe('names', () => {
  const odd = [
    ' spaces ',
    '"quoted"',
    'back\\slash',
    'new\nline',
    'tab\there',
    '#',
    '*',
    '-dash',
    '--',
    '[x]',
    ':c',
    ':!n',
    ':(top)x',
  ];
  const names = [...odd, 'ä.txt', '日本/日本.txt', '😀.txt', '\ufffd.txt'].sort(byCodePoint);

  test('are literal for untracked, changed and deleted files', async () => {
    const repo = repoWith({ 'a.txt': '' });
    for (const name of names) repo.write(name, '1');
    expect(await changesAt(repo.root)).toMatchObject(changesOf(...names));
    repo.commit();
    onMain(repo);
    expect(await changesAt(repo.root)).toMatchObject(changesOf());
    for (const name of names) repo.write(name, '2');
    expect(await changesAt(repo.root)).toMatchObject(changesOf(...names));
    for (const name of names) rmSync(join(repo.root, name));
    expect(await changesAt(repo.root)).toMatchObject({ value: { changed: [], deleted: names } });
  });

  test('are literal for known and ignored files', async () => {
    const repo = repoWith(Object.fromEntries(names.map((name) => [name, '1'])));
    const { known, ignores } = await repositoryAt(repo.root);
    expect(await known([...names, 'never'] as RepoPath[], null)).toEqual({ ok: true, value: new Set(names) });
    repo.git('rm', '-q', '-r', '--cached', '.');
    repo.write('.git/info/exclude', '*\n');
    for (const name of names) expect(await ignores(name as RepoPath), name).toEqual({ ok: true, value: true });
  });

  test.each<[string, (repo: Repo, path: Buffer) => unknown]>([
    ['untracked', () => {}],
    ['committed', (repo) => repo.commit()],
    ['committed, changed', (repo, path) => [repo.commit(), writeFileSync(path, '2')]],
    ['on main, changed', (repo, path) => [repo.commit(), onMain(repo), writeFileSync(path, '2')]],
    ['on main, deleted', (repo, path) => [repo.commit(), onMain(repo), rmSync(path)]],
  ])('that are not UTF-8 are reported without losing other names: %s', async (_, act) => {
    const repo = someRepo();
    const path = Buffer.concat([Buffer.from(`${repo.root}/b`), Buffer.from([0xe4, 0x2e, 0x74])]);
    writeFileSync(path, '1');
    act(repo, path);
    for (const name of ['a.txt', 'b.txt', 'sub/c.txt']) repo.write(name, '2');
    expect(await changesAt(repo.root)).toMatchObject({
      ok: true,
      value: { changed: ['a.txt', 'b.txt', 'sub/c.txt'], deleted: [], listing: { unnameable: ['bä.t'] } },
    });
  });
});

describe.each(['--assume-unchanged', '--skip-worktree'])('a file with %s', (flag) => {
  test.each<[string, string, string[], (repo: Repo) => unknown]>([
    ['that is unchanged', 'a.txt', [], () => {}],
    ['that was touched', 'a.txt', [], (repo) => repo.touch('a.txt')],
    ['that changed', 'a.txt', ['a.txt'], (repo) => repo.write('a.txt', '2')],
    ['that is deleted', 'a.txt', [], (repo) => repo.remove('a.txt')],
    ['that is a folder now', 'a.txt', ['a.txt/x'], (repo) => [repo.remove('a.txt'), repo.write('a.txt/x', '')]],
    ['that is a symlink now', 'a.txt', ['a.txt'], (repo) => [repo.remove('a.txt'), repo.link('a.txt', 'nothing')]],
    ['that is deleted with its folder', 'sub/c.txt', [], (repo) => repo.remove('sub')],
    ['that is a symlink', 'link', [], () => {}],
    ['that is a broken symlink', 'dangling', [], () => {}],
    ['that is another symlink now', 'link', ['link'], (repo) => [repo.remove('link'), repo.link('link', 'sub/c.txt')]],
    ['with a tab in its name', 'tab\there', [], () => {}],
    ['with a line break in its name', 'new\nline', [], () => {}],
    ['with a colon before its name', ':colon', [], () => {}],
  ])('%s', async (_, path, changedPaths, act) => {
    const repo = someRepo();
    for (const name of ['tab\there', 'new\nline', ':colon']) repo.write(name, '1');
    repo.link('link', 'a.txt');
    repo.link('dangling', 'nothing');
    repo.commit();
    onMain(repo);
    repo.git('update-index', flag, '--', path);
    act(repo);
    const unwatchedPaths = lstatSync(join(repo.root, path), { throwIfNoEntry: false }) === undefined ? [] : [path];
    expect(await changesAt(repo.root)).toMatchObject({
      ok: true,
      value: { changed: changedPaths, listing: { unwatched: unwatchedPaths } },
    });
  });
});

describe('nested repositories', () => {
  test.each<[string, string[], string[], (repo: Repo) => unknown]>([
    ['a new submodule', ['.gitmodules'], ['module'], (repo) => repo.git('branch', '-f', 'main', 'HEAD~1')],
    ['an unchanged submodule', [], [], () => {}],
    ['a submodule at another commit', [], ['module'], (repo) => repo.git('-C', 'module', 'checkout', '-q', 'HEAD~1')],
    [
      'a submodule with uncommitted changes',
      [],
      [],
      (repo) => [repo.write('module/x.txt', '2'), repo.write('module/new', '')],
    ],
    ['a removed submodule', ['.gitmodules'], ['module'], (repo) => repo.git('rm', '-q', 'module')],
    ['a submodule with assume-unchanged', [], [], (repo) => repo.git('update-index', '--assume-unchanged', 'module')],
    [
      'an untracked repository',
      [],
      ['nested'],
      (repo) => [repo.git('init', '-q', 'nested'), repo.write('nested/x', '')],
    ],
    ['a linked working tree', [], ['tree'], (repo) => repo.git('worktree', 'add', '-q', 'tree')],
    [
      'an ignored repository',
      [],
      [],
      (repo) => [repo.git('init', '-q', 'nested'), repo.write('.git/info/exclude', 'nested')],
    ],
  ])('%s', async (_, changedPaths, submodules, act) => {
    const repo = someRepo();
    const module = repoWith({ 'x.txt': '1' });
    module.commit();
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', module.root, 'module');
    repo.commit();
    onMain(repo);
    act(repo);
    expect(await changesAt(repo.root)).toMatchObject({ ok: true, value: { changed: changedPaths, submodules } });
  });
});

describe('finding the repository', () => {
  test('gives paths relative to the root from a subfolder', async () => {
    const repo = someRepo();
    repo.git('config', 'diff.relative', 'true');
    repo.write('a.txt', '2');
    repo.write('sub/new.txt', '');
    const repository = await repositoryAt(join(repo.root, 'sub'));
    expect(repository.place).toMatchObject({ root: repo.root, prefix: 'sub', shallow: false, usualBase: 'main' });
    expect(await repository.changes(null)).toMatchObject(changesOf('a.txt', 'sub/new.txt'));
  });

  test('gives a linked working tree its own changes and the shared git folder', async () => {
    const repo = someRepo();
    const root = join(temporaryFolder(), 'tree');
    repo.git('worktree', 'add', '-q', '-b', 'tree', root);
    repo.write('a.txt', '2');
    writeFileSync(join(root, 'b.txt'), '2');
    const repository = await repositoryAt(root);
    expect(repository.place).toMatchObject({ root, commonDir: join(repo.root, '.git'), prefix: '' });
    expect(await repository.changes(null)).toMatchObject(changesOf('b.txt'));
  });

  test.each<[string, () => string, string]>([
    ['outside of any repository', temporaryFolder, 'not-a-repository'],
    ['in a missing folder', () => join(temporaryFolder(), 'gone'), 'not-a-repository'],
    ['in a bare repository', () => clone(someRepo(), '--bare'), 'bare-repository'],
    ['inside .git', () => join(someRepo().root, '.git'), 'bare-repository'],
  ])('fails %s', async (_, make, kind) => {
    const folder = make();
    expect(await findRepository(folder)).toEqual({ ok: false, failure: { kind, folder } });
  });

  test('fails for a root with a line break in its name', async () => {
    const { root, git } = someRepo();
    git('clone', '-q', '.', 'line\nbreak');
    const folder = join(root, 'line\nbreak');
    expect(await findRepository(folder)).toEqual({ ok: false, failure: { kind: 'odd-root', folder } });
  });

  test('fails if git is not installed', async () => {
    const end = await onceover(someRepo().root, ['instructions'], { env: { PATH: temporaryFolder() } });
    expect(end).toMatchObject({ code: 3, stdout: '' });
    expect(end.stderr).toContain('git was not found');
  });
});

describe('the base', () => {
  const remote = 'origin/master';
  const apart = { kind: 'no-merge-base', base: 'main', shallow: false };
  const sideBranch = (repo: Repo) => {
    repo.git('checkout', '-q', '-b', 'side', 'main');
    repo.write('side.txt', '');
    repo.commit();
    repo.git('checkout', '-q', 'work');
    return 'side';
  };

  test.each<[string, (repo: Repo) => unknown, string | null, string]>([
    ['a branch', () => {}, 'main', 'main'],
    ['a tag', (repo) => repo.git('tag', 'v1', 'main'), 'v1', 'v1'],
    ['a commit before', () => {}, 'HEAD~1', 'HEAD~1'],
    ['main', () => {}, null, 'main'],
    ['master without main', (repo) => repo.git('branch', '-m', 'main', 'master'), null, 'master'],
    ['main before master', (repo) => repo.git('branch', 'master'), null, 'main'],
    ['origin before main', (repo) => repo.git('update-ref', `refs/remotes/${remote}`, 'main'), null, remote],
    ['a detached HEAD', (repo) => repo.git('checkout', '-q', '--detach'), null, 'main'],
  ])('%s', async (_, act, requestedBase, name) => {
    const repo = someRepo();
    repo.write('a.txt', '2');
    repo.commit();
    act(repo);
    expect(await changesAt(repo.root, requestedBase)).toMatchObject({
      value: { ...changesOf('a.txt').value, base: { name } },
    });
  });

  test('is origin/HEAD, whatever branch it points to', async () => {
    const origin = someRepo();
    origin.git('checkout', '-q', '-b', 'develop');
    origin.write('a.txt', '2');
    origin.commit();
    const root = clone(origin);
    writeFileSync(join(root, 'b.txt'), '2');
    const changes = await changesAt(root);
    expect(changes).toMatchObject(changesOf('b.txt'));
    expect(changes).toMatchObject({ value: { base: { name: 'origin/develop' } } });
    expect(await changesAt(root, 'origin/main')).toMatchObject(changesOf('a.txt', 'b.txt'));
  });

  test('is the merge of two merge-bases if branches were merged both ways', async () => {
    const repo = someRepo();
    repo.write('a.txt', '2');
    repo.commit();
    repo.git('checkout', '-q', 'main');
    repo.write('b.txt', '2');
    repo.commit();
    repo.git('merge', '-q', '-m', 'x', 'work');
    repo.git('checkout', '-q', 'work');
    repo.git('merge', '-q', '-m', 'x', 'main~1');
    repo.write('sub/c.txt', '2');
    const result = await changesAt(repo.root);
    expect(result).toMatchObject({ ok: true, value: { changed: expect.arrayContaining(['sub/c.txt']) } });
  });

  test.each<[string, (repo: Repo) => unknown, string | null, object]>([
    ['no default branch', (repo) => repo.git('branch', '-D', 'main'), null, { kind: 'no-base', tried: DEFAULT_BASES }],
    ['unrelated history', (repo) => [repo.git('checkout', '-q', '--orphan', 'new'), repo.commit()], null, apart],
  ])('fails: %s', async (_, act, base, failure) => {
    const repo = someRepo();
    act(repo);
    expect(await changesAt(repo.root, base)).toEqual({ ok: false, failure });
  });

  test.each(['nope', '', '-h', '--output=written', 'main:a.txt', 'main:', 'main..work', 'HEAD^@', 'main\0x'])(
    'a base that is none is a failure: %j',
    async (base) => {
      const repo = someRepo();
      repo.git('merge', '-q', '--no-ff', '-m', 'x', sideBranch(repo));
      expect(await changesAt(repo.root, base)).toEqual({ ok: false, failure: { kind: 'unknown-base', base } });
      expect(readdirSync(repo.root)).not.toContain('written');
    },
  );

  test('fails in a shallow clone that does not reach the base', async () => {
    const origin = someRepo();
    origin.commit();
    const root = clone(origin, '--depth', '1', '--no-single-branch');
    const failure = { kind: 'no-merge-base', base: 'origin/main', shallow: true };
    expect(await changesAt(root, 'origin/main')).toEqual({ ok: false, failure });
  });

  test.each([
    ['without any commit', () => emptyRepo()],
    ['on a branch without a commit', () => repoWith({})],
  ])('is empty %s, so every file is a change', async (_, make) => {
    const repo = make();
    repo.git('symbolic-ref', 'HEAD', 'refs/heads/new');
    for (const name of ['staged', 'gone', 'a/untracked']) repo.write(name, '');
    repo.git('add', 'staged', 'gone');
    rmSync(join(repo.root, 'gone'));
    const value = { ...changesOf('a/untracked', 'staged').value, base: null };
    for (const base of [null, 'main']) expect(await changesAt(repo.root, base)).toMatchObject({ ok: true, value });
  });
});
