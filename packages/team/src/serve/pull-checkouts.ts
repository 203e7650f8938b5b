import { existsSync, lstatSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@onceover/base/kernel/ids';
import { DEFAULT_LOG_DIR } from '@onceover/base/kernel/paths';
import { makeParents, tryToRemoveFolder } from '@onceover/base/platform/files';
import { asResult, git, gitText } from '@onceover/repo/git/git';
import type { ForgeSettings, PullName } from './types.ts';

type CheckoutEnd =
  /** The working tree in the folder has the head of the pull request checked out. */
  | { readonly kind: 'ready'; readonly folder: string }
  /** The pull request has another head commit than the forge reported before. */
  | { readonly kind: 'moved' }
  /** The commits could not be fetched, for example because the pull request or its target branch no longer exists. */
  | { readonly kind: 'gone'; readonly said: string };

const KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Git settings that prevent git from running programs that a repository chooses, and from starting background garbage
 * collection.
 */
const CONFIG = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=',
  'protocol.allow=never',
  'protocol.https.allow=always',
  'protocol.http.allow=always',
  'protocol.file.allow=always',
  'http.followRedirects=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
];

/**
 * Manages the clones of pull requests below a folder. Each repository has a mirror, and each pull request has a clone
 * that shares the mirror's objects. Folder names are digests, so a repository name cannot lead outside the folder.
 */
