import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@onceover/base/kernel/ids';
import type { Result } from '@onceover/base/kernel/result';
import { openGitCarrier } from '@onceover/passes/src/git-carrier.ts';
import type { PassCarrier, StoredFile } from '@onceover/passes/types';
import { cleanEnvironment, temporaryFolder } from './repo.ts';

/** A bare repository and clones of it, in a temporary folder. */
export type Clones = {
  readonly bare: string;
  /** Runs git in a folder and returns its output. */
  git(folder: string, ...args: readonly string[]): string;
  /** Runs git in a folder with these bytes as its input. */
  feed(folder: string, input: string | Uint8Array, ...args: readonly string[]): string;
  /** Makes a repository that has the bare one as its remote, but no commits, and returns its root. */
  join(name: string): string;
  /** Adds three commits to main, makes a clone and returns its root. */
  clone(name: string, ...options: readonly string[]): string;
};

/** Makes a bare repository. */
export function bareWithClones(...options: readonly string[]): Clones {
  const folder = temporaryFolder();
  const env = cleanEnvironment(folder);
  const feed = (at: string, input: string | Uint8Array, ...args: readonly string[]) =>
    execFileSync('git', args, { cwd: at, env, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
  const git = (at: string, ...args: readonly string[]) => feed(at, '', ...args);
  const bare = join(folder, 'bare.git');
  const init = ['init', '-q', '-b', 'main', '--template=', ...options];
  git(folder, ...init, '--bare', bare);
  appendFileSync(join(bare, 'config'), '[uploadpack]\n\tallowFilter = true\n');
  return {
    bare,
    git,
    feed,
    join(name) {
      const root = join(folder, name);
      git(folder, ...init, root);
      appendFileSync(join(root, '.git/config'), `[remote "origin"]\n\turl = file://${bare}\n`);
      return root;
    },
    clone(name, ...more) {
      const tree = git(bare, 'mktree').trim();
      let tip = git(bare, 'commit-tree', tree, '-m', 'one').trim();
      for (const message of ['two', 'three']) tip = git(bare, 'commit-tree', tree, '-m', message, '-p', tip).trim();
      git(bare, 'update-ref', 'refs/heads/main', tip);
      const root = join(folder, name);
      git(folder, 'clone', '-q', ...more, `file://${bare}`, root);
      return root;
    },
  };
}

/** Opens the carrier of a clone's remote, with its git folder at the usual place. */
export function carrierAt(
  root: string,
  remote = 'origin',
  limits: Parameters<typeof openGitCarrier>[2] = {},
): PassCarrier {
  const opened = openGitCarrier({ root, commonDir: join(root, '.git') }, remote, limits);
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure));
  return opened.value;
}

/** Returns a signed file that carriers cannot tell from a real one. */
export function storedSample(name: string, words = 'pass'): StoredFile {
  const statement = Buffer.from(`${JSON.stringify({ name, words })}\n`, 'utf8');
  const signature = `-----BEGIN SSH SIGNATURE-----\n${Buffer.from(`${name} ${words}`).toString('base64')}\n-----END SSH SIGNATURE-----\n`;
  return { key: sha256(name), file: { statement, signature } };
}

/** Returns the value of a result, or throws its failure. */
export function okValue<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
