import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPlace } from '../../src/io/place.ts';
import { findSpot } from '../../src/io/spot.ts';
import { repoWith, temporaryFolder } from '../support/repo.ts';

/** What git itself says. */
async function asGit(folder: string) {
  const place = await findPlace(folder);
  return place.ok
    ? { root: place.value.root, gitDir: dirname(place.value.index), commonDir: place.value.commonDir }
    : null;
}

describe('the working tree of a folder, without git', () => {
  test('is what git says: root, folder, symlink, linked working tree, submodule', async () => {
    const repo = repoWith({ 'src/deep/a.ts': '' });
    const [linked, lib] = [`${repo.root}-linked`, `${repo.root}-lib`];
    repo.git('worktree', 'add', '-q', linked, '-b', 'linked');
    symlinkSync(join(repo.root, 'src'), `${repo.root}-link`);
    repo.git('clone', '-q', repo.root, lib);
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib, 'sub');
    const folders = ['', '/src', '/src/deep', '-linked', '-linked/src/deep', '-link', '-link/deep', '/sub', '/sub/src'];
    for (const folder of folders.map((end) => repo.root + end)) {
      const spot = findSpot(folder, {});
      expect(spot, folder).not.toBeNull();
      expect(spot, folder).toEqual(await asGit(folder));
    }
  });

  test('a git folder that lies elsewhere', async () => {
    const repo = repoWith({ a: '' });
    const own = `${repo.root}-git`;
    repo.git('init', '-q', `--separate-git-dir=${own}`);
    expect(findSpot(repo.root, {})).toEqual({ root: repo.root, gitDir: own, commonDir: own });
    expect(findSpot(repo.root, {})).toEqual(await asGit(repo.root));
  });

  test.each(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR'])('%s is for git to understand', (name) => {
    expect(findSpot(repoWith({ a: '' }).root, { [name]: '/elsewhere' })).toBeNull();
  });

  test('there is none: no repository, a folder that is gone, a file that points nowhere', () => {
    const folder = temporaryFolder();
    expect(findSpot(folder, {})).toBeNull();
    expect(findSpot(join(folder, 'gone'), {})).toBeNull();
    writeFileSync(join(folder, '.git'), 'nonsense');
    expect(findSpot(folder, {})?.commonDir).not.toBe(join(folder, '.git'));
    rmSync(join(folder, '.git'));
    mkdirSync(join(folder, '.git'));
    expect(findSpot(folder, {})).toMatchObject({ root: folder, commonDir: join(folder, '.git') });
  });
});
