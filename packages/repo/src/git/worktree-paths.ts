import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { WorktreePaths } from '@onceover/base/kernel/repository';

/**
 * Finds the working tree of a folder without starting git; `null` if git has to be asked, for example because GIT_DIR
 * is set.
 */
export function findWorktreePaths(folder: string, env: NodeJS.ProcessEnv): WorktreePaths | null {
  if (['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR'].some((name) => env[name] !== undefined)) return null;
  try {
    let root = realpathSync(folder);
    while (!existsSync(join(root, '.git'))) {
      const above = dirname(root);
      if (above === root) return null;
      root = above;
    }
    const gitDir = gitDirOf(root);
    const common = join(gitDir, 'commondir');
    const commonDir = existsSync(common) ? resolve(gitDir, readFileSync(common, 'utf8').trim()) : gitDir;
    return { root, gitDir, commonDir };
  } catch {
    return null;
  }
}

/**
 * Returns the git folder of a working tree: `.git`, or the folder that a `.git` file names. Throws if there is no
 * `.git`.
 */
export function gitDirOf(root: string): string {
  const path = join(root, '.git');
  if (lstatSync(path).isDirectory()) return path;
  const text = readFileSync(path, 'utf8');
  return resolve(root, text.replace(/^gitdir: /, '').trim());
}
