import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseSettings } from '../../src/config/parse-settings.ts';
import { CLI } from '../support/cli.ts';
import { emptyRepo, repoWith, type TestRepo, temporaryFolder } from '../support/repo.ts';

// As somebody meets it who has read the README and has nothing but Node, npm and git: installed from the package, in an
// empty home, without an agent.

const ROOT = resolve(import.meta.dirname, '../..');
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
  const packed = as('npm', ['pack', '--ignore-scripts', '--silent'], source);
  tarball = join(source, packed.out.trim());
  const installed = as('npm', ['install', '--global', '--offline', '--prefix', join(house, 'own'), tarball], house);
  expect([installed.code, installed.out]).toEqual([0, expect.stringMatching(/added 1 package/)]);
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

/** What git and the disk show of a repository. */
function looksOf(repo: TestRepo) {
  return {
    status: repo.git('status', '--porcelain', '-uall', '--ignored').replace(/^!! node_modules\/\n/m, ''),
    refs: repo.git('for-each-ref', '--format=%(refname)'),
    gitFolder: existsSync(join(repo.root, '.git/onceover')),
  };
}

function checksOf(repo: TestRepo): Readonly<Record<string, string>> {
  const parsed = parseSettings(readFileSync(join(repo.root, 'onceover.yml'), 'utf8'));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const [entry] = parsed.settings.gates;
  return Object.fromEntries(Object.entries(entry?.checks ?? {}).map(([name, { run }]) => [name, run]));
}

describe('a TypeScript project', () => {
  test('from npx to the first result, a mistake in the settings, and back', () => {
    const repo = repoWith({ 'package.json': PACKAGE, '.gitignore': 'node_modules/\n', 'src/a.ts': 'export {};\n' });
    expect(as('npm', ['install', '--offline', '--save-dev', tarball], repo.root).code).toBe(0);
    repo.commit('with onceover');
    repo.write('src/b.ts', 'export const b = 1;\n');
    const before = looksOf(repo);

    const init = as('npx', ['onceover', 'init'], repo.root);
    expect([init.code, init.err]).toEqual([0, '']);
    expect(checksOf(repo)).toEqual({ lint: 'npm run lint', test: 'npm test' });
    expect(init.out.trimEnd().split('\n').slice(-2)).toEqual([
      'Next: get an agent, since none was found: "npx onceover doctor" says how.',
      'Then: "npx onceover run" runs the gates on your present change.',
    ]);
    expect(init.out.split('\n').length).toBeLessThan(50);

    const run = as('npx', ['onceover', 'run'], repo.root);
    expect([run.code, run.out]).toEqual([
      3,
      expect.stringMatching(/^pass {4}check:\.:lint .*\npass {4}check:\.:test .*\nERROR .*\n.*no agent is installed/),
    ]);
    expect(run.out).toMatch(/^Next: "npx onceover doctor" says how to get an agent; then run again\.$/m);

    const status = onceover(repo, 'status');
    expect([status.code, status.out]).toEqual([
      1,
      expect.stringMatching(/^holds {3}check:\.:lint .*\nholds .*\nnot run /),
    ]);
    expect(status.out).toContain('  not run @1: has not passed\n');
    const again = onceover(repo, 'init');
    expect(again.out).toMatch(/^onceover\.yml is there already and was left as it is\.$/m);

    const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
    repo.write('onceover.yml', settings.replace('prompt:', 'promt:'));
    const line = settings.split('\n').findIndex((one) => one.includes('prompt:')) + 1;
    expect(onceover(repo, 'run')).toEqual({
      code: 2,
      out: '',
      err: `onceover: onceover.yml:${line}:9: unknown key "promt"; did you mean "prompt"?\nMend the configuration and run again; nothing was run.\n`,
    });
    repo.write('onceover.yml', settings);

    const shown = onceover(repo, 'init', '--remove');
    expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/^This would go:\n {2}onceover\.yml, as /)]);
    expect(existsSync(join(repo.root, 'onceover.yml'))).toBe(true);
    const removed = onceover(repo, 'init', '--remove', '--yes');
    expect([removed.code, removed.out]).toEqual([0, expect.stringMatching(/^Took away:\n/)]);
    expect(looksOf(repo)).toEqual(before);
    expect(onceover(repo, 'init', '--remove', '--yes').out).toMatch(/^Nothing that onceover wrote is here\.\n/);
    expect(as('npm', ['uninstall', '--offline', 'onceover'], repo.root).code).toBe(0);
    expect(readFileSync(join(repo.root, 'package.json'), 'utf8')).toBe(PACKAGE);
    expect(existsSync(join(house, 'home/.cache/onceover'))).toBe(false);
  }, 120_000);
});

