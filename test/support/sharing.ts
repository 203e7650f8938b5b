import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RunDocument } from '@onceover/gates/result/json';
import { type CliEnd, onceover } from './cli.ts';
import type { ScriptedAnswer } from './gates.ts';
import { cleanEnvironment, temporaryFolder } from './repo.ts';

const AGENT = resolve(import.meta.dirname, 'agent.mjs');

/** A clone of the team's repository, with its own signing key or none. */
export type Clone = {
  readonly root: string;
  git(...args: string[]): string;
  write(path: string, content: string): void;
  commit(message?: string): void;
  run(args?: readonly string[]): Promise<RunDocument & Omit<CliEnd, 'stdout'>>;
  command(...args: readonly string[]): Promise<CliEnd>;
};

type CloneOptions = {
  /** The signing key: a name from `key`; without it, the clone has none. */
  readonly key?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
};

export type Team = {
  readonly folder: string;
  readonly bare: string;
  /** Makes a signing key, and returns its line for a signers file. */
  key(name: string, options?: string): string;
  keyFile(name: string): string;
  clone(options?: CloneOptions): Clone;
  /** Returns a new clone of a CI job for a pull request, with `branch` checked out. */
  ci(branch: string, options?: CloneOptions & { readonly target?: string }): Clone;
  /** Returns a new clone of a merge queue job, with `commit` checked out. */
  queue(branch: string): Clone;
  /** The number of reviewer calls since the last `forget`. */
  calls(): number;
  forget(): void;
  answers(...answers: readonly ScriptedAnswer[]): void;
};

/** The folders with a gate each. */
export const FOLDERS = ['src', 'api', 'web', 'docs'] as const;

/** Returns the settings of the team. `passes` and `more` are YAML. */
export function teamSettings(
  agents: string,
  options: { passes?: string; more?: string; numReviews?: number } = {},
): string {
  const { passes = 'remote: origin, share: auto, signers: .onceover/signers', more = '', numReviews = 1 } = options;
  const gate = (path: string) =>
    `  - path: ${path}\n    reviews:\n      ${path}-quality: { prompt: .onceover/reviews/quality.md, num_reviews: ${numReviews} }`;
  return `unchanged_gates: rest
${passes === '' ? '' : `passes: { ${passes} }`}
${more}
agents: [one]
agent:
  one: { command: [node, ${AGENT}, one, ${agents}], model: test-1 }
gates:
${FOLDERS.map(gate).join('\n')}
`;
}

/** Makes a bare repository whose branch main has the settings, and returns functions to make clones of it. */
export function team(
  options: Parameters<typeof teamSettings>[1] & {
    /** The text of the signers file, or a function that makes it from keys. */
    readonly signers?: (key: Team['key']) => string;
    readonly files?: Readonly<Record<string, string>>;
    /** The hash of all repositories; default: git's. */
    readonly hash?: 'sha256';
    /** The folder for all clones; default: a temporary one that is removed when the test ends. */
    readonly folder?: string;
  } = {},
): Team {
  const folder = options.folder ?? temporaryFolder();
  const bare = join(folder, 'origin.git');
  const agents = join(folder, 'agents');
  const keys = join(folder, 'keys');
  const calls = join(agents, 'calls.jsonl');
  for (const one of [agents, keys]) mkdirSync(one);
  // git clones an empty repository with its default hash.
  const hash = options.hash === undefined ? {} : { GIT_DEFAULT_HASH: options.hash };
  const env = { ...cleanEnvironment(folder), ...hash };
  const at =
    (cwd: string) =>
    (...args: string[]) =>
      execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  at(folder)('init', '-q', '--bare', '-b', 'main', bare);
  at(bare)('config', 'uploadpack.allowFilter', 'true');
  at(bare)('config', 'uploadpack.allowAnySHA1InWant', 'true');
  let number = 0;

  const keyFile = (name: string) => join(keys, name);
  const key = (name: string, own = 'namespaces="onceover"') => {
    if (!existsSync(keyFile(name))) {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', keyFile(name)]);
    }
    const text = readFileSync(`${keyFile(name)}.pub`, 'utf8').trim();
    return `${name} ${own === '' ? '' : `${own} `}${text}\n`;
  };

  const clone = ({ key: signer, env: more = {}, args = [] }: CloneOptions = {}): Clone => {
    const root = join(folder, `clone-${++number}`, 'repo');
    mkdirSync(dirname(root));
    at(folder)('clone', '-q', ...args, `file://${bare}`, root);
    const git = at(root);
    if (signer !== undefined) {
      key(signer);
      git('config', 'gpg.format', 'ssh');
      git('config', 'user.signingkey', keyFile(signer));
    }
    const command = (...given: readonly string[]) => onceover(root, given, { env: more, timeoutMs: 60_000 });
    return {
      root,
      git,
      command,
      write(path, content) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), content);
      },
      commit(message = 'work') {
        git('add', '-A');
        git('commit', '-q', '--allow-empty', '-m', message);
      },
      async run(given = []) {
        const end = await command('run', '--json', ...given);
        const document = JSON.parse(end.stdout) as RunDocument;
        return { ...document, code: end.code, stderr: end.stderr };
      },
    };
  };

  const first = clone();
  const signers = options.signers?.(key) ?? key('dev@example.com');
  first.write('onceover.yml', teamSettings(agents, options));
  first.write('.onceover/signers', signers);
  first.write('.onceover/reviews/quality.md', 'Look for what is wrong.\n');
  for (const one of FOLDERS) first.write(`${one}/a.txt`, 'one\ntwo\nthree\n');
  for (const [path, text] of Object.entries(options.files ?? {})) first.write(path, text);
  first.commit('set up');
  first.git('push', '-q', 'origin', 'main');

  return {
    ...{ folder, bare, key, keyFile, clone },
    ci(branch, { target = 'main', ...given } = {}) {
      const pullRequest = { GITHUB_EVENT_NAME: 'pull_request', GITHUB_BASE_REF: target, GITHUB_HEAD_REF: branch };
      const made = clone({ ...given, env: { CI: 'true', ...pullRequest, ...given.env } });
      made.git('checkout', '-q', '--detach', `origin/${branch}`);
      return made;
    },
    queue(branch) {
      const ref = `refs/heads/gh-readonly-queue/main/pr-7-${'0'.repeat(40)}`;
      const made = clone({ env: { CI: 'true', GITHUB_EVENT_NAME: 'merge_group', GITHUB_REF: ref } });
      made.git('checkout', '-q', '--detach', `origin/${branch}`);
      return made;
    },
    calls() {
      if (!existsSync(calls)) return 0;
      return readFileSync(calls, 'utf8')
        .split('\n')
        .filter((line) => line !== '').length;
    },
    forget: () => writeFileSync(calls, ''),
    answers: (...answers) => writeFileSync(join(agents, 'one.answers.json'), JSON.stringify(answers)),
  };
}

/** Makes a branch with a change in each of these folders, has it reviewed on a laptop, and pushes it. */
export async function reviewedBranch(
  laptop: Clone,
  branch: string,
  folders: readonly string[] = FOLDERS,
): Promise<RunDocument & Omit<CliEnd, 'stdout'>> {
  laptop.git('checkout', '-q', '-B', branch, 'origin/main');
  for (const one of folders) laptop.write(`${one}/a.txt`, `one\n${branch}\nthree\n`);
  laptop.commit(`change of ${branch}`);
  const run = await laptop.run();
  laptop.git('push', '-q', '-f', 'origin', branch);
  return run;
}
