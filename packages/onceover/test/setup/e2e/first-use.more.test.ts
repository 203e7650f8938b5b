import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseSettings } from '@onceover/repo/src/config/parse-settings.ts';
import { CLI } from '@onceover/testing/cli.ts';
import { emptyRepo, repoWith, type TestRepo, temporaryFolder } from '@onceover/testing/repo.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// The first steps of a user who has only Node, npm and git: the package is installed, the home folder is empty, and there
// is no agent.

const ROOT = resolve(import.meta.dirname, '../../../../..');
const PROGRAMS = ['npm', 'npx', 'git', 'sh', 'cat', 'ls', 'rm', 'mkdir', 'dirname', 'uname', 'sed', 'env'];

let house = '';
let tarball = '';

beforeAll(() => {
  house = realpathSync(mkdtempSync(join(tmpdir(), 'onceover-stranger-')));
  const bin = join(house, 'bin');
  const source = join(house, 'source');
  for (const folder of [bin, source, join(house, 'home')]) mkdirSync(folder);
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const name of PROGRAMS) {
    symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(bin, name));
  }
  for (const name of ['package.json', 'README.md', 'LICENSE', 'THIRD-PARTY-LICENSES.md', 'schemas']) {
    cpSync(join(ROOT, name), join(source, name), { recursive: true });
  }
  cpSync(dirname(CLI), join(source, 'dist'), { recursive: true });
  const packEnd = as('npm', ['pack', '--ignore-scripts', '--silent'], source);
  tarball = join(source, packEnd.out.trim());
  const installEnd = as('npm', ['install', '--global', '--offline', '--prefix', join(house, 'own'), tarball], house);
  expect([installEnd.code, installEnd.out]).toEqual([0, expect.stringMatching(/added 1 package/)]);
}, 60_000);

afterAll(() => rmSync(house, { recursive: true, force: true, maxRetries: 3 }));

type End = { readonly code: number | null; readonly out: string; readonly err: string };

/** Starts a program with nothing but its own small PATH and an empty home. */
function as(program: string, args: readonly string[], cwd: string): End {
  const end = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: `${join(house, 'own/bin')}:${join(house, 'bin')}`,
      HOME: join(house, 'home'),
      LANG: 'C',
      NO_UPDATE_NOTIFIER: '1',
    },
  });
  return { code: end.status, out: end.stdout, err: end.stderr };
}

const onceover = (repo: TestRepo, ...args: readonly string[]) => as('onceover', args, repo.root);

const PACKAGE = `${JSON.stringify({ name: 'a', scripts: { lint: 'node -e 0', test: 'node --test', dev: 'vite' } }, null, 2)}\n`;

/** The state of a repository in git and on disk. */
function looksOf(repo: TestRepo) {
  return {
    status: repo.git('status', '--porcelain', '-uall', '--ignored').replace(/^!! node_modules\/\n/m, ''),
    refs: repo.git('for-each-ref', '--format=%(refname)'),
    gitFolder: existsSync(join(repo.root, '.git/onceover')),
  };
}

function checksOf(repo: TestRepo): Readonly<Record<string, string>> {
  const result = parseSettings(readFileSync(join(repo.root, 'onceover.yml'), 'utf8'));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const [entry] = result.settings.gates;
  return Object.fromEntries(Object.entries(entry?.checks ?? {}).map(([name, { run }]) => [name, run]));
}

