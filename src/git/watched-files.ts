import { createHash } from 'node:crypto';
import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { ok, type Result } from '../kernel/result.ts';
import { tryDisk } from '../platform/files.ts';
import { readPlainFile } from '../platform/private-files.ts';
import { git } from './git.ts';

const LARGEST = 64 * 1024 * 1024;

/** Returns one digest over the contents of the files. Relative names start at `root`; a name that is not a file adds a constant. */
export function digestOfFiles(root: string, names: readonly string[]): string {
  const hash = createHash('sha256');
  for (const name of names) {
    const path = resolve(root, name);
    const real = tryDisk('read', path, () => realpathSync(path));
    const file = readPlainFile(real.ok ? real.value : path, LARGEST);
    hash.update(file.ok ? createHash('sha256').update(file.bytes).digest() : 'nothing');
  }
  return hash.digest('hex');
}

/** Returns the files and folders outside the working tree that git's diff against `base` depends on. */
export async function gitFiles(
  repo: RepositoryPaths,
  base: string | null,
  env: NodeJS.ProcessEnv,
): Promise<Result<readonly string[]>> {
  const [sources, named] = await Promise.all([settingsFiles(repo), namedFiles(repo)]);
  if (!sources.ok) return sources;
  if (!named.ok) return named;
  const { commonDir, index } = repo;
  const gitDir = dirname(index);
  const all = [
    // The index says which ignored files were added by force and which a sparse checkout leaves out.
    index,
    join(gitDir, 'config.worktree'),
    join(gitDir, 'info/sparse-checkout'),
    // A base may be a ref outside `refs`, for example FETCH_HEAD.
    ...(base === null ? [] : [join(gitDir, base), join(commonDir, base)]),
    ...COMMON.map((name) => join(commonDir, name)),
    ...folders(commonDir, 'refs'),
    ...defaultSettingsFiles(env),
    ...sources.value,
    ...named.value,
  ];
  return ok([...new Set(all)]);
}

const COMMON = ['config', 'packed-refs', 'reftable', 'shallow', 'info/exclude', 'info/attributes'];

/** Returns the default paths of the user's and the machine's git settings, even if no file exists there yet. */
function defaultSettingsFiles(env: NodeJS.ProcessEnv): readonly string[] {
  const home = env['HOME'] ?? '';
  const settings = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git');
  return [
    env['GIT_CONFIG_SYSTEM'] || '/etc/gitconfig',
    env['GIT_CONFIG_GLOBAL'] || join(home, '.gitconfig'),
    ...['config', 'ignore', 'attributes'].map((name) => join(settings, name)),
  ];
}

/** Returns the files that git reads settings from, included files among them. */
async function settingsFiles({ root }: RepositoryPaths): Promise<Result<readonly string[]>> {
  const answer = await git(root, ['config', '--list', '--show-origin', '--name-only', '-z']);
  if (!answer.ok) return answer;
  return ok(readSettings(root, answer.value.stdout).flatMap(({ file }) => (file === null ? [] : [file])));
}

const NAMES_FILE = '^(core\\.(excludesfile|attributesfile)|include\\.path|includeif\\..*\\.path)$';

/** Returns the ignore files, attribute files and includes that settings name, even if no file exists there. */
async function namedFiles({ root }: RepositoryPaths): Promise<Result<readonly string[]>> {
  const question = ['config', '--show-origin', '--type=path', '-z', '--get-regexp', NAMES_FILE];
  const answer = await git(root, question, { expected: [0, 1] });
  if (!answer.ok) return answer;
  return ok(
    readSettings(root, answer.value.stdout).map(({ file, setting }) => {
      const [name = '', path = ''] = setting.split('\n');
      // An include is relative to the file that names it.
      return resolve(name.startsWith('core.') || file === null ? root : dirname(file), path);
    }),
  );
}

/** Parses settings with the file that each comes from; null if it comes from the environment. */
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

// git moves a branch by renaming a new file into its place, which changes the folder.
function folders(commonDir: string, path: string): readonly string[] {
  const listed = tryDisk('read', path, () => readdirSync(join(commonDir, path), { withFileTypes: true }));
  const below = (listed.ok ? listed.value : [])
    .filter((entry) => entry.isDirectory() && !OWN_REFS.has(`${path}/${entry.name}`))
    .flatMap((entry) => folders(commonDir, `${path}/${entry.name}`));
  return [join(commonDir, path), ...below];
}

const OWN_REFS = new Set(['refs/onceover', 'refs/worktree']);
