import { byCodePoint } from '../kernel/collections.ts';
import { type Alternative, compileGlob, type Glob, globMatches } from '../kernel/glob.ts';
import type { RepoPath, ReviewId } from '../kernel/ids.ts';
import { folderOf } from '../kernel/paths.ts';
import type { FileDigest, TaskContent } from '../kernel/repository.ts';
import { composeReviewId, inHashOrder } from './review-id.ts';
import type { Rule, RuleReviewTask, RuleTask } from './types.ts';

/** Returns the reviews for these tasks, with their ids. Tasks with the same id become one review with several parts. */
export function identify(
  tasks: readonly { readonly task: RuleTask; readonly content: TaskContent }[],
): readonly RuleReviewTask[] {
  const byId = new Map<ReviewId, { parts: [RuleTask, ...RuleTask[]]; digests: Map<string, FileDigest> }>();
  for (const { task, content } of tasks) {
    const id = composeReviewId({ rule: task.rule.name, paths: task.files, contentHash: content.hash });
    const review = byId.get(id);
    const digests = review?.digests ?? new Map<string, FileDigest>();
    for (const file of content.files) digests.set(file.path, file);
    if (review === undefined) byId.set(id, { parts: [task], digests });
    else review.parts.push(task);
  }
  return [...byId].map(([id, { parts, digests }]) => ({
    id,
    parts,
    files: inHashOrder(new Set(parts.flatMap((part) => part.files))),
    digests: [...digests.values()].sort((a, b) => byCodePoint(a.path, b.path)),
  }));
}

export type Matching = Pick<Rule, 'folder' | 'include' | 'exclude'>;

/** Returns for each rule the paths that match one of its includes and none of its excludes, in the order of `paths`. */
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

/** Returns every folder that contains one of the paths, at any depth. Rules in other folders cannot match. */
function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set(['']);
  for (const path of paths) {
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  return folders;
}

/**
 * Globs by first path segment and extension, so that a path is tested against few globs. Rules with the same glob share
 * one test.
 */
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
    addMatches(byExtension.get(ANY), path, nameAt, hits);
    if (extension !== null) addMatches(byExtension.get(extension), path, nameAt, hits);
  }
  return hits;
}

function addMatches<R>(entries: readonly Entry<R>[] | undefined, path: string, nameAt: number, hits: Set<R>): void {
  for (const entry of entries ?? []) {
    if (entry.test.matches(path, nameAt)) for (const rule of entry.rules) hits.add(rule);
  }
}

// The parser rejects globs that do not compile, so here such a glob just matches nothing.
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

/** Returns the tasks that the rules require for the changed files. `unchanged` returns all other files. */
export function planTasks(
  rules: readonly Rule[],
  files: { readonly changed: readonly RepoPath[]; unchanged(): readonly RepoPath[] },
): readonly RuleTask[] {
  const changed = inHashOrder(new Set(files.changed));
  const matches = matchRules(rules, changed);
  const wantsMore = rules.filter((rule) => wantsUnchanged(rule) && (matches.get(rule) ?? []).length > 0);
  const more = wantsMore.length === 0 ? null : matchRules(wantsMore, inHashOrder(new Set(files.unchanged())));
  const tasksOf = (rule: Rule): RuleTask[] => {
    const matched = matches.get(rule) ?? [];
    if (matched.length === 0) return [];
    switch (rule.strategy) {
      case 'individual':
        return matched.map((file) => ({ rule, files: [file], unchangedMatching: [] }));
      case 'matches_together':
        return [{ rule, files: matched, unchangedMatching: more?.get(rule) ?? [] }];
      case 'all_changed_files':
        return [{ rule, files: changed, unchangedMatching: [] }];
    }
  };
  return rules.flatMap(tasksOf);
}

function wantsUnchanged(rule: Rule): boolean {
  return rule.strategy === 'matches_together' && rule.context.unchangedMatchingFiles;
}
