import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onceover } from '@onceover/testing/cli.ts';
import { type GateRepo, gateRepo } from '@onceover/testing/gates.ts';
import { alone, command, expectAsked, expectOpen, OBJECTION, objected, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Changes of branches, commits and worktrees');

way('Someone commits the code with the open finding.', async () => {
  const repo = await objected();
  repo.commit();
  await expectOpen(repo);
});

way('Someone amends the commit that contains the code with the open finding.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('commit', '-q', '--amend', '-m', 'other words');
  await expectOpen(repo);
});

way('Someone rebases a branch with an open finding on a newer base.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write('README.md', '# More\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('rebase', '-q', 'main');
  await expectOpen(repo);
});

way('Someone merges the base into the branch with the open finding.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('checkout', '-q', 'main');
  repo.write('src/theirs.ts', 'export const theirs = 1;\n');
  repo.commit();
  repo.git('checkout', '-q', 'work');
  repo.git('merge', '-q', '-m', 'merge', 'main');
  await expectOpen(repo);
});

way('Someone squashes the commits of the branch with the open finding.', async () => {
  const repo = await objected();
  repo.commit();
  repo.write('README.md', '# More\n');
  repo.commit();
  repo.git('reset', '-q', '--soft', 'main');
  repo.git('commit', '-q', '-m', 'all');
  await expectOpen(repo);
});

way('Someone creates another branch from the commit with the open finding.', async () => {
  const repo = await objected();
  repo.git('checkout', '-q', '-b', 'other');
  await expectOpen(repo);
});

way('Someone renames the branch with the open finding.', async () => {
  const repo = await objected();
  repo.git('branch', '-m', 'other');
  await expectOpen(repo);
});

way('A finding is open, and someone checks out another branch, runs the gates there, and comes back.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('checkout', '-q', 'main');
  expect(await repo.document()).toMatchObject({ code: 0, status: 'no_changes' });
  repo.git('checkout', '-q', 'work');
  await expectOpen(repo);
});

way('A finding is open, and someone detaches HEAD.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('checkout', '-q', '--detach');
  await expectOpen(repo);
});

way('Someone checks out the commit with the open finding in another worktree.', async () => {
  const repo = await objected();
  repo.commit();
  const other = join(dirname(repo.root), 'other');
  repo.git('worktree', 'add', '-q', '-b', 'other', other);
  expect((await onceover(other, ['run'])).code).toBe(1);
  expect((await onceover(other, ['status'])).code).toBe(1);
});

way('Someone stashes the change with the open finding, a run passes, and someone restores the change.', async () => {
  const repo = await objected();
  repo.git('stash', '-q');
  expect(await repo.document()).toMatchObject({ code: 0, status: 'no_changes' });
  repo.git('stash', 'pop', '-q');
  await expectOpen(repo);
});

way('A finding is open, and someone runs "onceover clean", which archives the stored results.', async () => {
  const repo = await objected();
  expect((await command(repo, 'clean')).code).toBe(0);
  await expectOpen(repo);
});

way('A finding is open, and someone deletes the stored results.', async () => {
  const repo = await objected();
  rmSync(join(repo.root, '.deepwork'), { recursive: true });
  await expectOpen(repo);
});

