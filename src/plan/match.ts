import { type Alternative, compileGlob, type Glob, globMatches } from '../domain/glob.ts';
import { folderOf } from '../domain/repo-path.ts';
import type { Rule } from '../domain/rule.ts';

/** What of a rule says which files it is about. */
export type Matching = Pick<Rule, 'folder' | 'include' | 'exclude'>;

/** For each rule, the paths that an include matches and no exclude does, in the order of the paths. */
export function matchRules<R extends Matching, P extends string>(
  rules: readonly R[],
  paths: readonly P[],
): ReadonlyMap<R, readonly P[]> {
  const found = new Map<R, P[]>(rules.map((rule) => [rule, []]));
  const folders = foldersOf(paths);
  const index = buildIndex(rules.filter((rule) => folders.has(rule.folder)));
  const excludes = new Map<R, readonly Glob[]>();
  for (const path of paths) {
    for (const rule of candidates(index, path)) {
      const excluding = getOrAdd(excludes, rule, () => compileAll(rule.exclude, rule.folder));
      if (!excluding.some((glob) => globMatches(glob, path))) found.get(rule)?.push(path);
    }
  }
  return found;
}

/** Every folder that holds one of the paths, at any depth; a rule of another folder matches none of them. */
function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set(['']);
  for (const path of paths) {
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  return folders;
}

/** Globs that rules share are asked once a path; the two keys leave most of them unasked. */
type Index<R> = Map<string, Map<string, Entry<R>[]>>;
type Entry<R> = { readonly test: Alternative; readonly rules: R[] };

const ANY = '';

function buildIndex<R extends Matching>(rules: readonly R[]): Index<R> {
  const index: Index<R> = new Map();
  const shared = new Map<string, Entry<R>[]>();
  for (const rule of rules) {
    for (const include of rule.include) {
      const key = `${rule.folder}\0${include}`;
      const entries = shared.get(key);
      if (entries === undefined) shared.set(key, addEntries(index, rule, include));
      else for (const entry of entries) entry.rules.push(rule);
    }
  }
  return index;
}

function addEntries<R extends Matching>(index: Index<R>, rule: R, include: string): Entry<R>[] {
  return compileAll([include], rule.folder).flatMap((glob) =>
    glob.alternatives.map((test) => {
      const entry: Entry<R> = { test, rules: [rule] };
      const byExtension = getOrAdd(index, test.first ?? ANY, () => new Map<string, Entry<R>[]>());
      getOrAdd(byExtension, test.extension ?? ANY, () => []).push(entry);
      return entry;
    }),
  );
}

function candidates<R>(index: Index<R>, path: string): ReadonlySet<R> {
  const slash = path.indexOf('/');
  const nameAt = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const extension = dot >= nameAt ? path.slice(dot) : null;
  const hits = new Set<R>();
  for (const byExtension of [index.get(slash === -1 ? path : path.slice(0, slash)), index.get(ANY)]) {
    if (byExtension === undefined) continue;
    ask(byExtension.get(ANY), path, nameAt, hits);
    if (extension !== null) ask(byExtension.get(extension), path, nameAt, hits);
  }
  return hits;
}

function ask<R>(entries: readonly Entry<R>[] | undefined, path: string, nameAt: number, hits: Set<R>): void {
  for (const entry of entries ?? []) {
    if (entry.test.matches(path, nameAt)) for (const rule of entry.rules) hits.add(rule);
  }
}

// Globs were checked when the rule was read; one that does not compile matches nothing.
function compileAll(globs: readonly string[], folder: string): Glob[] {
  return globs.flatMap((source) => {
    const compiled = compileGlob(source, folder);
    return compiled.ok ? [compiled.glob] : [];
  });
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