describe('without package.json', () => {
  test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>, string]>([
    [
      'Python',
      { 'pyproject.toml': '[tool.ruff]\n[tool.pytest.ini_options]\n', 'a.py': 'A = 1\n' },
      { lint: 'ruff check .', test: 'pytest -q' },
      'ruff, pytest',
    ],
    ['Go', { 'go.mod': 'module x\n', 'a.go': 'package x\n' }, { lint: 'go vet ./...', test: 'go test ./...' }, 'go'],
  ])('%s: what is not installed is named at once, and where it fails', (_, files, checks, missing) => {
    const repo = repoWith(files);
    repo.write('new.txt', 'x\n');
    const init = onceover(repo, 'init');
    expect([init.code, checksOf(repo)]).toEqual([0, checks]);
    expect(init.out).toContain(`\nNot found on this machine: ${missing}. The checks need `);
    const run = onceover(repo, 'run');
    expect([run.code, run.out]).toEqual([1, expect.stringMatching(/: exit code 127: a command in it was not found\n/)]);
    expect(run.out).toMatch(/^Next: install what the check calls, or change it in onceover\.yml, and run again\.$/m);
    expect(onceover(repo, 'status').out).toMatch(/^not run check:\.:test {2}has not passed on what is there now$/m);
  });
});

test('a monorepo: the scripts of its packages are the checks, and they run', () => {
  const scripts = { test: 'node -e "process.stdout.write(process.env.npm_package_name)"' };
  const repo = repoWith({
    'package.json': '{"private": true, "workspaces": ["packages/*"]}',
    'packages/a/package.json': JSON.stringify({ name: 'a', version: '1.0.0', scripts }),
    'packages/b/package.json': '{"name": "b", "version": "1.0.0"}',
  });
  repo.write('packages/a/a.js', '');
  expect(onceover(repo, 'init').code).toBe(0);
  expect(checksOf(repo)).toEqual({ test: 'npm run test --workspaces --if-present' });
  const run = onceover(repo, 'run');
  expect([run.code, run.out]).toEqual([3, expect.stringMatching(/^pass {4}check:\.:test/)]);
});

test('one commit: what init wrote is committed first; a command of one’s own reviews; what was edited is left', () => {
  const repo = emptyRepo();
  repo.write(
    'reviewer.mjs',
    'process.stdin.resume();\nconsole.log(JSON.stringify({ status: "pass", violations: [] }));\n',
  );
  repo.commit();
  const init = onceover(repo, 'init', '--hook', 'claude', '--mcp', 'claude', '--gates');
  expect(init.out).toMatch(/^Then: commit this; nothing else has changed yet\.$/m);
  const settings = readFileSync(join(repo.root, 'onceover.yml'), 'utf8');
  repo.write('onceover.yml', `${settings}agent:\n  mine: { command: [node, reviewer.mjs] }\n`);
  repo.commit();
  repo.write('b.txt', 'b\n');
  const run = onceover(repo, 'run');
  expect([run.code, run.out]).toEqual([
    0,
    expect.stringMatching(/^pass {4}review:\.:code-quality .*\n.*@1 mine: fresh/),
  ]);
  expect(onceover(repo, 'run').out).toMatch(/^Passed: every gate holds, nothing had to be run\. \(exit code 0\)$/m);
  const removed = onceover(repo, 'init', '--remove', '--yes', '--json');
  expect(JSON.parse(removed.out)).toMatchObject({
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

test('no commit, and no repository at all', () => {
  const repo = emptyRepo();
  repo.write('a.txt', 'a\n');
  expect(onceover(repo, 'init').code).toBe(0);
  const run = onceover(repo, 'run');
  expect([run.code, run.out]).toEqual([3, expect.stringMatching(/^Could not judge: 1 gate could not be judged\./m)]);
  const settings = 'onceover.yml';
  repo.write(settings, '<<<<<<< HEAD\nversion: 1\n=======\nagents: [claude]\n>>>>>>> other\n');
  expect(onceover(repo, 'run').err).toMatch(
    /^onceover: onceover\.yml:1:1: a merge conflict is left here: keep one side/,
  );
  // Whoever wants to be rid of it need not mend its settings first.
  expect(onceover(repo, 'init', '--remove', '--yes').code).toBe(0);
  expect(looksOf(repo)).toMatchObject({ refs: '', gitFolder: false });
  const outside = temporaryFolder();
  expect(as('onceover', ['init'], outside)).toMatchObject({ code: 3, err: expect.stringContaining('"git init"') });
  expect(as('onceover', ['doctor'], outside)).toMatchObject({ code: 0, out: expect.stringMatching(/"onceover demo"/) });
});