export function openPullCheckouts(folder: string) {
  const turns = new Map<string, Promise<unknown>>();

  /** Runs work on a mirror after all earlier work on the same mirror has ended. */
  async function inTurn<T>(mirror: string, work: () => Promise<T>): Promise<T> {
    const before = turns.get(mirror) ?? Promise.resolve();
    const next = before.then(work, work);
    const turn = next.catch(() => undefined);
    turns.set(mirror, turn);
    try {
      return await next;
    } finally {
      if (turns.get(mirror) === turn) turns.delete(mirror);
    }
  }

  const ownFolder = ({ forge, project }: PullName) =>
    join(folder, sha256(JSON.stringify([forge, project.toLowerCase()])).slice(0, 32));

  return {
    /** Checks out the head of a pull request. Fetches only the pull request itself and the branch `base`. */
    open(forge: ForgeSettings, pull: PullName, { head, base }: { readonly head: string; readonly base: string }) {
      const projectFolder = ownFolder(pull);
      const mirror = join(projectFolder, 'mirror.git');
      const clone = join(projectFolder, `pull-${pull.number}`);
      const url = `${forge.clone}/${pull.project}.git`;
      return asResult(
        inTurn(projectFolder, async (): Promise<CheckoutEnd> => {
          const remote = { config: CONFIG, env: loginFor(forge, url) };
          await openRepositoryAt(mirror, true);
          const source =
            forge.name === 'github' ? `refs/pull/${pull.number}/head` : `refs/merge-requests/${pull.number}/head`;
          const pullRef = `refs/onceover/pulls/${pull.number}`;
          // Store the base under a digest of its name: git cannot hold refs for a branch "a" and a branch "a/b" at the
          // same time.
          const branch = `refs/onceover/bases/${sha256(base)}`;
          const refspecs = [`+${source}:${pullRef}`, `+refs/heads/${base}:${branch}`];
          const fetch = [
            'fetch',
            '--no-tags',
            '--quiet',
            '--no-write-fetch-head',
            '--end-of-options',
            url,
            ...refspecs,
          ];
          const fetchAnswer = await git(mirror, fetch, { ...remote, expected: [0, 1, 128] });
          if (fetchAnswer.code !== 0) {
            if (/couldn't find remote ref/i.test(fetchAnswer.stderr))
              return { kind: 'gone', said: 'the pull request or its target branch is no longer on the forge' };
            return { kind: 'gone', said: `the commits could not be fetched: ${firstLine(fetchAnswer.stderr)}` };
          }
          const [gotHead, gotBase] = await Promise.all([
            gitText(mirror, ['rev-parse', '--verify', `${pullRef}^{commit}`]),
            gitText(mirror, ['rev-parse', '--verify', `${branch}^{commit}`]),
          ]);
          if (gotHead !== head) return { kind: 'moved' };
          await openRepositoryAt(clone, false);
          writeFileSync(join(clone, '.git/objects/info/alternates'), `${join(mirror, 'objects')}\n`);
          await checkOut(clone, { url, base, baseCommit: gotBase, head });
          utimesSync(clone, new Date(), new Date());
          return { kind: 'ready', folder: clone };
        }),
      );
    },

    /** Removes the clone of a pull request that was closed. */
    remove(pull: PullName): void {
      tryToRemoveFolder(join(ownFolder(pull), `pull-${pull.number}`));
    },

    /** Removes the clones of pull requests that no review run has used for a week. */
    tidy(): void {
      const oldest = Date.now() - KEEP_MS;
      for (const name of namesIn(folder)) {
        for (const clone of namesIn(join(folder, name)).filter((entry) => entry.startsWith('pull-'))) {
          const path = join(folder, name, clone);
          if (lstatSync(path).mtimeMs < oldest) tryToRemoveFolder(path);
        }
      }
    },
  };
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function firstLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}

async function openRepositoryAt(folder: string, isBare: boolean): Promise<void> {
  if (existsSync(join(folder, isBare ? 'HEAD' : '.git/HEAD'))) return;
  makeParents(folder, 0o700);
  const bare = isBare ? ['--bare'] : [];
  await git(folder, ['init', '--quiet', '--template=', ...bare], { config: CONFIG });
}

type Wanted = { readonly url: string; readonly base: string; readonly baseCommit: string; readonly head: string };

async function checkOut(clone: string, { url, base, baseCommit, head }: Wanted): Promise<void> {
  // Without this variable, git-lfs would fetch large files and look for credentials of its own.
  const quiet = { config: CONFIG, env: { GIT_LFS_SKIP_SMUDGE: '1' } };
  // The team store identifies a repository by the address of its remote, so set that address.
  await git(clone, ['config', 'remote.origin.url', url], quiet);
  // Delete all other remote branches, so that onceover can read its configuration only from `base`.
  const refList = await gitText(clone, ['for-each-ref', '--format=%(refname)', 'refs/remotes'], quiet);
  for (const ref of refList.split('\n').filter((line) => line !== ''))
    await git(clone, ['update-ref', '-d', ref], quiet);
  await git(clone, ['update-ref', `refs/remotes/origin/${base}`, baseCommit], quiet);
  await git(clone, ['checkout', '--quiet', '--force', '--detach', head], quiet);
  // Keep the result files of earlier runs, unless the change could have written them.
  const isTracked = (await gitText(clone, ['ls-files', '--', DEFAULT_LOG_DIR], quiet)) !== '';
  const keep = isTracked || !isPlain(clone) ? [] : ['-e', `/${DEFAULT_LOG_DIR}/`];
  await git(clone, ['clean', '-ffdxq', ...keep], quiet);
}

/**
 * Whether the log folder is a real folder in this clone. The author of a change can turn it into a symlink to anywhere.
 */
function isPlain(clone: string): boolean {
  const parts = DEFAULT_LOG_DIR.split('/');
  return parts.every((_, n) => {
    const stats = lstatSync(join(clone, ...parts.slice(0, n + 1)), { throwIfNoEntry: false });
    return stats === undefined || stats.isDirectory();
  });
}

/**
 * Returns environment variables with which git sends the token only to the address `url`. The token is not an argument
 * of git, because other users of the machine could see it there.
 */
function loginFor({ name, token }: ForgeSettings, url: string): Readonly<Record<string, string>> {
  if (!/^https?:/.test(url)) return {};
  const user = name === 'github' ? 'x-access-token' : 'oauth2';
  const basic = Buffer.from(`${user}:${token}`).toString('base64');
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${url}.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
}
