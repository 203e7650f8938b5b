import { createHash } from 'node:crypto';
import { emptyRepo } from '@onceover/testing/repo.ts';
import { asPaths, brief, CHANGE, type Repo, someRepo, takeAt, value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

const onMain = (repo: Repo) => repo.git('branch', '-f', 'main');

describe('entries', () => {
  test.each<[string, string[], (repo: Repo) => unknown]>([
    ['nothing', [], () => {}],
    ['committed', ['M a.txt'], (repo) => [repo.write('a.txt', '2'), repo.commit()]],
    ['staged', ['M a.txt'], (repo) => [repo.write('a.txt', '2'), repo.stage()]],
    ['not staged', ['M a.txt'], (repo) => repo.write('a.txt', '2')],
    ['staged, changed', ['M a.txt'], (repo) => [repo.write('a.txt', '2'), repo.stage(), repo.write('a.txt', '3')]],
    ['staged, put back', [], (repo) => [repo.write('a.txt', '2'), repo.stage(), repo.write('a.txt', 'a\n')]],
    ['committed, put back', [], (repo) => [repo.write('a.txt', '2'), repo.commit(), repo.write('a.txt', 'a\n')]],
    ['untracked', ['A new/file.txt'], (repo) => repo.write('new/file.txt', '')],
    ['to be added', ['A new.txt'], (repo) => [repo.write('new.txt', 'n'), repo.git('add', '-N', 'new.txt')]],
    ['added, removed', [], (repo) => [repo.write('new.txt', 'n'), repo.stage(), repo.remove('new.txt')]],
    ['renamed', ['D a.txt', 'A z.txt'], (repo) => repo.git('mv', 'a.txt', 'z.txt')],
    ['deleted', ['D a.txt'], (repo) => repo.remove('a.txt')],
    ['deleted, staged', ['D a.txt'], (repo) => repo.git('rm', '-q', 'a.txt')],
    ['deleted, committed', ['D a.txt'], (repo) => [repo.remove('a.txt'), repo.commit()]],
    ['deleted with its folder', ['D sub/c.txt'], (repo) => repo.remove('sub')],
    ['no longer tracked, but there', [], (repo) => repo.git('rm', '-q', '--cached', 'a.txt')],
    ['its mode', ['M 100755 a.txt'], (repo) => repo.mode('a.txt', 0o755)],
    ['a symlink', ['A 120000 link'], (repo) => repo.link('link', 'nowhere')],
    ['a symlink for a file', ['M 120000 a.txt'], (repo) => [repo.remove('a.txt'), repo.link('a.txt', 'b.txt')]],
    ['a folder for a file', ['D a.txt', 'A a.txt/x'], (repo) => [repo.remove('a.txt'), repo.write('a.txt/x', '')]],
    ['a file for a folder', ['A sub', 'D sub/c.txt'], (repo) => [repo.remove('sub'), repo.write('sub', '')]],
    ['touched', [], (repo) => repo.touch('a.txt')],
    ['ignored', [], (repo) => [repo.write('.git/info/exclude', '*.log\n'), repo.write('sub/x.log', '')]],
    ['ignored, but tracked', ['M a.txt'], (repo) => [repo.write('.git/info/exclude', '*'), repo.write('a.txt', '2')]],
    ['ignored, but forced', ['A x.log'], (repo) => [forceAdd(repo), repo.write('x.log', '2')]],
    ['ignored, forced, gone', [], (repo) => [forceAdd(repo), repo.remove('x.log')]],
    ['ignored, forced, a folder now', [], (repo) => [forceAdd(repo), repo.remove('x.log'), repo.write('x.log/y', '')]],
    ['ignored, forced, behind a symlink now', ['A 120000 out'], (repo) => forceBehindLink(repo)],
    ['assumed unchanged', ['M a.txt'], (repo) => [unwatch(repo, '--assume-unchanged'), repo.write('a.txt', '2')]],
    ['assumed unchanged, gone', ['D a.txt'], (repo) => [unwatch(repo, '--assume-unchanged'), repo.remove('a.txt')]],
    ['to be skipped', ['M a.txt'], (repo) => [unwatch(repo, '--skip-worktree'), repo.write('a.txt', '2')]],
    ['to be skipped, not there', [], (repo) => [unwatch(repo, '--skip-worktree'), repo.remove('a.txt')]],
    ['a repository inside', ['A 160000 inner'], (repo) => addRepository(repo, 'inner')],
    ['a submodule that moved on', ['M 160000 inner'], (repo) => [submodule(repo), advance(repo)]],
    ['one that is to be ignored', ['M 160000 inner'], (repo) => [submodule(repo, 'all'), advance(repo)]],
    ['one that is gone', ['D 160000 inner'], (repo) => [submodule(repo), repo.remove('inner')]],
    [
      'one that was never fetched',
      [],
      (repo) => [submodule(repo), repo.remove('inner'), repo.write('inner/.keep', '')],
    ],
  ])('%s', async (_, entries, act) => {
    const repo = someRepo();
    act(repo);
    const snapshot = await takeAt(repo.root);
    expect(brief(snapshot.entries)).toEqual(entries);
    expect(snapshot).toMatchObject({ withheld: [], unnameable: [] });
  });

  function forceAdd(repo: Repo): void {
    repo.write('.git/info/exclude', '*.log\n');
    repo.write('x.log', '1');
    repo.git('add', '-f', 'x.log');
  }

  function forceBehindLink(repo: Repo): void {
    repo.write('.git/info/exclude', '*.log\n');
    repo.write('out/x.log', '1');
    repo.write('elsewhere/x.log', '1');
    repo.git('add', '-f', 'out/x.log');
    repo.remove('out');
    repo.link('out', 'elsewhere');
  }

  function unwatch(repo: Repo, flag: string): void {
    repo.git('update-index', flag, 'a.txt');
  }

  function addRepository(repo: Repo, path: string): void {
    repo.git('init', '-q', path);
    advance(repo, path);
  }

  function advance(repo: Repo, path = 'inner'): void {
    repo.git('-C', path, 'commit', '-q', '--allow-empty', '-m', 'inside');
  }

  function submodule(repo: Repo, ignore = 'none'): void {
    addRepository(repo, 'inner');
    repo.write('.gitmodules', `[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = ${ignore}\n`);
    repo.git('-c', 'advice.addEmbeddedRepo=false', 'add', '-A');
    repo.git('commit', '-q', '-m', 'with a repository inside');
    onMain(repo);
  }

  test('have the blobs of both sides', async () => {
    const repo = someRepo();
    repo.write('a.txt', 'new');
    const [entry] = (await takeAt(repo.root)).entries;
    const [baseBlob, headBlob] = [repo.git('rev-parse', 'main:a.txt'), repo.git('hash-object', 'a.txt')];
    expect(entry).toEqual({ path: 'a.txt', mode: '100644', baseBlob: baseBlob.trim(), headBlob: headBlob.trim() });
  });

  test('ignore converted line endings and match what git would commit', async () => {
    const repo = someRepo();
    repo.git('config', 'core.autocrlf', 'true');
    repo.git('config', 'core.safecrlf', 'true');
    repo.write('a.txt', 'a\r\n');
    repo.write('new.txt', 'mixed\r\nmixed\n');
    const { entries } = await takeAt(repo.root);
    expect(brief(entries)).toEqual(['A new.txt']);
    expect(entries[0]?.headBlob).toBe(blob('mixed\nmixed\n'));
  });

  const blob = (text: string) => createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');

  test('are sorted by code point', async () => {
    const repo = someRepo();
    for (const name of ['\u{1F600}', '\uff5e', 'é', 'Z', 'a-b', 'a/b']) repo.write(name, '');
    expect((await takeAt(repo.root)).entries.map(({ path }) => path)).toEqual([
      'Z',
      'a-b',
      'a/b',
      'é',
      '\uff5e',
      '\u{1F600}',
    ]);
  });

  test('leave out generated folders, tracked or not, as does the tree', async () => {
    const repo = someRepo({ '.deepwork/logs/old.json': '1', '.deepwork/logsx': '1' });
    for (const path of ['.deepwork/logs/old.json', '.deepwork/logs/new.json', '.deepwork/logsx']) repo.write(path, '2');
    repo.write('.deepwork/tmp/.gitignore', '*');
    const omittedFiles = { folders: asPaths('.deepwork/tmp', '.deepwork/logs') };
    const snapshot = await takeAt(repo.root, CHANGE, omittedFiles);
    expect(brief(snapshot.entries)).toEqual(['M .deepwork/logsx']);
    const tree = value(await snapshot.tree());
    expect(repo.git('diff-tree', '-r', '--name-only', 'HEAD', tree)).toBe('.deepwork/logsx\n');
    repo.write('.git/info/exclude', '.deepwork/\n');
    expect(brief((await takeAt(repo.root, CHANGE, omittedFiles)).entries)).toEqual(['M .deepwork/logsx']);
  });

  test('are limited to the requested files and folders', async () => {
    const repo = someRepo();
    for (const path of ['a.txt', 'sub/c.txt', 'sub/.env', 'sub2/d.txt', 'new.txt', '.env']) repo.write(path, '2');
    const files = asPaths('sub', 'a.txt', 'never');
    const { entries, withheld } = await takeAt(repo.root, { kind: 'files', files, base: null });
    expect(brief(entries)).toEqual(['M a.txt', 'M sub/c.txt']);
    expect(withheld).toEqual([{ path: 'sub/.env', why: 'secret' }]);
  });

  test('of a commit do not depend on the working tree', async () => {
    const repo = someRepo();
    repo.write('a.txt', '2');
    repo.commit();
    repo.write('b.txt', '2');
    const snapshot = await takeAt(repo.root, { kind: 'commit', commit: 'HEAD' });
    expect(brief(snapshot.entries)).toEqual(['M a.txt']);
    expect(await snapshot.tree()).toEqual({ ok: true, value: repo.git('rev-parse', 'HEAD^{tree}').trim() });
    expect(brief((await takeAt(repo.root, { kind: 'uncommitted' })).entries)).toEqual(['M b.txt']);
  });
});

describe('the tree', () => {
  test('is the tree of a commit of all files, written once', async () => {
    const repo = someRepo();
    repo.write('a.txt', '2');
    repo.write('new/x', '');
    repo.remove('b.txt');
    const snapshot = await takeAt(repo.root);
    // Later changes are not in the tree.
    repo.write('a.txt', '3');
    await takeAt(repo.root);
    const tree = value(await snapshot.tree());
    repo.write('a.txt', '2');
    repo.commit();
    expect(tree).toBe(repo.git('rev-parse', 'HEAD^{tree}').trim());
    expect(snapshot.tree()).toBe(snapshot.tree());
  });

  test('can be empty', async () => {
    const repo = emptyRepo();
    const snapshot = await takeAt(repo.root);
    expect(snapshot.entries).toEqual([]);
    expect(repo.git('cat-file', '-p', value(await snapshot.tree()))).toBe('');
  });
});
