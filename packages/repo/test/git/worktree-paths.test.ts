import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { describe, expect, test } from 'vitest';
import { findRepository } from '../../src/git/locate.ts';
import { findWorktreePaths } from '../../src/git/worktree-paths.ts';

/** Returns the paths that git reports. */
async function asGit(folder: string) {
  const place = await findRepository(folder);
  return place.ok
    ? { root: place.value.root, gitDir: dirname(place.value.index), commonDir: place.value.commonDir }
    : null;
}

describe('the working tree of a folder, without git', () => {
  test('matches git: root, folder, symlink, linked working tree, submodule', async () => {
    const repo = repoWith({ 'src/deep/a.ts': '' });
    const [linkedRoot, lib] = [`${repo.root}-linked`, `${repo.root}-lib`];
    repo.git('worktree', 'add', '-q', linkedRoot, '-b', 'linked');
    symlinkSync(join(repo.root, 'src'), `${repo.root}-link`);
    repo.git('clone', '-q', repo.root, lib);
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib, 'sub');
    const folders = ['', '/src', '/src/deep', '-linked', '-linked/src/deep', '-link', '-link/deep', '/sub', '/sub/src'];
    for (const folder of folders.map((end) => repo.root + end)) {
      const spot = findWorktreePaths(folder, {});
      expect(spot, folder).not.toBeNull();
      expect(spot, folder).toEqual(await asGit(folder));
    }
  });

  test('finds a git folder in another place', async () => {
    const repo = repoWith({ a: '' });
    const gitDir = `${repo.root}-git`;
    repo.git('init', '-q', `--separate-git-dir=${gitDir}`);
    expect(findWorktreePaths(repo.root, {})).toEqual({ root: repo.root, gitDir, commonDir: gitDir });
    expect(findWorktreePaths(repo.root, {})).toEqual(await asGit(repo.root));
  });

  test.each(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR'])('is null if %s is set', (name) => {
    expect(findWorktreePaths(repoWith({ a: '' }).root, { [name]: '/elsewhere' })).toBeNull();
  });

  test('is null without a repository, in a missing folder, and for a broken .git file', () => {
    const folder = temporaryFolder();
    expect(findWorktreePaths(folder, {})).toBeNull();
    expect(findWorktreePaths(join(folder, 'gone'), {})).toBeNull();
    writeFileSync(join(folder, '.git'), 'nonsense');
    expect(findWorktreePaths(folder, {})?.commonDir).not.toBe(join(folder, '.git'));
    rmSync(join(folder, '.git'));
    mkdirSync(join(folder, '.git'));
    expect(findWorktreePaths(folder, {})).toMatchObject({ root: folder, commonDir: join(folder, '.git') });
  });
});
