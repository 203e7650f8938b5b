import type { RepoPath } from '@onceover/base/kernel/ids';
import { isInside } from '@onceover/base/kernel/paths';
import type { ReviewedTrees } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import { diffSections } from '@onceover/repo/git/diff';
import { asResult, git, gitFailed, objectId, utf8Name } from '@onceover/repo/git/git';

type Listed = { readonly path: string; readonly mode: string; readonly id: string; readonly bytes: number };

/**
 * Opens the files of the git trees of both sides of a change, for a reviewer that reads them from git. It never reads
 * the working tree.
 */
export function openTreeReader(repo: RepositoryPaths, { head, base, hidden }: ReviewedTrees) {
  const sides = { head, base };
  const lists = new Map<string, Promise<Result<readonly Listed[]>>>();
  return {
    list(side: 'head' | 'base'): Promise<Result<readonly Listed[]>> {
      const list = lists.get(side) ?? asResult(listTree(repo, sides[side], hidden));
      lists.set(side, list);
      return list;
    },
    blobs: (ids: readonly string[]): Promise<Result<readonly Buffer[]>> => asResult(readBlobs(repo, ids)),
    diff: (path: string, contextLines: number): Promise<Result<string>> => asResult(diffOf(path, contextLines)),
  };

  async function diffOf(path: string, contextLines: number): Promise<string> {
    const paths = [path as RepoPath];
    const sections = await diffSections(repo, { from: base, to: head }, { contextLines, paths });
    return sections.map(({ text }) => text).join('');
  }
}

async function listTree(
  repo: RepositoryPaths,
  tree: string,
  hiddenFolders: readonly RepoPath[],
): Promise<readonly Listed[]> {
  const listing = await git(repo.root, ['ls-tree', '-r', '-z', '-l', '--full-tree', objectId(tree)]);
  // A name that is not UTF-8 cannot be in a prompt. The run reports such files as not reviewed.
  return listing.stdout
    .toString('latin1')
    .split('\0')
    .flatMap((line) => {
      const [, mode, id, size, bytes] = /^(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(line) ?? [];
      const path = bytes === undefined ? null : utf8Name(bytes);
      if (mode === undefined || id === undefined || path === null) return [];
      return hiddenFolders.some((folder) => isInside(path, folder))
        ? []
        : [{ path, mode, id, bytes: Number(size) || 0 }];
    });
}

async function readBlobs(repo: RepositoryPaths, ids: readonly string[]): Promise<readonly Buffer[]> {
  if (ids.length === 0) return [];
  const command = ['cat-file', '--batch', '--buffer'];
  const input = Buffer.from(ids.map((id) => `${objectId(id)}\n`).join(''), 'latin1');
  const { stdout } = await git(repo.root, command, { input });
  const blobs: Buffer[] = [];
  // For each blob, git prints a line that ends with its size, then its content, then a line break.
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\n', at);
    const size = / blob (\d+)$/.exec(stdout.toString('latin1', at, end))?.[1];
    if (end === -1 || size === undefined) throw gitFailed(command, stdout.toString('latin1', at, at + 200));
    at = end + 1 + Number(size);
    blobs.push(stdout.subarray(end + 1, at));
    at += 1;
  }
  if (blobs.length !== ids.length) throw gitFailed(command, 'a blob is missing');
  return blobs;
}