way('Someone runs "onceover clean" and edits the file with the finding: the reviewer runs again.', async () => {
  const repo = await objected();
  await command(repo, 'clean');
  repo.write('src/a.ts', 'export const evil = 1;\n');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way.inFiles('Someone deletes the findings from the git folder: the reviewer runs again.', async () => {
  const repo = await objected();
  rmSync(join(repo.root, '.git/onceover/findings'), { recursive: true });
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way.inFiles('Someone deletes all files that onceover stored: the reviewer runs again.', async () => {
  const repo = alone();
  expect((await repo.run()).code).toBe(0);
  rmSync(join(repo.root, '.git/onceover'), { recursive: true });
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('Code passes on one branch, and someone checks out a branch with other code.', async () => {
  const repo = alone();
  repo.commit();
  expect((await repo.run()).code).toBe(0);
  repo.git('checkout', '-q', '-b', 'other', 'main');
  repo.write('src/a.ts', 'export const evil = 1;\n');
  repo.answers('one', OBJECTION);
  repo.forget();
  await expectAsked(repo);
});

way('Code has passed, and then someone merges a newer base that has another version of the file.', async () => {
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

way('Someone merged the branch and its base branch into each other, and then reverts changes of both.', async () => {
  const repo = alone();
  mergeBoth(repo, 'src/ours.ts');
  rmSync(join(repo.root, 'src/ours.ts'));
  repo.answers('one', OBJECTION);
  await expectAsked(repo);
  const [{ prompt = '' } = {}] = repo.calls();
  expect(prompt).toContain('-export const safe = 1;');
  expect(prompt).toContain('-export const ours = 1;');
});

way(
  'Someone merged the branch and its base branch into each other, so that they have more than one merge base.',
  async () => {
    const repo = alone();
    mergeBoth(repo, 'src/a.ts');
    const run = await repo.run();
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('main were merged into each other')]);
    expect((await command(repo, 'status')).code).toBe(2);
  },
);

way(
  'The branch and its base branch have more than one merge base, and the git attribute merge=union merges the lines of both.',
  async () => {
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
  },
);

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

way('Someone creates a tag at the last commit and gives the tag the name of the base branch.', async () => {
  const repo = await objected({ more: 'base: main' });
  repo.commit();
  repo.git('tag', 'main');
  await expectAmbiguous(repo, 'main');
});

way('Someone creates a branch at the last commit and gives it the name of the remote base branch.', async () => {
  const repo = await objected();
  repo.commit();
  repo.git('update-ref', 'refs/remotes/origin/main', 'main');
  repo.git('branch', '-f', 'main');
  repo.git('branch', 'origin/main');
  await expectAmbiguous(repo, 'origin/main');
});

/** One reviewer passed the change and the other failed it. The first one would fail any later change. */
async function halfPassed(prepare: (repo: GateRepo) => void = () => {}): Promise<GateRepo> {
  const repo = gateRepo();
  prepare(repo);
  repo.answers('two', OBJECTION);
  expect((await repo.run()).code).toBe(1);
  repo.forget();
  repo.answers('one', ...Array.from({ length: 3 }, () => ({ status: 'fail' as const, violations: [], message: 'no' })));
  return repo;
}

/** Expects that the reviewer that passed earlier work reviews this one. */
async function expectBoth(repo: GateRepo): Promise<void> {
  const run = await repo.document();
  expect(run.code).toBe(1);
  expect(repo.calls('one')).toHaveLength(1);
  expect(run.gates[0]?.slots).toMatchObject([{ status: 'fail' }, { status: 'pass' }]);
  expect((await command(repo, 'status')).code).toBe(1);
}

const otherWork = (repo: GateRepo) => repo.write('src/a.ts', 'export const other = 9;\nexport const work = 8;\n');

way(
  'One reviewer passed, the branch is merged, and other work starts on the same branch in the same file.',
  async () => {
    const repo = await halfPassed();
    repo.commit();
    repo.git('branch', '-f', 'main', 'work');
    otherWork(repo);
    await expectBoth(repo);
  },
);

way(
  'One reviewer passed, the branch is merged as a single commit, and other work goes on in the same file.',
  async () => {
    const repo = await halfPassed((made) => made.commit());
    repo.git('checkout', '-q', 'main');
    repo.git('merge', '-q', '--squash', 'work');
    repo.git('commit', '-q', '-m', 'all of it');
    repo.git('checkout', '-q', 'work');
    repo.git('merge', '-q', '-m', 'merge', 'main');
    otherWork(repo);
    await expectBoth(repo);
  },
);

way(
  'One reviewer passed, and someone deletes the branch and creates it again for other work in the same file.',
  async () => {
    const repo = await halfPassed();
    repo.commit();
    repo.git('checkout', '-q', 'main');
    repo.git('branch', '-q', '-D', 'work');
    repo.git('checkout', '-q', '-b', 'work');
    otherWork(repo);
    await expectBoth(repo);
  },
);

way('One reviewer passed, and someone resets the branch and starts other work in the same file.', async () => {
  const repo = await halfPassed();
  repo.commit();
  repo.git('reset', '-q', '--hard', 'main');
  otherWork(repo);
  await expectBoth(repo);
});

way('One reviewer passed, and someone reverts the uncommitted change and changes another file.', async () => {
  const repo = await halfPassed();
  repo.git('checkout', '-q', '--', 'src/a.ts');
  repo.write('src/b.ts', 'export const other = 9;\n');
  await expectBoth(repo);
});

way('One reviewer passed, and someone checks out another commit with the same base, without a branch.', async () => {
  const detached = (repo: GateRepo) => {
    repo.git('checkout', '-q', '--detach', 'main');
    repo.write('src/a.ts', 'export const a = 1;\nexport const b = 2;\n');
    repo.commit();
  };
  const repo = await halfPassed((made) => {
    made.git('checkout', '-q', '--', 'src/a.ts');
    detached(made);
  });
  repo.git('checkout', '-q', '--detach', 'main');
  otherWork(repo);
  repo.commit();
  await expectBoth(repo);
});

way(
  'One reviewer passed other work, and the first run about the new work stops before this reviewer runs.',
  async () => {
    const repo = await halfPassed();
    repo.commit();
    repo.git('reset', '-q', '--hard', 'main');
    otherWork(repo);
    repo.answers('one', { $exit: 1, $stderr: 'no' }, { $exit: 1, $stderr: 'no' }, { $exit: 1, $stderr: 'no' });
    repo.answers('two', { $exit: 1, $stderr: 'no' });
    await repo.run();
    const [record = ''] = repo.records().filter((name) => /@1\.2\.json$/.test(name));
    rmSync(join(repo.root, '.deepwork/logs', record));
    rmSync(join(repo.root, '.deepwork/logs', record.replace('.json', '.log')));
    repo.forget();
    repo.answers('one', { status: 'fail', violations: [], message: 'no' });
    repo.answers('two', { status: 'pass', violations: [] });
    await expectBoth(repo);
  },
);
