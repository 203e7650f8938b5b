import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repoWith, type TestRepo } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { matchesFingerprints, statFingerprints } from '../../src/git/fingerprints.ts';
import { findRepository } from '../../src/git/locate.ts';
import { gitFiles } from '../../src/git/watched-files.ts';

async function filesOf({ root }: Pick<TestRepo, 'root'>, base = 'main', env: NodeJS.ProcessEnv = { HOME: '/nobody' }) {
  const place = await findRepository(root);
  if (!place.ok) throw new Error(place.failure.kind);
  const files = await gitFiles(place.value, base, env);
  if (!files.ok) throw new Error(files.failure.kind);
  return files.value;
}

test.each<[string, (repo: TestRepo) => void]>([
  ['a branch is moved', (repo) => void repo.git('update-ref', 'refs/heads/main', 'work~1')],
  ['a branch is moved in a folder', (repo) => void repo.git('update-ref', 'refs/heads/team/a', 'work~1')],
  ['a branch is made in a new folder', (repo) => void repo.git('branch', 'new/one')],
  ['a branch of a remote is made', (repo) => void repo.git('update-ref', 'refs/remotes/up/main', 'work')],
  ['a tag is made', (repo) => void repo.git('tag', 'v1')],
  ['branches are packed', (repo) => void repo.git('pack-refs', '--all')],
  ['a branch of another kind is made', (repo) => void repo.git('update-ref', 'refs/pull/1/head', 'work')],
  ['a setting is changed', (repo) => void repo.git('config', 'core.filemode', 'false')],
  ['a file with attributes is made, which git ignores', (repo) => repo.write('sub/.gitattributes', '* ident\n')],
  ['a file is added by force', (repo) => void repo.git('add', '-f', 'made')],
  ['the base is what was fetched last', (repo) => void repo.git('fetch', '-q', '.', 'main')],
])('%s', async (_title, change) => {
  const repo = repoWith({ a: 'one', 'sub/b': 'two', '.gitignore': 'made\n.gitattributes\n' });
  repo.commit('two');
  repo.git('branch', 'team/a');
  repo.write('made', 'x');
  await new Promise((resolve) => setTimeout(resolve, 30));
  const traces = statFingerprints(await filesOf(repo, 'FETCH_HEAD'));
  expect(matchesFingerprints(traces)).toBe(true);
  change(repo);
  expect(matchesFingerprints(traces)).toBe(false);
});

test.each<[string, (repo: TestRepo) => void]>([
  ['ignore file', ({ root }) => appendFileSync(`${root}-ignored`, '*.log\n')],
  ['ignore file behind a symlink', ({ root }) => appendFileSync(`${root}-linked`, '*.log\n')],
  ['attributes file', ({ root }) => writeFileSync(`${root}-attributes`, '* -text\n')],
  ['included settings', ({ root }) => appendFileSync(`${root}-more`, '[core]\n\tautocrlf = input\n')],
  ['settings included by an include', ({ root }) => appendFileSync(`${root}-deep`, '[core]\n\teol = lf\n')],
  ['included settings that were missing', ({ root }) => writeFileSync(`${root}-later`, '[core]\n\teol = lf\n')],
])('notices a change of a file that settings name: %s', async (_title, change) => {
  const repo = repoWith({ a: 'one' });
  const { root } = repo;
  const beside = (name: string) => `../../${basename(root)}-${name}`;
  writeFileSync(`${root}-ignored`, '');
  writeFileSync(`${root}-linked`, '');
  symlinkSync(`${root}-linked`, `${root}-link`);
  repo.git('config', 'core.excludesFile', `${root}-ignored`);
  repo.git('config', 'core.attributesFile', `${root}-attributes`);
  repo.git('config', '--add', 'include.path', beside('more'));
  repo.git('config', '--add', 'include.path', beside('later'));
  repo.git('config', 'includeIf.onbranch:never.path', beside('unused'));
  writeFileSync(`${root}-more`, `[include]\n\tpath = ${basename(root)}-deep\n[core]\n\texcludesFile = ${root}-link\n`);
  writeFileSync(`${root}-deep`, '[user]\n\tname = Deep\n');
  await new Promise((resolve) => setTimeout(resolve, 30));
  const traces = statFingerprints(await filesOf(repo));
  expect(matchesFingerprints(traces)).toBe(true);
  change(repo);
  expect(matchesFingerprints(traces)).toBe(false);
});

test('leaves out our own refs, so that a snapshot changes nothing', async () => {
  const repo = repoWith({ a: 'one' });
  repo.git('update-ref', 'refs/onceover/one', 'HEAD');
  repo.git('update-ref', 'refs/worktree/onceover/one', 'HEAD');
  const traces = statFingerprints(await filesOf(repo));
  repo.git('update-ref', 'refs/onceover/two', 'HEAD');
  repo.git('update-ref', 'refs/worktree/onceover/two', 'HEAD');
  expect(matchesFingerprints(traces)).toBe(true);
});

test('includes the own index and the shared branches of a linked working tree', async () => {
  const repo = repoWith({ a: 'one' });
  const root = `${repo.root}-other`;
  repo.git('worktree', 'add', '-q', '-b', 'other', root);
  const files = await filesOf({ root });
  expect(files).toContain(join(repo.root, '.git/worktrees/repo-other/index'));
  expect(files).toContain(join(repo.root, '.git/refs/heads'));
});

test.each<[NodeJS.ProcessEnv, readonly string[]]>([
  [{ HOME: '/me' }, ['/etc/gitconfig', '/me/.gitconfig', '/me/.config/git/config', '/me/.config/git/ignore']],
  [{ HOME: '/me', XDG_CONFIG_HOME: '/xdg' }, ['/me/.gitconfig', '/xdg/git/ignore', '/xdg/git/attributes']],
  [{ HOME: '/me', GIT_CONFIG_GLOBAL: '/own' }, ['/own', '/me/.config/git/ignore']],
])('includes the user’s settings: %j', async (env, paths) => {
  expect(await filesOf(repoWith({ a: '' }), 'main', env)).toEqual(expect.arrayContaining([...paths]));
});
