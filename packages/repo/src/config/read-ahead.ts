import type { CommitId } from '@onceover/base/kernel/ids';
import { folderOf, repoPath } from '@onceover/base/kernel/paths';
import { type FileText, type RepositoryPaths, SYMLINK } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { isRefName, tipOf } from '../git/base.ts';
import { asResult, git } from '../git/git.ts';
import { askByName } from '../git/locate.ts';
import { commitFiles, formatOf, readTree, type TextFiles, type TreeEntry } from '../git/tree-files.ts';
import { textOf } from '../git/working-files.ts';

/**
 * Returns a reader for the files of the commit that `name` (such as a branch or a tag) stands for; fails if there is
 * none. The given files are read at once, with one call to git. Other files are read one by one when needed.
 */
export async function filesAheadAt(
  repo: RepositoryPaths,
  name: string,
  paths: readonly string[],
): Promise<Result<TextFiles>> {
  const contents = isRefName(name) && !name.includes('\n') ? await readAll(repo.root, name, paths) : null;
  if (contents === null) {
    const tip = await tipOf(repo, name);
    return tip.ok ? ok(commitFiles(repo.root, tip.value)) : tip;
  }
  const files = commitFiles(repo.root, `${name}^{commit}`);
  return ok({
    ...files,
    read(path, limit) {
      const bytes = contents.get(path);
      if (bytes === undefined) return files.read(path, limit);
      return bytes === null ? MISSING : textOf(bytes.subarray(0, limit), bytes.length > limit);
    },
  });
}

const MISSING: FileText = { kind: 'unusable', why: 'missing' };

type Contents = ReadonlyMap<string, Buffer | null>;

/**
 * Returns the content of each path that is a file, and `null` for each path that certainly does not exist. Leaves out
 * all other paths. Returns `null` if git does not find the commit, or if its name is ambiguous.
 */
async function readAll(root: string, name: string, paths: readonly string[]): Promise<Contents | null> {
  // Leave out paths with these characters, because they have a special meaning in `commit:path`.
  const readablePaths = paths.filter((path) => path !== '' && !path.includes('\n') && repoPath(path) === path);
  // Only a listing of their folders shows which files are symlinks. The root is always in the list, because every
  // commit has one.
  const folders = [...new Set(['', ...readablePaths.map(folderOf)])];
  const input = Buffer.from([...folders, ...readablePaths].map((path) => `${name}^{commit}:${path}\n`).join(''));
  const answer = await asResult(askByName(root, ['cat-file', '--batch'], input));
  if (!answer.ok || answer.value.code !== 0) return null;
  const objects = objectsIn(answer.value.stdout);
  if (objects[0] == null) return null;
  const entries = new Map(folders.map((folder, at) => [folder, entriesIn(objects[at])]));
  const contents = new Map<string, Buffer | null>();
  for (const [at, path] of readablePaths.entries()) {
    const folder = entries.get(folderOf(path));
    if (folder == null) continue;
    const entry = folder.find(
      (candidate) => candidate.name === Buffer.from(path.slice(path.lastIndexOf('/') + 1)).toString('latin1'),
    );
    const object = objects[folders.length + at];
    if (entry === undefined) contents.set(path, null);
    else if (object?.type === 'blob' && object.id === entry.id && entry.mode !== SYMLINK)
      contents.set(path, object.content);
  }
  return contents;
}

type ReadObject = { readonly id: string; readonly type: string; readonly content: Buffer };

/** Splits the output of `git cat-file --batch` into objects. An object that git did not find is `null`. */
function objectsIn(output: Buffer): readonly (ReadObject | null)[] {
  const objects: (ReadObject | null)[] = [];
  for (let at = 0; at < output.length; ) {
    const start = output.indexOf(10, at) + 1;
    const [, id = '', type = '', size] =
      /^([0-9a-f]{40,64}) (\w+) (\d+)\n$/.exec(output.toString('latin1', at, start)) ?? [];
    objects.push(size === undefined ? null : { id, type, content: output.subarray(start, start + Number(size)) });
    // A line break follows the content.
    at = size === undefined ? start : start + Number(size) + 1;
  }
  return objects;
}

function entriesIn(object: ReadObject | null | undefined): readonly TreeEntry[] | null {
  return object?.type === 'tree' ? readTree(formatOf(object.id), object.content) : null;
}

/**
 * Returns the commit of a local or remote branch. Unlike `tipOf`, it does not look for tags: if the clone lacks the
 * branch, anyone who can push to the remote could create a tag with that name.
 */
export async function tipOfBranch(repo: RepositoryPaths, name: string): Promise<Result<CommitId>> {
  for (const folder of ['refs/remotes', 'refs/heads']) {
    // `rev-parse` would also find a tag that is called "refs/remotes/…".
    const args = ['show-ref', '--verify', '--hash', `${folder}/${name}`];
    const answer = await asResult(git(repo.root, args, { expected: [0, 1, 128] }));
    if (!answer.ok) return answer;
    if (answer.value.code === 0) return tipOf(repo, answer.value.stdout.toString('utf8').trim());
  }
  return err({ kind: 'unknown-base', base: name });
}
