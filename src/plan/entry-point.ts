import type { RepoPath } from '../domain/brand.ts';
import type { Entry } from '../domain/gate.ts';
import { isInside } from '../domain/generated.ts';
import { compileGlob, type Glob, globMatches } from '../domain/glob.ts';
import { grouped } from '../domain/grouped.ts';
import { repoPath } from '../domain/repo-path.ts';
import type { EntrySettings } from '../domain/settings.ts';

/** The entries of an entry point by the name that its gates get; `packages/*` gives one for each folder there. */
export function entriesByName(entry: EntrySettings, entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const path = compilePath(entry.path);
  const excludes = entry.exclude.map((source) => ({ source: plain(source), glob: compile(source) }));
  const named = entries.flatMap((one) => {
    const name = entryName(path, one.path);
    const isLeftOut = name === null || excludes.some((exclude) => isExcluded(exclude, one.path));
    return isLeftOut ? [] : [{ name, one }];
  });
  const groups = grouped(named, ({ name }) => name);
  return new Map([...groups].map(([name, own]) => [name, own.map(({ one }) => one)]));
}

/** Whether any of the paths lies in the entry point. */
export function matchesEntry(entry: EntrySettings, paths: readonly RepoPath[]): boolean {
  const compiled = compilePath(entry.path);
  return paths.some((path) => entryName(compiled, path) !== null);
}

/** The folder or file that an entry point names; null where it is a pattern, or leads nowhere in the repository. */
export function entryFolder(entry: EntrySettings): RepoPath | null {
  const compiled = compilePath(entry.path);
  if (compiled.kind === 'glob') return null;
  return compiled.kind === 'all' ? ('' as RepoPath) : repoPath(compiled.folder);
}

/** The name that the gates of an entry point have wherever something changed; of `packages/*` only what it begins with. */
export function nameOfEntry({ path }: EntrySettings): { readonly whole: string } | { readonly beginning: string } {
  const compiled = compilePath(path);
  switch (compiled.kind) {
    case 'all':
      return { whole: '.' };
    case 'folder':
      return { whole: compiled.folder };
    case 'each':
      return { beginning: `${compiled.folder}/` };
    case 'glob':
      return { whole: compiled.source };
  }
}

/** What an entry point's path stands for. */
type EntryPath =
  | { readonly kind: 'all' }
  | { readonly kind: 'folder'; readonly folder: string }
  /** `packages/*`: an entry for each folder there. */
  | { readonly kind: 'each'; readonly folder: string }
  | { readonly kind: 'glob'; readonly source: string; readonly glob: Glob | null };

const GLOB = /[*?[\]{}]/;

function compilePath(written: string): EntryPath {
  const path = plain(written);
  if (path === '') return { kind: 'all' };
  if (!GLOB.test(path)) return { kind: 'folder', folder: path };
  const folder = path.endsWith('/*') ? path.slice(0, -2) : null;
  if (folder !== null && !GLOB.test(folder)) return { kind: 'each', folder };
  return { kind: 'glob', source: path, glob: compile(path) };
}

/** The name of the entry that a path belongs to; null where it belongs to none. */
function entryName(entry: EntryPath, path: RepoPath): string | null {
  switch (entry.kind) {
    case 'all':
      return '.';
    case 'folder':
      return isInside(path, entry.folder) ? entry.folder : null;
    case 'each': {
      if (!path.startsWith(`${entry.folder}/`)) return null;
      const end = path.indexOf('/', entry.folder.length + 1);
      return end === -1 ? null : path.slice(0, end);
    }
    case 'glob':
      return entry.glob !== null && globMatches(entry.glob, path) ? entry.source : null;
  }
}

function isExcluded(exclude: { readonly source: string; readonly glob: Glob | null }, path: RepoPath): boolean {
  if (exclude.source === '') return false;
  return isInside(path, exclude.source) || (exclude.glob !== null && globMatches(exclude.glob, path));
}

/** A path without "./" and "/" around it; '' is the whole repository. */
function plain(path: string): string {
  return repoPath(path) ?? path;
}

// Globs were checked when the settings were read.
function compile(source: string): Glob | null {
  const compiled = compileGlob(plain(source), '');
  return compiled.ok ? compiled.glob : null;
}
