import { type Dirent, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Place } from '../domain/change.ts';
import { done, type Result } from '../domain/result.ts';
import { git } from './git.ts';

/** The files and folders, beside the working tree, that decide what git says of a change measured from `base`. */
export async function gitFiles(
  place: Place,
  base: string | null,
  env: NodeJS.ProcessEnv,
): Promise<Result<readonly string[]>> {
  const [sources, named] = await Promise.all([settingsFiles(place), namedFiles(place)]);
  if (!sources.ok) return sources;
  if (!named.ok) return named;
  const { commonDir, index } = place;
  const gitDir = dirname(index);
  const all = [
    // It tells which ignored files were added by force, and what a sparse checkout leaves out.
    index,
    join(gitDir, 'config.worktree'),
    join(gitDir, 'info/sparse-checkout'),
    // A base may be a name that lies beside the branches, as FETCH_HEAD.
    ...(base === null ? [] : [join(gitDir, base), join(commonDir, base)]),
    ...COMMON.map((name) => join(commonDir, name)),
    ...folders(commonDir, 'refs'),
    ...usualFiles(env),
    ...sources.value,
    ...named.value,
  ];
  return done([...new Set(all)]);
}

const COMMON = ['config', 'packed-refs', 'reftable', 'shallow', 'info/exclude', 'info/attributes'];

/** Where git looks for settings of the user and of the machine, also where there are none yet. */
function usualFiles(env: NodeJS.ProcessEnv): readonly string[] {
  const home = env['HOME'] ?? '';
  const settings = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git');
  return [
    env['GIT_CONFIG_SYSTEM'] || '/etc/gitconfig',
    env['GIT_CONFIG_GLOBAL'] || join(home, '.gitconfig'),
    ...['config', 'ignore', 'attributes'].map((name) => join(settings, name)),
  ];
}

/** The files that settings come from, those among them that others include. */
async function settingsFiles({ root }: Place): Promise<Result<readonly string[]>> {
  const answer = await git(root, ['config', '--list', '--show-origin', '--name-only', '-z']);
  if (!answer.ok) return answer;
  return done(readSettings(root, answer.value.stdout).flatMap(({ file }) => (file === null ? [] : [file])));
}

const NAMES_FILE = '^(core\\.(excludesfile|attributesfile)|include\\.path|includeif\\..*\\.path)$';

/** The files that settings name: of what is ignored, of attributes, of more settings, whether or not they are there. */
async function namedFiles({ root }: Place): Promise<Result<readonly string[]>> {
  const question = ['config', '--show-origin', '--type=path', '-z', '--get-regexp', NAMES_FILE];
  const answer = await git(root, question, { expected: [0, 1] });
  if (!answer.ok) return answer;
  return done(
    readSettings(root, answer.value.stdout).map(({ file, setting }) => {
      const [name = '', path = ''] = setting.split('\n');
      // More settings are looked for beside those that name them.
      return resolve(name.startsWith('core.') || file === null ? root : dirname(file), path);
    }),
  );
}

/** Settings, each with the file that it is in; null: it is in none, but in the environment. */
function readSettings(
  root: string,
  output: Buffer,
): readonly { readonly file: string | null; readonly setting: string }[] {
  const fields = output.toString('utf8').split('\0');
  const found: { file: string | null; setting: string }[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [, path] = /^file:(.*)$/s.exec(fields[i] ?? '') ?? [];
    found.push({ file: path === undefined ? null : resolve(root, path), setting: fields[i + 1] ?? '' });
  }
  return found;
}

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
