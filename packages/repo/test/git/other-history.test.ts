import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { brief, type Repo, someRepo, takeAt } from '@onceover/testing/snapshots.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { findRepository } from '../../src/git/locate.ts';

vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
vi.stubEnv('GIT_CONFIG_SYSTEM', '/dev/null');

const variableNames = new Set<string>();
const setEnv = (name: string, text: string) => {
  variableNames.add(name);
  process.env[name] = text;
};
afterEach(() => {
  for (const name of variableNames) delete process.env[name];
  variableNames.clear();
});

/** A repository with a committed change on branch work. */
function changedRepo(): Repo {
  const repo = someRepo();
  repo.write('a.txt', 'evil\n');
  repo.commit();
  return repo;
}

const commit = (repo: Repo, name: string) => repo.git('rev-parse', name).trim();
const elsewhere = (text: string) => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, text);
  return path;
};

/** Says that the base branch contains the change. */
const graft = (repo: Repo) => `${commit(repo, 'main')} ${commit(repo, 'work')}\n`;

/** Adds two commits to main, and writes a commit-graph in which the first of them has the commit of work as parent. */
function forgeCommitGraph(repo: Repo): void {
  const add = (tree: string, parent: string) => repo.git('commit-tree', '-m', 'more', '-p', parent, tree).trim();
  const base = commit(repo, 'main');
  const tree = commit(repo, 'main:sub');
  // git reads the last commit of a branch itself, and asks the commit-graph only for earlier ones.
  repo.git('update-ref', 'refs/heads/main', add('main^{tree}', add(tree, base)));
  repo.git('-c', 'commitGraph.generationVersion=1', 'commit-graph', 'write', '--reachable');
  const path = join(repo.root, '.git/objects/info/commit-graph');
  const bytes = readFileSync(path);
  const ids = [base, ...['main', 'main^', 'work'].map((name) => commit(repo, name))].sort();
  // After the tree, a commit has the positions of two parents and then its generation number.
  const parent = bytes.lastIndexOf(Buffer.from(tree, 'hex')) + 20;
  bytes.writeUInt32BE(ids.indexOf(commit(repo, 'work')), parent);
  bytes.writeUInt32BE(3 << 2, parent + 8);
  chmodSync(path, 0o644);
  writeFileSync(path, bytes);
}

describe('the change stays visible although git gets another history by', () => {
  test.each<[string, (repo: Repo) => void]>([
    ['.git/info/grafts', (repo) => repo.write('.git/info/grafts', graft(repo))],
    ['GIT_GRAFT_FILE', (repo) => setEnv('GIT_GRAFT_FILE', elsewhere(graft(repo)))],
    ['a forged commit-graph', forgeCommitGraph],
    ['refs/replace', (repo) => repo.git('replace', commit(repo, 'main^{tree}'), commit(repo, 'work^{tree}'))],
    [
      'GIT_REPLACE_REF_BASE',
      (repo) => {
        repo.git('update-ref', `refs/other/${commit(repo, 'main^{tree}')}`, commit(repo, 'work^{tree}'));
        setEnv('GIT_REPLACE_REF_BASE', 'refs/other/');
      },
    ],
    ['GIT_SHALLOW_FILE', (repo) => setEnv('GIT_SHALLOW_FILE', elsewhere(`${commit(repo, 'main')}\n`))],
    ['GIT_NAMESPACE', () => setEnv('GIT_NAMESPACE', 'other')],
    [
      'an alternate object store',
      (repo) => {
        const otherRepo = someRepo();
        repo.write('.git/objects/info/alternates', `${join(otherRepo.root, '.git/objects')}\n`);
        setEnv('GIT_ALTERNATE_OBJECT_DIRECTORIES', join(otherRepo.root, '.git/objects'));
      },
    ],
    ['a switch for tests of git', () => setEnv('GIT_TEST_FSMONITOR', elsewhere(''))],
    ['core.ignoreStat', (repo) => repo.git('config', 'core.ignoreStat', 'true')],
    ['diff.ignoreSubmodules', (repo) => repo.git('config', 'diff.ignoreSubmodules', 'all')],
    ['GIT_EXTERNAL_DIFF', () => setEnv('GIT_EXTERNAL_DIFF', 'true')],
  ])('%s', async (_, act) => {
    const repo = changedRepo();
    act(repo);
    expect(brief((await takeAt(repo.root)).entries)).toEqual(['M a.txt']);
  });

  test('core.fileMode', async () => {
    const repo = someRepo();
    repo.git('config', 'core.fileMode', 'false');
    repo.mode('a.txt', 0o755);
    expect(brief((await takeAt(repo.root)).entries)).toEqual(['M 100755 a.txt']);
  });

  test('GIT_ICASE_PATHSPECS, which would omit more folders than requested', async () => {
    const repo = someRepo({ 'SUB/d.txt': 'd\n' });
    setEnv('GIT_ICASE_PATHSPECS', '1');
    repo.write('SUB/d.txt', 'evil\n');
    const { entries } = await takeAt(repo.root, undefined, { folders: ['sub'] as never });
    expect(brief(entries)).toEqual(['M SUB/d.txt']);
  });
});

describe('git reads another working tree because of', () => {
  test.each<[string, (repo: Repo, other: string) => void]>([
    ['core.worktree', (repo, copy) => repo.git('config', 'core.worktree', copy)],
    ['GIT_WORK_TREE', (_, copy) => setEnv('GIT_WORK_TREE', copy)],
  ])('%s', async (_, act) => {
    const repo = changedRepo();
    const copy = join(temporaryFolder(), 'copy');
    repo.git('clone', '-q', '-b', 'main', '.', copy);
    act(repo, copy);
    expect(await findRepository(repo.root)).toEqual({
      ok: false,
      failure: { kind: 'other-worktree', folder: repo.root, root: copy },
    });
  });

  test('GIT_WORK_TREE is fine in the folder that it names', async () => {
    const repo = changedRepo();
    setEnv('GIT_DIR', join(repo.root, '.git'));
    setEnv('GIT_WORK_TREE', repo.root);
    expect(await findRepository(join(repo.root, 'sub'))).toMatchObject({ ok: true, value: { root: repo.root } });
  });

  test('a submodule and a repository with a separate git folder are fine', async () => {
    const repo = changedRepo();
    const separate = join(temporaryFolder(), 'work');
    repo.git('clone', '-q', '--separate-git-dir', join(temporaryFolder(), 'git'), '.', separate);
    expect(await findRepository(separate)).toMatchObject({ ok: true });
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', separate, 'lib');
    expect(await findRepository(join(repo.root, 'lib'))).toMatchObject({ ok: true });
  });
});
