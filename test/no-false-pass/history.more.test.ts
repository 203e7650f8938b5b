import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { onceover } from '../support/cli.ts';
import type { GateRepo } from '../support/gates.ts';
import { alone, command, expectAsked, expectOpen, OBJECTION, objected, waysUnder } from '../support/ways.ts';

const way = waysUnder('Other branches, commits and worktrees');

way('The code with the finding is committed.', async () => {
  const repo = await objected();
  repo.commit();
  await expectOpen(repo);
});

way('The commit is amended.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('commit', '-q', '--amend', '-m', 'other words');
  await expectOpen(repo);
});

way('The branch is rebased on a newer base.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write('README.md', '# More\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('rebase', '-q', 'main');
  await expectOpen(repo);
});

way('The base is merged into the branch.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write('src/theirs.ts', 'export const theirs = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '-m', 'merge', 'main');
  await expectOpen(repo);
});

way('The commits are squashed.', async () => {
  const repo = await objected();
  repo.commit();
  repo.write('README.md', '# More\n');
  repo.commit();
  repo.git('reset', '-q', '--soft', 'main');
  repo.git('commit', '-q', '-m', 'all');
  await expectOpen(repo);
});

way('Another branch is created from the same commit.', async () => {
  const repo = await objected();
  repo.git('checkout', '-q', '-b', 'other');
  await expectOpen(repo);
});

way('The branch is renamed.', async () => {
  const repo = await objected();
  repo.git('branch', '-m', 'other');
  await expectOpen(repo);
});

way('Another branch is checked out, reviewed, and left again.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('checkout', '-q', 'main');
  expect(await repo.document()).toMatchObject({ code: 0, status: 'no_changes' });
  repo.git('checkout', '-q', 'work');
  await expectOpen(repo);
});

way('HEAD is detached.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('checkout', '-q', '--detach');
  await expectOpen(repo);
});

way('The same commit is checked out in another worktree.', async () => {
  const repo = await objected();
  repo.commit();
  const other = join(dirname(repo.root), 'other');
  repo.git('worktree', 'add', '-q', '-b', 'other', other);
  expect((await onceover(other, ['run'])).code).toBe(1);
  expect((await onceover(other, ['status'])).code).toBe(1);
});

way('The change is stashed, a run passes, and the change is restored.', async () => {
  const repo = await objected();
  repo.git('stash', '-q');
  expect(await repo.document()).toMatchObject({ code: 0, status: 'no_changes' });
  repo.git('stash', 'pop', '-q');
  await expectOpen(repo);
});

way('"onceover clean" archives the records.', async () => {
  const repo = await objected();
  expect((await command(repo, 'clean')).code).toBe(0);
  await expectOpen(repo);
});

way('The records are deleted.', async () => {
  const repo = await objected();
  rmSync(join(repo.root, '.deepwork'), { recursive: true });
  await expectOpen(repo);
});

way('The records are archived and the file is edited: the reviewer runs again.', async () => {
  const repo = await objected();
  await command(repo, 'clean');
  repo.write('src/a.ts', 'export const evil = 1;\n');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('The findings are deleted from the git folder: the reviewer runs again.', async () => {
  const repo = await objected();
  rmSync(join(repo.root, '.git/onceover/findings'), { recursive: true });
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('All files of onceover are deleted: the reviewer runs again.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  rmSync(join(repo.root, '.git/onceover'), { recursive: true });
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('Code passes on one branch, and another branch has other code.', async () => {
  const repo = alone();
  repo.commit();
  expect((await repo.run()).code).toBe(0);
  repo.git('checkout', '-q', '-b', 'other', 'main');
  repo.write('src/a.ts', 'export const evil = 1;\n');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('Code has passed, and then a newer base with another version of the file is merged.', async () => {
  const repo = alone();
  repo.commit();
  expect((await repo.run()).code).toBe(0);
  repo.git('checkout', '-q', 'main');
  repo.write('src/a.ts', 'export const a = 9;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '-X', 'ours', '-m', 'merge', 'main');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

/** Merges a branch and main into each other. Each keeps its own version of a file that both changed. */
function mergeBoth(repo: GateRepo, ours: string): void {
  repo.git('checkout', '-q', '.');
  repo.write(ours, 'export const ours = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write('src/a.ts', 'export const safe = 1;\n');
  repo.commit();
  const theirs = repo.git('rev-parse', 'main').trim();
  repo.git('merge', '-q', '--no-ff', '-X', 'ours', '-m', 'ours into main', 'work');
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '--no-ff', '-s', 'ours', '-m', 'main into ours', theirs);
}

way('The branch and its base were merged into each other, and changes of both are reverted.', async () => {
  const repo = alone();
  mergeBoth(repo, 'src/ours.ts');
  rmSync(join(repo.root, 'src/ours.ts'));
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
  const [{ prompt = '' } = {}] = repo.calls();
  expect(prompt).toContain('-export const safe = 1;');
  expect(prompt).toContain('-export const ours = 1;');
});

way('The branch and its base were merged into each other, so that they have more than one merge base.', async () => {
  const repo = alone();
  mergeBoth(repo, 'src/a.ts');
  const run = await repo.run();
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('main were merged into each other')]);
  expect((await command(repo, 'status')).code).toBe(2);
});

way('They have more than one merge base, and git attributes merge the lines of both sides.', async () => {
  const repo = alone();
  mergeBoth(repo, 'src/a.ts');
  repo.write('.gitattributes', 'src/a.ts merge=union\n');
  repo.commit();
  const [tree = ''] = repo
    .git('merge-tree', '--write-tree', ...repo.git('merge-base', '--all', 'main', 'work').trim().split('\n'))
    .split('\n');
  repo.write('src/a.ts', repo.git('show', `${tree}:src/a.ts`));
  repo.commit();
  expect((await repo.run()).code).toBe(2);
});

/** Expects an error because the name of the base is ambiguous. */
async function expectAmbiguous(repo: GateRepo, name: string): Promise<void> {
  const run = await repo.run();
  expect([run.code, run.stderr]).toEqual([
    2,
    expect.stringContaining(`More than one branch or tag is called "${name}"`),
  ]);
  expect((await command(repo, 'status')).code).toBe(2);
  expect((await command(repo, 'instructions')).code).toBe(2);
}

way('A tag at the last commit has the same name as the base branch.', async () => {
  const repo = await objected({ more: 'base: main' });
  repo.commit();
  repo.git('tag', 'main');
  await expectAmbiguous(repo, 'main');
});

way('A branch at the last commit has the same name as the remote branch that is the base.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('update-ref', 'refs/remotes/origin/main', 'main');
  repo.git('branch', '-f', 'main');
  repo.git('branch', 'origin/main');
  await expectAmbiguous(repo, 'origin/main');
});
