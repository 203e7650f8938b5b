import { byCodePoint, grouped } from '@onceover/base/kernel/collections';
import { type Alternative, compileGlob, type Glob, globMatches } from '@onceover/base/kernel/glob';
import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import { folderOf } from '@onceover/base/kernel/paths';
import type { FileDigest, TaskContent } from '@onceover/base/kernel/repository';
import { composeReviewId, inHashOrder } from './review-id.ts';
import type { Rule, RuleReviewTask, RuleTask } from './types.ts';

/** Returns the reviews for these tasks, with their ids. Tasks with the same id become parts of one review. */
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

/**
 * Returns, for each rule, the paths that match one of its includes and none of its excludes. They are in the order of
 * `paths`.
 */
export function matchRules<R extends Matching, P extends string>(
  rules: readonly R[],
  paths: readonly P[],
): ReadonlyMap<R, readonly P[]> {
  const matches = new Map<R, P[]>(rules.map((rule) => [rule, []]));
  const folders = foldersOf(paths);
  const index = buildIndex(rules.filter((rule) => folders.has(rule.folder)));
  const excludes = new Map<R, readonly Glob[]>();
  for (const path of paths) {
    for (const rule of candidates(index, path)) {
      const excluding = getOrAdd(excludes, rule, () => compileAll(rule.exclude, rule.folder));
      if (!excluding.some((glob) => globMatches(glob, path))) matches.get(rule)?.push(path);
    }
  }
  return matches;
}

/** Returns every folder that contains one of the paths, directly or deeper. Rules in other folders cannot match. */
function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set(['']);
  for (const path of paths) {
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  return folders;
}

/** An index of globs by first path segment and file extension, so that a path has to be tested against few globs. */
type Index<R> = Map<string, { readonly test: Alternative; readonly rules: readonly R[] }[]>;

function indexKey(first: string | null, extension: string | null): string {
  return `${first ?? ''}\0${extension ?? ''}`;
}

function buildIndex<R extends Matching>(rules: readonly R[]): Index<R> {
  const index: Index<R> = new Map();
  const includes = rules.flatMap((rule) => rule.include.map((glob) => ({ rule, glob })));
  // Rules with the same glob share one test.
  for (const group of grouped(includes, ({ rule, glob }) => `${rule.folder}\0${glob}`).values()) {
    const globs = group.slice(0, 1).flatMap(({ rule, glob }) => compileAll([glob], rule.folder));
    for (const test of globs.flatMap(({ alternatives }) => alternatives)) {
      const entries = getOrAdd(index, indexKey(test.first, test.extension), () => []);
      entries.push({ test, rules: group.map(({ rule }) => rule) });
    }
  }
  return index;
}

function candidates<R>(index: Index<R>, path: string): ReadonlySet<R> {
  const slash = path.indexOf('/');
  const nameAt = path.lastIndexOf('/') + 1;
  const dot = path.lastIndexOf('.');
  const first = slash === -1 ? path : path.slice(0, slash);
  const extension = dot >= nameAt ? path.slice(dot) : null;
  const hits = new Set<R>();
  for (const key of new Set([indexKey(first, extension), indexKey(first, null), indexKey(null, extension), ANY])) {
    for (const { test, rules } of index.get(key) ?? []) {
      if (test.matches(path, nameAt)) for (const rule of rules) hits.add(rule);
    }
  }
  return hits;
}

const ANY = indexKey(null, null);

// Compiles globs. An invalid glob matches nothing, which is safe, because the parser has already rejected it.
function compileAll(globs: readonly string[], folder: string): Glob[] {
  return globs.flatMap((source) => {
    const compilation = compileGlob(source, folder);
    return compilation.ok ? [compilation.glob] : [];
  });
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const newValue = make();
  map.set(key, newValue);
  return newValue;
}

/** Returns the review tasks that the rules require for the changed files. `unchanged` returns all other files. */
export function planTasks(
  rules: readonly Rule[],
  files: { readonly changed: readonly RepoPath[]; unchanged(): readonly RepoPath[] },
): readonly RuleTask[] {
  const changedPaths = inHashOrder(new Set(files.changed));
  const matches = matchRules(rules, changedPaths);
  const wantsMore = rules.filter((rule) => wantsUnchanged(rule) && (matches.get(rule) ?? []).length > 0);
  const unchangedMatches =
    wantsMore.length === 0 ? null : matchRules(wantsMore, inHashOrder(new Set(files.unchanged())));
  const tasksOf = (rule: Rule): RuleTask[] => {
    const matchingFiles = matches.get(rule) ?? [];
    if (matchingFiles.length === 0) return [];
    switch (rule.strategy) {
      case 'individual':
        return matchingFiles.map((file) => ({ rule, files: [file], unchangedMatching: [] }));
      case 'matches_together':
        return [{ rule, files: matchingFiles, unchangedMatching: unchangedMatches?.get(rule) ?? [] }];
      case 'all_changed_files':
        return [{ rule, files: changedPaths, unchangedMatching: [] }];
    }
  };
  return rules.flatMap(tasksOf);
}

function wantsUnchanged(rule: Rule): boolean {
  return rule.strategy === 'matches_together' && rule.context.unchangedMatchingFiles;
}
