import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A git repository in a temporary folder that is removed when the test ends. */
export type TestRepo = {
  readonly root: string;
  /** Runs git in the repository and returns its output. */
  git(...args: string[]): string;
  /** Writes a file and makes its folders. */
  write(path: string, content: string | Uint8Array): void;
  /** Adds and commits everything. */
  commit(message?: string): void;
};

/** Makes a temporary folder that is removed when the test ends. */
export function temporaryFolder(base = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(base, 'onceover-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Returns an environment in which git does not read the machine's settings. */
export function cleanEnvironment(home: string): NodeJS.ProcessEnv {
  // An empty variable turns the store off.
  const store = process.env['ONCEOVER_STORE'] || undefined;
  return {
    PATH: process.env['PATH'],
    HOME: home,
    ...(store === undefined ? {} : { ONCEOVER_STORE: store }),
    LANG: 'C.UTF-8',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_AUTHOR_NAME: 'Test',
    // A store for teams is shared by all tests of a file, so every repository needs a first commit of its own.
    GIT_AUTHOR_EMAIL: store === undefined ? 'test@example.invalid' : `test@${home.replace(/\W/g, '-')}.invalid`,
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.invalid',
  };
}

/** Makes an empty repository on branch main, in a folder of this name. */
export function emptyRepo(name = 'repo'): TestRepo {
  const folder = temporaryFolder();
  const root = join(folder, name);
  mkdirSync(root);
  const env = cleanEnvironment(folder);
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  git('init', '-q', '-b', 'main');
  return {
    root,
    git,
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    commit(message = 'work') {
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', message);
    },
  };
}

/** Makes a repository with these files committed on main, and branch work checked out. */
export function repoWith(files: Readonly<Record<string, string>>, name?: string): TestRepo {
  const repo = emptyRepo(name);
  for (const [path, content] of Object.entries(files)) repo.write(path, content);
  repo.commit('first');
  repo.git('checkout', '-q', '-b', 'work');
  return repo;
}

/** Returns the text of a `.deepreview` with one rule. */
export function ruleText(name: string, options: { include?: string[]; strategy?: string; more?: string } = {}): string {
  const include = JSON.stringify(options.include ?? ['**/*.py']);
  return `${name}:
  description: Checks ${name}.
  match:
    include: ${include}
  review:
    strategy: ${options.strategy ?? 'individual'}
    instructions: Look closely.
${options.more ?? ''}`;
}
