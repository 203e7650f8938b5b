import { chmodSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '../../src/domain/brand.ts';
import type { Entry } from '../../src/domain/gate.ts';
import type { Comparison, LeftOut, Snapshot, Snapshots } from '../../src/domain/ports.ts';
import type { Result } from '../../src/domain/result.ts';
import type { Selection } from '../../src/domain/scope.ts';
import { findPlace } from '../../src/io/place.ts';
import { openSnapshots } from '../../src/io/snapshots.ts';
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

/** A repository with more to do in it. */
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
export const NOTHING: LeftOut = { folders: [] };

export const asPaths = (...paths: string[]) => paths as RepoPath[];

/** What a step gave; that it failed is not expected. */
export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

export async function snapshotsAt(folder: string): Promise<Snapshots> {
  return openSnapshots(value(await findPlace(folder)));
}

export async function compareAt(folder: string, selection: Selection = CHANGE): Promise<Comparison> {
  return value(await (await snapshotsAt(folder)).compare(selection, null));
}

export async function takeAt(folder: string, selection: Selection = CHANGE, left = NOTHING): Promise<Snapshot> {
  const snapshots = await snapshotsAt(folder);
  return value(await snapshots.take(value(await snapshots.compare(selection, null)), left));
}

/** Entries in short: added, deleted or modified, the mode where it is not that of a plain file, the path. */
export function brief(entries: readonly Entry[]): string[] {
  return entries.map(({ path, mode, baseBlob, headBlob }) => {
    const sign = baseBlob === null ? 'A' : headBlob === null ? 'D' : 'M';
    return `${sign}${mode === '100644' ? '' : ` ${mode}`} ${path}`;
  });
}