describe('a TypeScript project', () => {
  test('runs from npx to the first result, over a mistake in the settings, to the removal', () => {
    const repo = repoWith({ 'package.json': PACKAGE, '.gitignore': 'node_modules/\n', 'src/a.ts': 'export {};\n' });
    expect(as('npm', ['install', '--offline', '--save-dev', tarball], repo.root).code).toBe(0);
    repo.commit('with onceover');
    repo.write('src/b.ts', 'export const b = 1;\n');
    const before = looksOf(repo);

    const init = as('npx', ['onceover', 'init'], repo.root);
    expect([init.code, init.err]).toEqual([0, '']);
    expect(checksOf(repo)).toEqual({ lint: 'npm run lint', test: 'npm run test' });
    expect(init.out.trimEnd().split('\n').slice(-2)).toEqual([
      'Next: install an agent, because none was found: "npx onceover doctor" lists them.',
      'Then: "npx onceover run" runs the checks and reviews on your current change.',
    ]);
    expect(init.out.split('\n').length).toBeLessThan(50);

    const run = as('npx', ['onceover', 'run'], repo.root);
    expect([run.code, run.out]).toEqual([
      3,
      expect.stringMatching(
        /^ERROR .*\n.*no agent is installed.*\nnot run {2}check:\.:lint .*\nnot run {2}check:\.:test /,
      ),
    ]);
    expect(run.out).toMatch(
      /^Next: run "npx onceover doctor" to see how to install an agent, then run "npx onceover run" again\.$/m,
    );

    const status = onceover(repo, 'status', '--verbose');
    expect([status.code, status.out]).toEqual([
      1,
      expect.stringMatching(
        /^not run {2}check:\.:lint +has not passed on the current code\nnot run {2}check:\.:test .*\nnot run {2}review/,
      ),
    ]);
    expect(status.out).toContain('  reviewer 1: ERROR in run 1: no agent is installed; see "onceover doctor"\n');
    const again = onceover(repo, 'init');
    expect(again.out).toMatch(/^onceover\.yml already exists and was left unchanged\.$/m);

    const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
    repo.write('onceover.yml', settings.replace('prompt:', 'promt:'));
    const line = settings.split('\n').findIndex((text) => text.includes('prompt:')) + 1;
    const brokenRun = onceover(repo, 'run');
    expect([brokenRun.code, brokenRun.out, ...brokenRun.err.split('\n')]).toEqual([
      2,
      '',
      `onceover: onceover.yml:${line}:9: unknown key "promt"; did you mean "prompt"?`,
      expect.stringContaining('run again'),
      '',
    ]);
    repo.write('onceover.yml', settings);

    const preview = onceover(repo, 'init', '--remove');
    expect([preview.code, preview.out]).toEqual([
      0,
      expect.stringMatching(/^To be removed:\n {2}onceover\.yml, unchanged since /),
    ]);
    expect(existsSync(join(repo.root, 'onceover.yml'))).toBe(true);
    const removal = onceover(repo, 'init', '--remove', '--yes');
    expect([removal.code, removal.out]).toEqual([0, expect.stringMatching(/^Removed:\n/)]);
    expect(looksOf(repo)).toEqual(before);
    expect(onceover(repo, 'init', '--remove', '--yes').out).toMatch(/^There is nothing to remove here\.\n/);
    expect(as('npm', ['uninstall', '--offline', 'onceover'], repo.root).code).toBe(0);
    expect(readFileSync(join(repo.root, 'package.json'), 'utf8')).toBe(PACKAGE);
    expect(existsSync(join(house, 'home/.cache/onceover'))).toBe(false);
  }, 120_000);
});

describe('without package.json', () => {
  test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    [
      'Python',
      { 'pyproject.toml': '[tool.ruff]\n[tool.pytest.ini_options]\n', 'a.py': 'A = 1\n' },
      { lint: 'ruff check .', test: 'pytest -q' },
    ],
    ['Go', { 'go.mod': 'module x\n', 'a.go': 'package x\n' }, { lint: 'go vet ./...', test: 'go test ./...' }],
  ])('proposes checks for %s, and the run says that a program is missing', (_, files, checks) => {
    const repo = repoWith(files);
    repo.write('new.txt', 'x\n');
    const init = onceover(repo, 'init');
    expect([init.code, checksOf(repo)]).toEqual([0, checks]);
    const run = onceover(repo, 'run', '--all');
    expect([run.code, run.out]).toEqual([1, expect.stringMatching(/: exit code 127 \(command not found\)\n/)]);
    expect(run.out).toMatch(
      /^Next: install the command that the check calls, or change the check in onceover\.yml, run "onceover doctor" /m,
    );
    expect(onceover(repo, 'status').out).toMatch(/^not run {2}check:\.:test +has not passed on the current code$/m);
  });
});

