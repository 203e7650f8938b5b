import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Spot } from '../domain/stop.ts';

/** The working tree that a folder lies in, as far as that can be told without git; null where git has to be asked. */
export function findSpot(folder: string, env: NodeJS.ProcessEnv): Spot | null {
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
    const commonDir = existsSync(common) ? from(gitDir, readFileSync(common, 'utf8').trim()) : gitDir;
    return { root, gitDir, commonDir };
  } catch {
    return null;
  }
}

function gitDirOf(root: string): string {
  const path = join(root, '.git');
  if (lstatSync(path).isDirectory()) return path;
  return from(
    root,
    readFileSync(path, 'utf8')
      .replace(/^gitdir: /, '')
      .trim(),
  );
}

function from(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}
