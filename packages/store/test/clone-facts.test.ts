import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findRepository } from '@onceover/repo/git/locate';
import { emptyRepo, repoWith, temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { readCloneFacts } from '../src/identity.ts';

async function factsOf(folder: string) {
  const repository = await findRepository(folder);
  if (!repository.ok) throw new Error(JSON.stringify(repository.failure));
  const facts = await readCloneFacts(repository.value);
  return facts.ok ? facts.value : facts.failure;
}

test('a repository without commits and remotes has neither fact', async () => {
  expect(await factsOf(emptyRepo().root)).toEqual({ remote: null, root: '' });
});

test('the first commit stays the same after a merge of another history', async () => {
  const repo = repoWith({ 'a.ts': 'one' });
  const root = repo.git('rev-parse', 'HEAD').trim();
  repo.git('remote', 'add', 'upstream', 'https://github.com/other/shop');
  repo.git('remote', 'add', 'origin', 'git@github.com:acme/shop.git');
  repo.git('remote', 'set-url', '--add', 'origin', 'https://mirror.example.com/shop');
  expect(await factsOf(repo.root)).toEqual({ remote: 'git@github.com:acme/shop.git', root });
  repo.git('checkout', '-q', '--orphan', 'other');
  repo.commit('another root');
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '--allow-unrelated-histories', '-m', 'merge', 'other');
  expect((await factsOf(repo.root)) as object).toMatchObject({ root });
});

test('a shallow clone does not know its first commit', async () => {
  const repo = repoWith({ 'a.ts': 'one' });
  repo.write('a.ts', 'two');
  repo.commit();
  const clone = join(temporaryFolder(), 'clone');
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${repo.root}`, clone]);
  expect(await factsOf(clone)).toEqual({ remote: `file://${repo.root}`, root: null });
});
