import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Place } from '../domain/change.ts';

/** The files and folders, beside the working tree, that decide what git says of a change measured from `base`. */
export function gitFiles({ commonDir, index }: Place, base: string | null, env: NodeJS.ProcessEnv): readonly string[] {
  const gitDir = dirname(index);
  const home = env['HOME'] ?? '';
  const settings = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git');
  return [
    // It tells which ignored files were added by force, and what a sparse checkout leaves out.
    index,
    join(gitDir, 'config.worktree'),
    join(gitDir, 'info/sparse-checkout'),
    // A base may be a name that lies beside the branches, as FETCH_HEAD.
    ...(base === null ? [] : [join(gitDir, base), join(commonDir, base)]),
    ...COMMON.map((name) => join(commonDir, name)),
    ...folders(commonDir, 'refs'),
    env['GIT_CONFIG_GLOBAL'] || join(home, '.gitconfig'),
    ...['config', 'ignore', 'attributes'].map((name) => join(settings, name)),
  ];
}

const COMMON = ['config', 'packed-refs', 'reftable', 'shallow', 'info/exclude', 'info/attributes'];

// A branch is moved by putting a new file in its place, which its folder shows.
function folders(commonDir: string, path: string): readonly string[] {
  const below = entries(join(commonDir, path))
    .filter((entry) => entry.isDirectory() && !OWN_REFS.has(`${path}/${entry.name}`))
    .flatMap((entry) => folders(commonDir, `${path}/${entry.name}`));
  return [join(commonDir, path), ...below];
}

const OWN_REFS = new Set(['refs/onceover', 'refs/worktree']);

function entries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
