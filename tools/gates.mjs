// Runs the gates of this repository on the last commits, in a temporary copy. Without history, on all files. The reviewers are scripts, so it
// needs no model, key or network. It skips checks that CI runs anyway.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_COMMITS = 20;
const CHECKED_BEFORE = ['check:.:types'];

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = process.env.ONCEOVER_TEST_CLI ?? join(project, 'dist/cli.cjs');
const folder = mkdtempSync(join(tmpdir(), 'onceover-gates-'));
const [bin, home, copy] = ['bin', 'home', 'copy'].map((name) => join(folder, name));

try {
  process.exitCode = run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run() {
  const env = bareEnvironment();
  const git = (...args) => execFileSync('git', args, { cwd: copy, env, encoding: 'utf8' }).trim();
  execFileSync('git', ['clone', '-q', '--no-checkout', `file://${project}`, copy], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const before = earlierCommit(git);
  const tree = before === null ? git('hash-object', '-t', 'tree', '-w', '/dev/null') : `${before}^{tree}`;
  const base = git('commit-tree', '-m', 'before', tree);
  git('checkout', '-q', '-B', 'now', git('commit-tree', '-m', 'now', '-p', base, 'HEAD^{tree}'));
  git('remote', 'remove', 'origin');
  git('branch', '-q', '-f', 'main', base);
  appendFileSync(join(copy, '.git/info/exclude'), 'node_modules\n');
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));

  const onceover = (args, stdout) =>
    spawnSync(process.execPath, [cli, 'run', ...args], {
      cwd: copy,
      env,
      encoding: 'utf8',
      stdio: ['ignore', stdout, 'inherit'],
    });
  const { gates = [] } = JSON.parse(onceover(['--dry-run', '--json'], 'pipe').stdout);
  const ids = gates.map(({ id }) => id).filter((id) => !CHECKED_BEFORE.includes(id));
  return (
    onceover(
      ids.flatMap((id) => ['--gate', id]),
      'inherit',
    ).status ?? 1
  );
}

/** Returns the commit to compare with; null if there is no history. */
function earlierCommit(git) {
  const [, ...earlier] = git('rev-list', '--first-parent', `--max-count=${MOST_COMMITS + 1}`, 'HEAD').split('\n');
  return earlier.at(-1) ?? null;
}

/** Returns an environment without user settings and without agents on PATH. */
function bareEnvironment() {
  for (const one of [bin, home]) mkdirSync(one);
  for (const program of ['node', 'npm', 'git', 'sh']) symlinkSync(which(program), join(bin, program));
  return {
    PATH: bin,
    HOME: home,
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    // In a container, the clone may belong to another user.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    GIT_AUTHOR_NAME: 'gates',
    GIT_AUTHOR_EMAIL: 'gates@example.invalid',
    GIT_COMMITTER_NAME: 'gates',
    GIT_COMMITTER_EMAIL: 'gates@example.invalid',
  };
}

function which(program) {
  if (program === 'node') return process.execPath;
  return execFileSync('sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8' }).trim();
}
