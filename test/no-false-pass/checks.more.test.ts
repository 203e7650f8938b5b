import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GateRepo } from '@onceover/testing/gates.ts';
import { alone, command, configure, waysUnder } from '@onceover/testing/ways.ts';
import { expect } from 'vitest';

const way = waysUnder('Checks that fail, or that passed on other files');

const checks = (...runs: readonly string[]) => {
  const lines = runs.map((run, i) => `      check${i}: { run: ${JSON.stringify(run)}, timeout: 1 }`);
  return `  - path: src\n    checks:\n${lines.join('\n')}\n    reviews: { own: { prompt: .onceover/reviews/code-quality.md } }`;
};
const checked = (...runs: readonly string[]) => alone({ gates: checks(...runs), files: { 'src/flag': 'bad\n' } });

async function expectFailed(repo: GateRepo, args: readonly string[] = []): Promise<void> {
  const run = await repo.document(args);
  expect(run).toMatchObject({ code: 1, status: 'failed' });
  expect((await command(repo, 'status')).code).toBe(1);
}

way('A check exits with another code than 0.', async () => {
  const repo = checked('exit 7');
  await expectFailed(repo);
  expect(repo.calls()).toEqual([]);
});

way('A check fails, and the reviewers, which run because of --all, pass.', async () => {
  const repo = checked('exit 7');
  await expectFailed(repo, ['--all']);
  expect(repo.calls()).toHaveLength(1);
});

way('The first of two checks fails, and the second one passes.', () => expectFailed(checked('false', 'true')));

way('A signal ends a check.', () => expectFailed(checked('kill -9 $$')));

way('A check exceeds its timeout.', () => expectFailed(checked('sleep 20')));

way('The command of a check does not exist.', () => expectFailed(checked('no-such-command')));

way('A check passes and changes files every time it runs.', async () => {
  const repo = checked('echo x >> src/flag');
  expect((await repo.document()).gates[0]).toMatchObject({ status: 'error', why: 'check-keeps-changing-files' });
  expect((await repo.run()).code).not.toBe(0);
});

way('A check passes and changes files so that it would fail if it ran again.', async () => {
  const repo = checked('grep -q bad src/flag && echo good > src/flag');
  await expectFailed(repo);
});

way('A check fails after another check has passed and changed files.', async () => {
  const repo = checked('grep -q bad src/flag || false', 'echo good > src/flag');
  await expectFailed(repo);
});

way('A check passes on files that the previous check wrote, and then reverts these files.', async () => {
  const repo = checked('echo good > src/flag', 'grep -q good src/flag; ok=$?; echo bad > src/flag; exit $ok');
  expect((await repo.run()).code).not.toBe(0);
});

/** A check that fails as soon as a file outside the repository exists. */
const SWITCH = 'test ! -e ../fail-now';
const failNow = (repo: GateRepo) => writeFileSync(join(dirname(repo.root), 'fail-now'), '');

way(
  'A check has passed, and then someone edits a file that belongs to no gate, so that the check would fail.',
  async () => {
    const repo = checked(SWITCH);
    expect((await repo.run()).code).toBe(0);
    failNow(repo);
    repo.write('README.md', '# More\n');
    await expectFailed(repo);
  },
);

way('A check has passed, and then someone edits the command of this check in onceover.yml.', async () => {
  const repo = checked('true');
  expect((await repo.run()).code).toBe(0);
  configure(repo, { gates: checks('false') });
  await expectFailed(repo);
});

way('A check has passed, and then someone edits a script that the check runs.', async () => {
  const repo = alone({ gates: checks('sh check.sh'), files: { 'check.sh': 'exit 0\n' } });
  expect((await repo.run()).code).toBe(0);
  repo.write('check.sh', 'exit 1\n');
  await expectFailed(repo);
});

way('A check has passed, and then someone edits a file in a nested repository.', async () => {
  const repo = checked('grep -q good lib/flag');
  repo.write('lib/flag', 'good\n');
  repo.git('init', '-q', 'lib');
  repo.git('-C', 'lib', 'add', 'flag');
  repo.git('-C', 'lib', 'commit', '-q', '-m', 'one');
  repo.write('lib/new', 'one\n');
  expect((await repo.run()).code).toBe(0);
  expect((await command(repo, 'status')).code).toBe(0);
  repo.write('lib/flag', 'evil\n');
  await expectFailed(repo);
});

way('A check has passed, and then someone edits an untracked file that onceover hides from reviewers.', async () => {
  for (const [path, text] of [
    ['.env.test', 'good\n'],
    ['large.txt', `${' '.repeat(5 * 1024 * 1024)}\ngood\n`],
  ] as const) {
    const repo = checked(`grep -q good ${path}`);
    repo.write(path, text);
    expect((await repo.run()).code).toBe(0);
    repo.write(path, text.replace('good', 'evil'));
    await expectFailed(repo);
  }
});

