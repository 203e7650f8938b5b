import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { OmittedFiles, RepositoryPaths, Visibility } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { filesBelow, listFolder } from '@onceover/base/platform/files';
import { NO_USER_PROGRAMS } from './environment.ts';
import { entryFingerprint } from './fingerprints.ts';
import { allEnded, asResult, git, readNulList } from './git.ts';
import { digestOfFiles, gitFiles } from './watched-files.ts';

/** Reads the facts that decide which files a review sees: git's settings, and the files that git does not track. */
export async function readVisibility(repo: RepositoryPaths, omittedFiles: OmittedFiles): Promise<Result<Visibility>> {
  const files = await gitFiles(repo, null, process.env);
  if (!files.ok) return files;
  const answers = await asResult(
    allEnded([
      git(repo.root, ['config', '--list', '--show-origin', '-z'], { config: NO_USER_PROGRAMS }),
      git(repo.root, ['rev-parse', '--absolute-git-dir', '--git-common-dir', '--show-toplevel']),
      // Do not pass `--exclude-standard`, so that git lists ignored files too.
      git(repo.root, ['ls-files', '--others', '-z'], { config: NO_USER_PROGRAMS }),
    ]),
  );
  if (!answers.ok) return answers;
  const [config, places, otherFiles] = answers.value;
  const watchedFiles = [...files.value.filter((path) => !MOVING.some((name) => path.endsWith(name))), ...alsoIn(repo)];
  const hash = createHash('sha256').update(config.stdout).update(places.stdout);
  const unseenPrints = new Map<string, string>();
  // git reports folders that it has no permission to read only on stderr, so include that text.
  if (otherFiles.stderr !== '') unseenPrints.set(otherFiles.stderr.trim(), '');
  const { names, unnameable } = readNulList(otherFiles.stdout);
  for (const name of names)
    unseenPrints.set(name, name.endsWith('/') ? inside(repo.root, name) : print(repo.root, name));
  for (const name of unnameable) unseenPrints.set(name, '');
  for (const folder of omittedFiles.folders) {
    for (const path of below(repo.root, folder)) unseenPrints.set(path, print(repo.root, path));
  }
  return ok({ settings: hash.update(digestOfFiles(repo.root, watchedFiles)).digest('hex'), unseen: unseenPrints });
}

/** Files in the git folder that are not settings, because git writes them in daily work: the index and the branches. */
const MOVING = ['/index', '/packed-refs', '/reftable'];

function alsoIn({ commonDir }: RepositoryPaths): readonly string[] {
  const hooks = listFolder(join(commonDir, 'hooks'));
  const names = hooks.ok ? hooks.value.map(({ name }) => `hooks/${name}`) : [];
  return ['info/grafts', 'objects/info/alternates', ...names.sort()].map((name) => join(commonDir, name));
}

function print(root: string, path: string): string {
  return entryFingerprint(join(root, path));
}

/** Returns one fingerprint of all files in a nested repository, because git does not list these files. */
function inside(root: string, name: string): string {
  const folder = name.slice(0, -1);
  const hash = createHash('sha256');
  for (const path of below(root, folder)) {
    if (!path.startsWith(`${folder}/.git/`)) hash.update(`${path}\0${print(root, path)}\0`);
  }
  return hash.digest('hex');
}

function below(root: string, folder: string): readonly string[] {
  const files = filesBelow(root, folder);
  return files.ok ? files.value.map((path) => `${folder}/${path}`) : [`${folder}/`];
}
