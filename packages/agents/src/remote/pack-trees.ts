import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '@onceover/base/kernel/result';
import { NO_USER_PROGRAMS } from '@onceover/repo/git/environment';
import { asResult, git, gitText, objectId } from '@onceover/repo/git/git';

/** Returns the id of a git tree. `id` is a tree or a commit. */
export function treeOf(root: string, id: string): Promise<Result<string>> {
  return asResult(gitText(root, ['rev-parse', '--verify', '--quiet', `${objectId(id)}^{tree}`]).then(objectId));
}

/** Returns the files of a git tree as a git pack. If `base` is given, the pack leaves out the objects of that tree. */
export function packTree(root: string, tree: string, base: string | null): Promise<Result<Buffer>> {
  const without = base === null ? '' : `^${objectId(base)}\n`;
  const input = Buffer.from(`${objectId(tree)}\n${without}`, 'latin1');
  const args = ['pack-objects', '--revs', '--thin', '--stdout', '-q'];
  return asResult(git(root, args, { input, config: NO_USER_PROGRAMS }).then(({ stdout }) => stdout));
}

// The files come from other people. Ignore the machine's git settings and attributes, because they could make git run
// programs on these files, such as filters.
const ISOLATED = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' };

const AS_STORED = ['core.autocrlf=false', 'core.symlinks=true', 'core.fileMode=true', 'gc.auto=0'];

const CONFIG = [...NO_USER_PROGRAMS, ...AS_STORED];

/** Creates an empty git repository that receives packs from other clones. Returns its folder of objects. */
export function makeObjectStore(folder: string, format: 'sha1' | 'sha256'): Promise<Result<string>> {
  const args = ['init', '--quiet', '--bare', `--object-format=${format}`, '--template=', folder];
  mkdirSync(folder, { recursive: true });
  return asResult(git(folder, args, { env: ISOLATED, config: CONFIG }).then(() => join(folder, 'objects')));
}

/** Adds the objects of a pack. Fails if an object is damaged or refers to a missing object. */
export function addPack(store: string, pack: Buffer): Promise<Result<unknown>> {
  return asResult(
    git(store, ['index-pack', '--stdin', '--fix-thin', '--strict'], { input: pack, env: ISOLATED, config: CONFIG }),
  );
}

/**
 * Checks out a tree in `folder`, as a repository with two commits: the base and, if it differs, the tree on top of it.
 * The repository borrows its objects from the folder `objects`. git runs no hooks and no filters.
 */
export function checkOutTree(folder: string, objects: string, tree: string, base: string): Promise<Result<string>> {
  return asResult(makeCheckout(folder, objects, objectId(tree), objectId(base)));
}

const AUTHOR = { NAME: 'onceover', EMAIL: 'onceover@example.com', DATE: '2000-01-01T00:00:00Z' };

async function makeCheckout(folder: string, objects: string, tree: string, base: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const authorEnv = Object.entries(AUTHOR).flatMap(([name, value]) => [
    [`GIT_AUTHOR_${name}`, value],
    [`GIT_COMMITTER_${name}`, value],
  ]);
  const options = { env: { ...ISOLATED, ...Object.fromEntries(authorEnv) }, config: CONFIG };
  const format = `--object-format=${tree.length === 64 ? 'sha256' : 'sha1'}`;
  await git(folder, ['init', '--quiet', format, '--template=', '--initial-branch=base', folder], options);
  mkdirSync(join(folder, '.git/objects/info'), { recursive: true });
  writeFileSync(join(folder, '.git/objects/info/alternates'), `${objects}\n`);
  const first = await gitText(folder, ['commit-tree', '-m', 'base', base], options);
  const last =
    tree === base ? first : await gitText(folder, ['commit-tree', '-m', 'change', '-p', first, tree], options);
  await git(folder, ['update-ref', 'refs/heads/base', first], options);
  await git(folder, ['update-ref', 'refs/heads/change', last], options);
  await git(folder, ['symbolic-ref', 'HEAD', 'refs/heads/change'], options);
  await git(folder, ['read-tree', tree], options);
  await git(folder, ['checkout-index', '--all', '--quiet'], options);
  return folder;
}
