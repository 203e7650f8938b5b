import type { RepoPath } from '../domain/brand.ts';
import { type Alternative, compileGlob, type Glob, globMatches } from '../domain/glob.ts';
import { folderOf } from '../domain/repo-path.ts';
import type { Rule } from '../domain/rule.ts';

/** For each rule, the paths that an include matches and no exclude does, in the order of the paths. */
export function matchRules(rules: readonly Rule[], paths: readonly RepoPath[]): ReadonlyMap<Rule, readonly RepoPath[]> {
  const found = new Map<Rule, RepoPath[]>(rules.map((rule) => [rule, []]));
  const folders = foldersOf(paths);
  const index = buildIndex(rules.filter((rule) => folders.has(rule.folder)));
  const excludes = new Map<Rule, readonly Glob[]>();
  for (const path of paths) {
    for (const rule of candidates(index, path)) {
      const excluding = getOrAdd(excludes, rule, () => compileAll(rule.exclude, rule.folder));
      if (!excluding.some((glob) => globMatches(glob, path))) found.get(rule)?.push(path);
    }
  }
  return found;
}

/** Every folder that holds one of the paths, at any depth; a rule of another folder matches none of them. */
function foldersOf(paths: readonly RepoPath[]): ReadonlySet<string> {
  const folders = new Set(['']);
  for (const path of paths) {
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  return folders;
}

/** Globs that rules share are asked once a path; the two keys leave most of them unasked. */
type Index = Map<string, Map<string, Entry[]>>;
type Entry = { readonly test: Alternative; readonly rules: Rule[] };

const ANY = '';

function buildIndex(rules: readonly Rule[]): Index {
  const index: Index = new Map();
  const shared = new Map<string, Entry[]>();
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

function addEntries(index: Index, rule: Rule, include: string): Entry[] {
  return compileAll([include], rule.folder).flatMap((glob) =>
    glob.alternatives.map((test) => {
      const entry: Entry = { test, rules: [rule] };
      const byExtension = getOrAdd(index, test.first ?? ANY, () => new Map<string, Entry[]>());
      getOrAdd(byExtension, test.extension ?? ANY, () => []).push(entry);
      return entry;
    }),
  );
}

function candidates(index: Index, path: string): ReadonlySet<Rule> {
  const slash = path.indexOf('/');
  const dot = path.lastIndexOf('.');
  const extension = dot > path.lastIndexOf('/') ? path.slice(dot) : null;
  const hits = new Set<Rule>();
  for (const byExtension of [index.get(slash === -1 ? path : path.slice(0, slash)), index.get(ANY)]) {
    if (byExtension === undefined) continue;
    ask(byExtension.get(ANY), path, hits);
    if (extension !== null) ask(byExtension.get(extension), path, hits);
  }
  return hits;
}

function ask(entries: readonly Entry[] | undefined, path: string, hits: Set<Rule>): void {
  for (const entry of entries ?? []) {
    if (entry.test.matches(path)) for (const rule of entry.rules) hits.add(rule);
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