test('runs the scripts of the packages of a monorepo as checks', () => {
  const scripts = { test: 'node -e "process.stdout.write(process.env.npm_package_name)"' };
  const repo = repoWith({
    'package.json': '{"private": true, "workspaces": ["packages/*"]}',
    'packages/a/package.json': JSON.stringify({ name: 'a', version: '1.0.0', scripts }),
    'packages/b/package.json': '{"name": "b", "version": "1.0.0"}',
  });
  repo.write('packages/a/a.js', '');
  expect(onceover(repo, 'init').code).toBe(0);
  expect(checksOf(repo)).toEqual({ test: 'npm run test --workspaces --if-present' });
  const run = onceover(repo, 'run', '--all');
  expect([run.code, run.out]).toEqual([3, expect.stringMatching(/^passed {3}check:\.:test$/m)]);
});

test('reviews with a command of the user, and keeps edited files on removal', () => {
  const repo = emptyRepo();
  repo.write(
    'reviewer.mjs',
    'process.stdin.resume();\nconsole.log(JSON.stringify({ status: "pass", violations: [] }));\n',
  );
  repo.commit();
  const init = onceover(repo, 'init', '--hook', 'claude', '--mcp', 'claude', '--gates');
  expect(init.out).toMatch(/^Then: commit these files\. There is no other change to review yet\.$/m);
  const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
  repo.write('onceover.yml', `${settings}agent:\n  mine: { command: [node, reviewer.mjs] }\n`);
  repo.commit();
  repo.write('b.txt', 'b\n');
  const run = onceover(repo, 'run', '--verbose');
  expect([run.code, run.out]).toEqual([
    0,
    expect.stringMatching(/^passed {3}review:\.:code-quality\n +reviewer 1 \(mine\): passed, new session /),
  ]);
  expect(onceover(repo, 'run').out).toMatch(/^Passed: .*, unchanged since the last pass \(exit code 0\)$/m);
  const removal = onceover(repo, 'init', '--remove', '--yes', '--json');
  expect(JSON.parse(removal.out)).toMatchObject({
    removed: true,
    taken: ['server', 'hook', 'records', 'git-folder', 'refs'].map((kind) => ({ kind })),
    left: [
      { path: 'onceover.yml', why: 'yours' },
      { path: '.onceover/reviews/code-quality.md', why: 'named' },
    ],
  });
  expect(looksOf(repo)).toEqual({
    status: ' D .claude/settings.json\n D .mcp.json\n?? b.txt\n',
    refs: 'refs/heads/main\n',
    gitFolder: false,
  });
});

test('works without a commit, and explains a missing repository', () => {
  const repo = emptyRepo();
  repo.write('a.txt', 'a\n');
  expect(onceover(repo, 'init').code).toBe(0);
  const run = onceover(repo, 'run');
  expect([run.code, run.out]).toEqual([3, expect.stringMatching(/^Error: 1 gate without a result \(exit code 3\)/m)]);
  const settings = 'onceover.yml';
  repo.write(settings, '<<<<<<< HEAD\nversion: 1\n=======\nagents: [claude]\n>>>>>>> other\n');
  expect(onceover(repo, 'run').err).toMatch(/^onceover: onceover\.yml:1:1: unresolved merge conflict: keep one side/);
  // A user can remove onceover without fixing its settings first.
  expect(onceover(repo, 'init', '--remove', '--yes').code).toBe(0);
  expect(looksOf(repo)).toMatchObject({ refs: '', gitFolder: false });
  const outside = temporaryFolder();
  expect(as('onceover', ['init'], outside)).toMatchObject({ code: 3, err: expect.stringContaining('"git init"') });
  expect(as('onceover', ['doctor'], outside)).toMatchObject({ code: 3, out: expect.stringMatching(/"onceover demo"/) });
});
