import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { emptyRepo } from '@onceover/testing/repo.ts';
import { brief, CHANGE, handy, type Repo, snapshotsAt, someRepo, takeAt, value } from '@onceover/testing/snapshots.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

const entriesAt = async (repo: Repo) => brief((await takeAt(repo.root)).entries);

describe('between two snapshots', () => {
  test.each<[string, string[], (repo: Repo) => unknown]>([
    ['nothing happened', ['M a.txt', 'A new.txt'], () => {}],
    ['it was committed', ['M a.txt', 'A new.txt'], (repo) => repo.commit()],
    [
      'it was committed, and the commit amended',
      ['M a.txt', 'A new.txt'],
      (repo) => [repo.commit(), repo.git('commit', '-q', '--amend', '-m', 'said otherwise')],
    ],
    ['it was put away', [], (repo) => repo.git('stash', '-q', '-u')],
    ['the new file is ignored', ['M a.txt'], (repo) => repo.write('.git/info/exclude', 'new.txt')],
    ['a .gitignore ignores it', ['A .gitignore', 'M a.txt'], (repo) => repo.write('.gitignore', 'new.txt')],
    ['it became the same as on main', ['A new.txt'], (repo) => repo.write('a.txt', 'a\n')],
    ['it changed within the same second and size', ['M a.txt', 'A new.txt'], (repo) => repo.write('a.txt', '3')],
    ['it was staged and hidden', ['M a.txt', 'A new.txt'], (repo) => [repo.stage(), hide(repo, 'a.txt')]],
    [
      'another branch was checked out',
      ['M b.txt'],
      (repo) => [repo.git('checkout', '-qf', 'side'), repo.remove('new.txt')],
    ],
    [
      'another branch was merged, and its content dropped',
      ['M a.txt', 'A new.txt'],
      (repo) => [repo.commit(), repo.git('merge', '-q', '-s', 'ours', '-m', 'merged', 'side')],
    ],
    [
      'another branch was merged',
      ['M a.txt', 'M b.txt', 'A new.txt'],
      (repo) => [repo.commit(), repo.git('merge', '-q', '-m', 'merged', 'side')],
    ],
    [
      'a rebase stopped in the middle',
      ['M a.txt', 'M b.txt', 'A new.txt'],
      (repo) => [repo.write('b.txt', 'ours'), repo.commit(), expect(() => repo.git('rebase', '-q', 'side')).toThrow()],
    ],
    [
      'a merge stopped over a file that only they have, and which is ignored',
      ['M a.txt', 'M b.txt', 'A new.txt'],
      (repo) => [
        repo.remove('b.txt'),
        repo.commit(),
        repo.write('.git/info/exclude', 'b.txt'),
        expect(() => repo.git('merge', '-q', 'side')).toThrow(),
      ],
    ],
  ])('%s', async (_, entries, act) => {
    const repo = changedRepo();
    expect(await entriesAt(repo)).toEqual(['M a.txt', 'A new.txt']);
    act(repo);
    expect(await entriesAt(repo)).toEqual(entries);
    expect(await entriesAt(repo)).toEqual(entries);
  });

  /** On work a.txt is changed and new.txt is new; on side b.txt is changed. */
  function changedRepo(): Repo {
    const repo = someRepo();
    repo.git('checkout', '-q', '-b', 'side');
    repo.write('b.txt', 'side');
    repo.commit();
    repo.git('checkout', '-q', 'work');
    repo.write('a.txt', '2');
    repo.write('new.txt', 'new');
    return repo;
  }

  function hide(repo: Repo, path: string): void {
    repo.git('update-index', '--assume-unchanged', path);
  }
});

describe('without a commit', () => {
  test('every file is new', async () => {
    const repo = handy(emptyRepo());
    expect(await entriesAt(repo)).toEqual([]);
    repo.write('a.txt', '1');
    repo.write('.env', '1');
    repo.write('.git/info/exclude', '*.log');
    repo.write('x.log', '1');
    repo.write('y.log', '1');
    repo.git('add', '-f', 'x.log');
    const snapshot = await takeAt(repo.root);
    expect(brief(snapshot.entries)).toEqual(['A a.txt', 'A x.log']);
    expect(snapshot.withheld).toEqual([{ path: '.env', why: 'secret' }]);
    expect(repo.git('ls-tree', '-r', '--name-only', value(await snapshot.tree()))).toBe('a.txt\nx.log\n');
    expect(brief((await takeAt(repo.root, { kind: 'uncommitted' })).entries)).toEqual(['A a.txt', 'A x.log']);
  });

  test('every file is new in a SHA-256 repository', async () => {
    const repo = handy(emptyRepo());
    const root = join(repo.root, 'long');
    repo.git('init', '-q', '--object-format=sha256', '-b', 'main', root);
    repo.write('long/a.txt', '1');
    const snapshot = await takeAt(root);
    expect(brief(snapshot.entries)).toEqual(['A a.txt']);
    expect(brief((await takeAt(root)).entries)).toEqual(['A a.txt']);
    const snapshots = await snapshotsAt(root);
    const { baseTree } = value(await snapshots.compare(CHANGE, null));
    const tree = value(await snapshot.tree());
    expect(tree).toMatch(/^[0-9a-f]{64}$/);
    expect(value(await snapshots.sections(baseTree, tree, 3))).toMatchObject([{ paths: ['a.txt'] }]);
    value(await snapshots.keep(tree));
    expect(repo.git('-C', root, 'for-each-ref')).toContain(tree);
  });

  test('every file is new on an unborn branch', async () => {
    const repo = someRepo();
    repo.git('checkout', '-q', '--orphan', 'fresh');
    expect(await entriesAt(repo)).toEqual(['A a.txt', 'A b.txt', 'A sub/c.txt']);
  });
});

