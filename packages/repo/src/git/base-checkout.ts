import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId } from '@onceover/base/kernel/ids';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import { makeScratchOutside, type Scratch } from '@onceover/base/platform/scratch';
import { NO_USER_PROGRAMS } from './environment.ts';
import { asResult, git, objectId } from './git.ts';

/** A temporary folder with the files of a commit. */
export type BaseCheckout = {
  /** Calls `work` with the folder, which exists only while a call of `use` is in progress. */
  use<T>(work: (folder: Result<string>) => Promise<T>): Promise<T>;
};

/**
 * Opens a checkout of a commit outside the repository, so that programs in it find no file of the working tree. The
 * folder is not a git repository, and git creates it without running hooks or filters.
 */
export function openBaseCheckout(repo: Pick<RepositoryPaths, 'root' | 'commonDir'>, commit: CommitId): BaseCheckout {
  let sharedCheckout: Promise<{ readonly scratch: Scratch | null; readonly folder: Result<string> }> | null = null;
  let users = 0;
  return {
    async use(work) {
      users += 1;
      const checkout = sharedCheckout ?? make(repo, commit);
      sharedCheckout = checkout;
      try {
        return await work((await checkout).folder);
      } finally {
        users -= 1;
        if (users === 0) {
          sharedCheckout = null;
          (await checkout).scratch?.remove();
        }
      }
    },
  };
}

async function make(repo: Pick<RepositoryPaths, 'root' | 'commonDir'>, commit: CommitId) {
  const scratch = makeScratchOutside(repo.root);
  if (!scratch.ok) return { scratch: null, folder: scratch };
  return { scratch: scratch.value, folder: await asResult(checkOut(repo, commit, scratch.value)) };
}

async function checkOut(
  { root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>,
  commit: CommitId,
  { folder }: Scratch,
): Promise<string> {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  const env = { GIT_DIR: commonDir, GIT_WORK_TREE: tree, GIT_INDEX_FILE: join(folder, 'index') };
  const config = [...NO_USER_PROGRAMS, ...AS_STORED, ...(await withoutFilters(root))];
  await git(tree, ['read-tree', objectId(commit)], { env, config });
  await git(tree, ['checkout-index', '--all', '--quiet'], { env, config });
  return tree;
}

const AS_STORED = ['core.autocrlf=false', 'core.sparseCheckout=false', 'core.symlinks=true', 'core.fileMode=true'];

/** Returns settings that turn off every filter of the clone, so that files are written exactly as git stores them. */
async function withoutFilters(root: string): Promise<readonly string[]> {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'];
  const answer = await git(root, args, { expected: [0, 1] });
  const names = answer.stdout.toString('utf8').split('\0');
  const filters = new Set(names.flatMap((name) => /^(filter\..+)\.[^.]+$/s.exec(name)?.[1] ?? []));
  return [...filters].flatMap((filter) => [`${filter}.smudge=`, `${filter}.process=`, `${filter}.required=false`]);
}
