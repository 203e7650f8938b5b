import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { repoWith, type TestRepo } from '@onceover/testing/repo.ts';
import { path } from '@onceover/testing/run-samples.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { statusFingerprint as printWith } from '../../src/git/fingerprints.ts';
import { findRepository } from '../../src/git/locate.ts';
import { indexName } from '../../src/git/private-index.ts';
import { openSnapshots } from '../../src/git/snapshot.ts';

const treePrint = (place: RepositoryPaths) => printWith(place, indexName(place.root));

/** Takes a snapshot of the working tree, as a run does. */
async function look(root: string) {
  const place = await findRepository(root);
  if (!place.ok) throw new Error(place.failure.kind);
  const snapshots = openSnapshots(place.value);
  const comparison = await snapshots.compare({ kind: 'change', base: null }, null);
  if (!comparison.ok) throw new Error(comparison.failure.kind);
  const snapshot = await snapshots.take(comparison.value, { folders: [path('.deepwork/logs')] });
  if (!snapshot.ok) throw new Error(snapshot.failure.kind);
  return place.value;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

const FILES = { 'src/a.ts': 'one\n', 'src/b.ts': 'two\n', '.gitignore': 'made\n' };

describe('the fingerprint of a working tree', () => {
  test('is null before the first snapshot', async () => {
    const place = await findRepository(repoWith(FILES).root);
    expect(place.ok && treePrint(place.value)).toBeNull();
  });

  test('stays the same over several snapshots without a change', async () => {
    const repo = repoWith(FILES);
    repo.write('src/a.ts', 'more\n');
    repo.write('src/new.ts', 'new\n');
    const place = await look(repo.root);
    const print = treePrint(place);
    expect(print).toMatchObject({ untracked: [] });
    expect(treePrint(place)).toEqual(print);
    await look(repo.root);
    expect(treePrint(place)).toEqual(print);
    repo.write('made/by/tools', 'x');
    expect(treePrint(place)).toEqual(print);
  });

  test.each<[string, (repo: TestRepo) => void]>([
    ['a file is edited', (repo) => repo.write('src/a.ts', 'other\n')],
    ['a file is edited back to what was committed', (repo) => repo.write('src/a.ts', 'one\n')],
    ['a new file is edited', (repo) => repo.write('src/new.ts', 'NEW\n')],
    ['a new file is removed', (repo) => rmSync(join(repo.root, 'src/new.ts'))],
    ['a file is deleted', (repo) => rmSync(join(repo.root, 'src/b.ts'))],
    ['a file is added', (repo) => repo.write('src/c.ts', '')],
    ['a secret is added', (repo) => repo.write('.env', 'x')],
    ['all is committed', (repo) => repo.commit()],
    ['nothing is committed', (repo) => void repo.git('commit', '-q', '--allow-empty', '-m', 'x')],
    ['another branch has the same', (repo) => void repo.git('checkout', '-q', '-b', 'other')],
    ['no branch is checked out', (repo) => void repo.git('checkout', '-q', '--detach')],
    [
      'the index of the last snapshot is deleted',
      (repo) => rmSync(join(repo.root, '.git/onceover'), { recursive: true }),
    ],
  ])('changes or is null when %s', async (_title, change) => {
    const repo = repoWith(FILES);
    repo.write('src/a.ts', 'more\n');
    repo.write('src/new.ts', 'new\n');
    const place = await look(repo.root);
    const print = treePrint(place)?.print;
    expect(print).toMatch(/^# branch\.oid /);
    change(repo);
    expect(treePrint(place)?.print).not.toBe(print);
  });

  test('never runs a git program of the repository itself', async () => {
    const repo = repoWith({ ...FILES, 'bin/git': '#!/bin/sh\n: > started\nexit 1\n' });
    chmodSync(join(repo.root, 'bin/git'), 0o755);
    const place = await look(repo.root);
    vi.stubEnv('PATH', `bin:${process.env['PATH']}`);
    expect(treePrint(place)?.print).toMatch(/^# branch\.oid /);
    expect(existsSync(join(repo.root, 'started'))).toBe(false);
  });

  test('lists untracked files that no snapshot contains', async () => {
    const repo = repoWith(FILES);
    repo.write('.env', 'x');
    repo.write('ä b.pem', 'x');
    expect(treePrint(await look(repo.root))?.untracked).toEqual(['.env', 'ä b.pem']);
  });

  test('does not depend on the user’s index', async () => {
    const repo = repoWith(FILES);
    repo.git('update-index', '--assume-unchanged', 'src/a.ts');
    repo.git('update-index', '--skip-worktree', 'src/b.ts');
    const place = await look(repo.root);
    const print = treePrint(place)?.print;
    appendFileSync(join(repo.root, 'src/b.ts'), 'x');
    expect(treePrint(place)?.print).not.toBe(print);
    writeFileSync(join(repo.root, 'src/b.ts'), 'two\n');
    appendFileSync(join(repo.root, 'src/a.ts'), 'x');
    expect(treePrint(place)?.print).not.toBe(print);
  });

  test('is separate per working tree', async () => {
    const repo = repoWith(FILES);
    const linkedRoot = `${repo.root}-other`;
    repo.git('worktree', 'add', '-q', '-b', 'other', linkedRoot);
    const here = await look(repo.root);
    const there = await look(linkedRoot);
    const [print, linkedPrint] = [treePrint(here)?.print, treePrint(there)?.print];
    expect(print).toBeDefined();
    expect(linkedPrint).not.toBe(print);
    writeFileSync(join(linkedRoot, 'src/a.ts'), 'other\n');
    expect([treePrint(here)?.print, treePrint(there)]).toEqual([print, null]);
  });

  test('changes with an edit in a submodule and with its commit', async () => {
    const repo = repoWith(FILES);
    const lib = `${repo.root}-lib`;
    mkdirSync(lib);
    repo.git('clone', '-q', repo.root, lib);
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib, 'sub');
    repo.commit();
    const place = await look(repo.root);
    const print = treePrint(place)?.print;
    expect(print).toBeDefined();
    writeFileSync(join(repo.root, 'sub/src/a.ts'), 'other\n');
    expect(treePrint(place)).toBeNull();
    repo.git('-C', 'sub', 'commit', '-q', '-a', '-m', 'x');
    expect(treePrint(place)).toBeNull();
    await look(repo.root);
    expect(treePrint(place)?.print).not.toBe(print);
  });
});
