import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { CHANGE, type Repo, snapshotsAt, someRepo, takeAt, value } from '@onceover/testing/snapshots.ts';
import { describe, expect, test } from 'vitest';

process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';

describe('a snapshot leaves the user’s repository unchanged', () => {
  test('index, stash, refs, logs, settings and files, even during a merge', async () => {
    const repo = messyRepo();
    const before = stateOf(repo);
    const snapshots = await snapshotsAt(repo.root);
    const comparison = value(await snapshots.compare(CHANGE, null));
    for (let n = 0; n < 2; n++) {
      const tree = value(await value(await snapshots.take(comparison, { folders: [] })).tree());
      value(await snapshots.keep(tree));
      value(await snapshots.sections(comparison.baseTree, tree, 3));
    }
    expect(stateOf(repo)).toEqual(before);
    value(await snapshots.prune(new Set()));
    expect(stateOf(repo)).toEqual(before);
    expect(
      repo
        .git('for-each-ref')
        .split('\n')
        .filter((line) => line.includes('onceover')),
    ).toEqual([]);
  });

  test('it runs no hook', async () => {
    const repo = someRepo();
    const trace = join(temporaryFolder(), 'trace');
    for (const hook of ['post-index-change', 'reference-transaction', 'pre-commit', 'fsmonitor']) {
      writeFileSync(join(repo.root, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> '${trace}'\n`, { mode: 0o755 });
    }
    repo.git('config', 'core.fsmonitor', join(repo.root, '.git/hooks/fsmonitor'));
    repo.write('a.txt', '2');
    repo.write('new.txt', '2');
    rmSync(trace, { force: true });
    const snapshots = await snapshotsAt(repo.root);
    const snapshot = await takeAt(repo.root);
    value(await snapshots.keep(value(await snapshot.tree())));
    value(await snapshots.prune(new Set()));
    expect(existsSync(trace) ? readFileSync(trace, 'utf8') : '').toBe('');
    repo.git('status');
    expect(readFileSync(trace, 'utf8')).toContain('fsmonitor');
  });

  function messyRepo(): Repo {
    const repo = someRepo();
    repo.write('stashed.txt', '1');
    repo.git('stash', '-q', '-u');
    repo.write('a.txt', 'ours');
    repo.commit();
    repo.git('checkout', '-q', '-b', 'other', 'main');
    repo.write('a.txt', 'theirs');
    repo.commit();
    expect(() => repo.git('merge', '-q', 'work')).toThrow();
    repo.write('staged.txt', '1');
    repo.git('add', 'staged.txt');
    repo.write('staged.txt', '2');
    repo.git('update-index', '--assume-unchanged', 'b.txt');
    repo.write('b.txt', 'unseen');
    repo.link('link', 'a.txt');
    mkdirSync(join(repo.root, 'empty'));
    return repo;
  }

  function stateOf(repo: Repo): unknown {
    const refs = repo.git('for-each-ref').split('\n');
    const names = readdirSync(join(repo.root, '.git')).filter((name) => name !== 'objects' && name !== 'onceover');
    return {
      refs: refs.filter((line) => !line.includes('onceover')),
      status: repo.git('--no-optional-locks', 'status', '--porcelain=2', '-z'),
      stash: repo.git('stash', 'list'),
      files: filesIn(repo.root, (path) => path !== '.git').concat(
        names.flatMap((name) => filesIn(join(repo.root, '.git', name), (path) => !path.includes('onceover'))),
      ),
    };
  }

  function filesIn(path: string, isWanted: (name: string) => boolean): string[] {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
    if (stats.isFile()) return [`${path} ${stats.mtimeMs} ${stats.mode} ${readFileSync(path).toString('base64')}`];
    return readdirSync(path)
      .filter(isWanted)
      .flatMap((name) => filesIn(join(path, name), isWanted));
  }
});
