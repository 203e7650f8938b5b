import { chmodSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Comparison, Entry, OmittedFiles, Selection, Snapshot, Snapshots } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import { findRepository } from '@onceover/repo/git/locate';
import { openSnapshots } from '@onceover/repo/git/snapshot';
import { repoWith, type TestRepo } from './repo.ts';

export type Repo = TestRepo & {
  stage(): void;
  remove(path: string): void;
  touch(path: string): void;
  link(path: string, target: string): void;
  mode(path: string, mode: number): void;
};

/** A repository with `a.txt`, `b.txt` and `sub/c.txt` on main, and branch work checked out. */
export function someRepo(files: Readonly<Record<string, string>> = {}): Repo {
  return handy(repoWith({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n', ...files }));
}

/** Adds short methods to a test repository. */
export function handy(repo: TestRepo): Repo {
  const at = (path: string) => join(repo.root, path);
  return {
    ...repo,
    stage: () => void repo.git('add', '-A'),
    remove: (path) => rmSync(at(path), { recursive: true }),
    touch: (path) => utimesSync(at(path), 1_000_000, 1_000_000),
    link: (path, target) => symlinkSync(target, at(path)),
    mode: (path, mode) => chmodSync(at(path), mode),
  };
}

export const CHANGE: Selection = { kind: 'change', base: null };
export const NOTHING: OmittedFiles = { folders: [] };

export const asPaths = (...paths: string[]) => paths as RepoPath[];

/** Returns the value of a result, and throws if it is a failure. */
export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

export async function snapshotsAt(folder: string): Promise<Snapshots> {
  return openSnapshots(value(await findRepository(folder)));
}

export async function compareAt(folder: string, selection: Selection = CHANGE): Promise<Comparison> {
  return value(await (await snapshotsAt(folder)).compare(selection, null));
}

export async function takeAt(folder: string, selection: Selection = CHANGE, left = NOTHING): Promise<Snapshot> {
  const snapshots = await snapshotsAt(folder);
  return value(await snapshots.take(value(await snapshots.compare(selection, null)), left));
}

/** Formats entries in short: A, D or M, the mode unless it is a plain file, and the path. */
export function brief(entries: readonly Entry[]): string[] {
  return entries.map(({ path, mode, baseBlob, headBlob }) => {
    const sign = baseBlob === null ? 'A' : headBlob === null ? 'D' : 'M';
    return `${sign}${mode === '100644' ? '' : ` ${mode}`} ${path}`;
  });
}
