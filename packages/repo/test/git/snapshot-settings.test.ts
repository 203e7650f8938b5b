import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configuredHooks } from '@onceover/repo/git/git';
import { findRepository } from '@onceover/repo/git/locate';
import { openRepository } from '@onceover/repo/git/repository';
import { prunePins } from '@onceover/repo/git/snapshot-refs';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { brief, CHANGE, type Repo, snapshotsAt, someRepo, takeAt, value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

const git = (folder: string, ...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });

describe('a repository without tracked files', () => {
  test.each<[string, (folder: string) => void]>([
    ['without a commit', () => {}],
    ['with an empty commit', (folder) => void git(folder, 'commit', '-q', '--allow-empty', '-m', 'empty')],
  ])('%s: new files are in the snapshot', async (_, prepare) => {
    const folder = temporaryFolder();
    git(folder, 'init', '-q', '-b', 'main');
    git(folder, 'config', 'user.email', 'a@b.c');
    git(folder, 'config', 'user.name', 'a');
    prepare(folder);
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/a.js'), '1\n');
    expect(brief((await takeAt(folder)).entries)).toEqual(['A src/a.js']);
  });
});

/** Adds a submodule to main, and moves it to another commit on the branch. */
function withMovedSubmodule(): Repo {
  const inner = repoWith({ 'f.txt': 'good\n' });
  const repo = someRepo();
  repo.git('checkout', '-q', 'main');
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'inner');
  repo.commit('submodule');
  repo.git('branch', '-f', 'work', 'main');
  repo.git('checkout', '-q', 'work');
  const at = join(repo.root, 'inner');
  writeFileSync(join(at, 'f.txt'), 'evil\n');
  git(at, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qam', 'evil');
  return repo;
}

describe('a moved submodule', () => {
  const ignore = (repo: Repo, ...place: string[]) => repo.git('config', ...place, 'submodule.inner.ignore', 'all');
  test.each<[string, (repo: Repo) => void]>([
    ['without settings', () => {}],
    ['ignored by .gitmodules', (repo) => ignore(repo, '-f', '.gitmodules')],
    ['ignored by the settings', (repo) => ignore(repo)],
    ['all are ignored by the settings', (repo) => void repo.git('config', 'diff.ignoreSubmodules', 'all')],
  ])('%s: its new commit is in the snapshot', async (_, hide) => {
    const repo = withMovedSubmodule();
    hide(repo);
    expect(brief((await takeAt(repo.root)).entries)).toContain('M 160000 inner');
    const changes = value(await openRepository(value(await findRepository(repo.root))).changes(null));
    expect(changes.submodules).toEqual(['inner']);
  });

  test('that replaces a file or a symlink is in the snapshot', async () => {
    const repo = someRepo({ was: 'file\n' });
    repo.link('linked', 'a.txt');
    repo.commit('more');
    for (const name of ['was', 'linked']) {
      repo.remove(name);
      git(repo.root, 'init', '-q', name);
      git(join(repo.root, name), '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm1', '--allow-empty');
      repo.git('add', '--intent-to-add', '.');
    }
    expect(brief((await takeAt(repo.root)).entries)).toEqual(['A 160000 linked', 'M 160000 was']);
  });
});

describe('hooks in the settings', () => {
  // git 2.54 runs these hooks in spite of `core.hooksPath`.
  const NAMES = ['plain', 'with.dots', 'a=b', 'sp ace', 'ünï'];
  const EVENTS = ['post-index-change', 'reference-transaction', 'post-checkout'];

  function withHooks(place: readonly string[]): { repo: Repo; ran: string } {
    const repo = someRepo();
    const ran = join(temporaryFolder(), 'ran');
    for (const name of NAMES) {
      repo.git('config', ...place, `hook.${name}.command`, `echo ran >> '${ran}' #`);
      for (const event of EVENTS) repo.git('config', ...place, '--add', `hook.${name}.event`, event);
    }
    return { repo, ran };
  }

  test.each([
    ['of the repository', []],
    ['that the repository includes', ['-f', '.git/more']],
  ])('%s do not run when a snapshot is taken, kept and removed', async (_, place) => {
    const { repo, ran } = withHooks(place);
    if (place.length > 0) repo.git('config', 'include.path', 'more');
    repo.write('a.txt', '2\n');
    repo.write('new.txt', '1\n');
    const paths = value(await findRepository(repo.root));
    const snapshots = await snapshotsAt(repo.root);
    const snapshot = value(await snapshots.take(value(await snapshots.compare(CHANGE, null)), { folders: [] }));
    const tree = value(await snapshot.tree());
    value(await snapshots.keep(tree));
    await prunePins(paths, new Set());
    expect(existsSync(ran)).toBe(false);
    expect([...(await configuredHooks(repo.root))].sort()).toEqual([...NAMES].sort());
  });

  test('git lists them only if a settings file may name them', async () => {
    const repo = someRepo();
    repo.git('config', 'core.hooksPath', 'hooks');
    expect(await configuredHooks(repo.root)).toEqual([]);
  });
});