way('A check has passed, and then someone edits a file in a nested repository that has no commit.', async () => {
  const repo = checked('grep -q good lib/flag');
  repo.write('lib/flag', 'good\n');
  repo.git('init', '-q', 'lib');
  expect((await repo.run()).code).toBe(0);
  repo.write('lib/flag', 'evil\n');
  await expectFailed(repo);
});

way(
  'A check has passed, and then someone edits a file of a submodule, and the index of the submodule hides the edit.',
  async () => {
    for (const flag of ['--assume-unchanged', '--skip-worktree']) {
      const repo = checked('grep -q good lib/flag');
      repo.write('lib/flag', 'good\n');
      repo.git('init', '-q', 'lib');
      repo.git('-C', 'lib', 'add', 'flag');
      repo.git('-C', 'lib', 'commit', '-q', '-m', 'one');
      repo.git('-C', 'lib', 'update-index', flag, 'flag');
      expect((await repo.run()).code).toBe(0);
      repo.write('lib/flag', 'evil\n');
      await expectFailed(repo);
    }
  },
);

way(
  'A check has passed, and then someone edits a repository inside a nested repository, and the nested repository hides the edit.',
  async () => {
    for (const hasCommit of [false, true]) {
      const repo = checked('grep -q good lib/m/flag');
      repo.write('lib/m/flag', 'good\n');
      repo.write('lib/.gitmodules', '[submodule "m"]\n\tpath = m\n\turl = ./m\n\tignore = all\n');
      repo.git('init', '-q', 'lib');
      repo.git('init', '-q', 'lib/m');
      if (hasCommit) {
        for (const folder of ['lib/m', 'lib']) {
          repo.git('-C', folder, 'add', '-A');
          repo.git('-C', folder, 'commit', '-q', '-m', 'one');
        }
      }
      expect((await repo.run()).code).toBe(0);
      repo.write('lib/m/flag', 'evil\n');
      await expectFailed(repo);
    }
  },
);

way('A check has passed, and then someone edits only line endings, and git converts them back.', async () => {
  const repo = alone({
    gates: checks("test $(tr -dc '\\r' < src/flag | wc -c) = 0"),
    files: { 'src/flag': 'one\n', '.gitattributes': '* text=auto\n' },
  });
  expect((await repo.run()).code).toBe(0);
  repo.write('src/flag', 'one\r\n');
  await expectFailed(repo);
});

way(
  'A check has passed, and then someone moves a carriage return inside a file, so that the size of the file stays the same.',
  async () => {
    for (const folder of ['src', 'lib']) {
      const repo = alone({
        gates: checks(`head -n 1 ${folder}/flag | grep -qv $(printf '\\r')`),
        files: { '.gitattributes': '* text=auto\n' },
      });
      if (folder === 'lib') repo.git('init', '-q', 'lib');
      repo.write(`${folder}/flag`, 'one two\nthree\r\n');
      if (folder === 'lib') {
        repo.write('lib/.gitattributes', '* text=auto\n');
        repo.git('-C', 'lib', 'add', '.');
        repo.git('-C', 'lib', 'commit', '-q', '-m', 'one');
      }
      expect((await repo.run()).code).toBe(0);
      repo.write(`${folder}/flag`, 'one two\r\nthree\n');
      await expectFailed(repo);
    }
  },
);

way('A check has passed, and then a carriage return moves from one file to another.', async () => {
  const repo = alone({
    gates: checks("test $(tr -dc '\\r' < src/one | wc -c) = 0"),
    files: { 'src/one': 'text\n', 'src/two': 'text\r\n', '.gitattributes': '* text=auto\n' },
  });
  expect((await repo.run()).code).toBe(0);
  repo.write('src/one', 'text\r\n');
  repo.write('src/two', 'text\n');
  await expectFailed(repo);
});

way('A check has passed, and someone gives the name of this check to another check.', async () => {
  const repo = checked('true', 'exit 0');
  expect((await repo.run()).code).toBe(0);
  configure(repo, { gates: checks('exit 0', 'exit 1') });
  await expectFailed(repo);
});

way('A check has passed, and then the check fails on the same files in a run with --fresh.', async () => {
  const repo = checked(SWITCH);
  expect((await repo.run()).code).toBe(0);
  failNow(repo);
  await expectFailed(repo, ['--fresh']);
});

way('A check fails and reverts the only change in the working tree.', async () => {
  const repo = checked('git checkout -q main -- src/a.ts; false');
  expect(await repo.document()).toMatchObject({
    code: 1,
    status: 'failed',
    gates: [{ id: 'check:src:check0', status: 'fail' }],
  });
});