describe.each<[string, string[]]>([
  ['by folders', ['--cone']],
  ['by folders, with a short index', ['--cone', '--sparse-index']],
  ['by patterns', ['--no-cone']],
])('a sparse checkout %s', (_, options) => {
  const sparse = () => {
    const repo = someRepo({ 'in/x.txt': 'x', 'out/y.txt': 'y', 'out/deep/z.txt': 'z' });
    repo.git('sparse-checkout', 'set', ...options, 'in');
    expect(existsSync(join(repo.root, 'out'))).toBe(false);
    return repo;
  };

  test('does not report files that it leaves out as deleted', async () => {
    const repo = sparse();
    repo.write('in/x.txt', '2');
    const snapshot = await takeAt(repo.root);
    expect(brief(snapshot.entries)).toEqual(['M in/x.txt']);
    expect(repo.git('ls-tree', '-r', '--name-only', value(await snapshot.tree()))).toContain('out/deep/z.txt');
  });

  test('reports files on disk that it should leave out', async () => {
    const repo = sparse();
    repo.write('out/y.txt', '2');
    repo.write('out/new.txt', '2');
    expect(await entriesAt(repo)).toEqual(['A out/new.txt', 'M out/y.txt']);
  });

  test('reports files that are deleted after a full checkout', async () => {
    const repo = sparse();
    await takeAt(repo.root);
    repo.git('sparse-checkout', 'disable');
    expect(await entriesAt(repo)).toEqual([]);
    repo.remove('out/y.txt');
    expect(await entriesAt(repo)).toEqual(['D out/y.txt']);
  });
});

test('the same content gives the same entries after any history', { timeout: 120_000 }, async () => {
  const paths = fc.constantFrom('a.txt', 'b.txt', 'sub/c.txt', 'sub/d.txt', 'x.log', 'e e.txt');
  const edits = fc.oneof(
    fc.record({ do: fc.constant('write' as const), path: paths, text: fc.constantFrom('1', '2', 'a\n') }),
    fc.record({ do: fc.constantFrom('remove', 'chmod', 'link', 'stage', 'hide', 'look', 'touch'), path: paths }),
    fc.record({ do: fc.constantFrom('commit', 'ignore', 'unignore'), path: fc.constant('') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 7 }), async (list) => {
      const repo = someRepo();
      for (const edit of list) {
        if (edit.do === 'look') await takeAt(repo.root);
        else apply(repo, edit);
      }
      const snapshot = await takeAt(repo.root);
      const tree = value(await snapshot.tree());
      // The expected entries come from plain git in a new repository with the same files.
      const fresh = await fromScratch(repo);
      expect(tree).toBe(fresh.tree);
      expect(snapshot.entries).toEqual((await takeAt(repo.root)).entries);
      expect(brief(snapshot.entries)).toEqual(fresh.entries);
    }),
    { numRuns: 25 },
  );

  function apply(repo: Repo, edit: { do: string; path: string; text?: string }): void {
    const { path } = edit;
    const isThere = path !== '' && lstatSync(join(repo.root, path), { throwIfNoEntry: false }) !== undefined;
    if (edit.do === 'write') {
      if (isThere) repo.remove(path);
      repo.write(path, edit.text ?? '');
    } else if (edit.do === 'commit') repo.commit();
    else if (edit.do === 'ignore') repo.write('.git/info/exclude', '*.log\n');
    else if (edit.do === 'unignore') repo.write('.git/info/exclude', '');
    else if (!isThere) return;
    else if (edit.do === 'remove') repo.remove(path);
    else if ((edit.do === 'chmod' || edit.do === 'touch') && !existsSync(join(repo.root, path))) return;
    else if (edit.do === 'chmod') repo.mode(path, 0o755);
    else if (edit.do === 'link') {
      repo.remove(path);
      repo.link(path, 'a.txt');
    } else if (edit.do === 'stage') repo.git('add', '-f', path);
    else if (edit.do === 'touch') repo.touch(path);
    else if (repo.git('ls-files', path) !== '') repo.git('update-index', '--assume-unchanged', path);
  }

  async function fromScratch(repo: Repo): Promise<{ tree: string; entries: string[] }> {
    repo
      .git('ls-files', '-z')
      .split('\0')
      .filter((path) => path !== '')
      .forEach((path) => {
        repo.git('update-index', '--no-assume-unchanged', '--', path);
      });
    repo.git('add', '-A');
    const tree = repo.git('write-tree').trim();
    const raw = repo.git('diff-tree', '-r', '--no-renames', 'main', tree).split('\n').slice(0, -1);
    const entries = raw.map((line) => {
      const [, oldMode = '', newMode = '', status = '', path = ''] =
        /^:(\d+) (\d+) \w+ \w+ (\w)\t(.*)$/.exec(line) ?? [];
      const mode = status === 'D' ? oldMode : newMode;
      return `${status === 'T' ? 'M' : status}${mode === '100644' ? '' : ` ${mode}`} ${path}`;
    });
    return { tree, entries };
  }
});
