import { createHash } from 'node:crypto';
import { readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { tryDisk } from '@onceover/base/platform/files';
import { readPlainFile } from '@onceover/base/platform/private-files';
import { allEnded, asResult, git, readNulList } from './git.ts';
import { attributeFiles } from './scan/disk-bytes.ts';
import { defaultSettingsFiles } from './settings-files.ts';

const LARGEST = 64 * 1024 * 1024;

/**
 * Returns one digest of the contents of all files. Names may be relative to `root`. All unreadable files count as
 * equal.
 */
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

/**
 * Returns the files, such as settings and refs, on which a diff against `base` depends and whose changes `git status`
 * does not show.
 */
export async function gitFiles(
  { root, commonDir, index }: RepositoryPaths,
  base: string | null,
  env: NodeJS.ProcessEnv,
): Promise<Result<readonly string[]>> {
  const answers = await asResult(
    allEnded([
      git(root, ['config', '--list', '--show-origin', '--name-only', '-z']),
      git(root, ['config', '--show-origin', '--type=path', '-z', '--get-regexp', NAMES_FILE], { expected: [0, 1] }),
      git(root, ['ls-files', '-z']),
    ]),
  );
  if (!answers.ok) return answers;
  const [origins, pathSettings, trackedFiles] = answers.value;
  const gitDir = dirname(index);
  const paths = [
    // The index decides which ignored files are tracked anyway, and which files a sparse checkout leaves out.
    index,
    join(gitDir, 'config.worktree'),
    join(gitDir, 'info/sparse-checkout'),
    // A base may be a ref outside `refs`, for example FETCH_HEAD.
    ...(base === null ? [] : [join(gitDir, base), join(commonDir, base)]),
    ...COMMON.map((name) => join(commonDir, name)),
    ...folders(commonDir, 'refs'),
    ...defaultSettingsFiles(env),
    // git uses these files even if it ignores them, so `git status` may not list a new one.
    ...attributeFiles(readNulList(trackedFiles.stdout).names).map((name) => join(root, name)),
    ...readSettings(root, origins.stdout).flatMap(({ file }) => file ?? []),
    ...readSettings(root, pathSettings.stdout).map((setting) => fileNamedBy(root, setting)),
  ];
  return ok([...new Set(paths)]);
}

const COMMON = ['config', 'packed-refs', 'reftable', 'shallow', 'info/exclude', 'info/attributes'];

/** Matches the names of git settings whose value is the path of a file on which the diff depends. */
const NAMES_FILE = '^(core\\.(excludesfile|attributesfile)|include\\.path|includeif\\..*\\.path)$';

// The path of an include is relative to the settings file that contains it.
function fileNamedBy(root: string, { file, setting }: Setting): string {
  const [name = '', path = ''] = setting.split('\n');
  return resolve(name.startsWith('core.') || file === null ? root : dirname(file), path);
}

/** A git setting and the file that contains it; `null` if the setting does not come from a file. */
type Setting = { readonly file: string | null; readonly setting: string };

function readSettings(root: string, output: Buffer): readonly Setting[] {
  const fields = output.toString('utf8').split('\0');
  const settings: Setting[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [, path] = /^file:(.*)$/s.exec(fields[i] ?? '') ?? [];
    settings.push({ file: path === undefined ? null : resolve(root, path), setting: fields[i + 1] ?? '' });
  }
  return settings;
}

// Returns a folder and its subfolders. git moves a branch by renaming a new file into place, which changes the folder's
// time, so it is enough to watch folders.
function folders(commonDir: string, path: string): readonly string[] {
  const listing = tryDisk('read', path, () => readdirSync(join(commonDir, path), { withFileTypes: true }));
  const below = (listing.ok ? listing.value : [])
    .filter((entry) => entry.isDirectory() && !OWN_REFS.has(`${path}/${entry.name}`))
    .flatMap((entry) => folders(commonDir, `${path}/${entry.name}`));
  return [join(commonDir, path), ...below];
}

const OWN_REFS = new Set(['refs/onceover', 'refs/worktree']);
