import { grouped } from '@onceover/base/kernel/collections';
import { type RepoPath, sha256 } from '@onceover/base/kernel/ids';
import type { DiffSection, Entry } from '@onceover/base/kernel/repository';

/** A diff of two trees, indexed by path. */
export type IndexedDiff = ReturnType<typeof indexDiff>;

/** Indexes a diff. `isChanged` says whether the change under review contains a path. */
export function indexDiff(sections: readonly DiffSection[], isChanged: (path: RepoPath) => boolean) {
  const pathPositions = sections.flatMap(({ paths }, position) => paths.map((path) => ({ path, position })));
  const byPath = grouped(pathPositions, ({ path }) => path);
  const paths = [...byPath.keys()];
  let byHash: ReadonlyMap<string, readonly RepoPath[]> | null = null;
  return {
    sections,
    /** Paths in this diff that the change under review does not contain. */
    left: paths.filter((path) => !isChanged(path)),
    has: (path: RepoPath) => byPath.has(path),
    /** Returns the parts of the diff that show one of the paths, in the order of the diff. */
    showing(requestedPaths: Iterable<RepoPath>): readonly DiffSection[] {
      const positions = new Set(
        [...requestedPaths].flatMap((path) => byPath.get(path) ?? []).map(({ position }) => position),
      );
      return [...positions].sort((a, b) => a - b).flatMap((position) => sections[position] ?? []);
    },
    /** Returns the paths that have this short hash. */
    withHash(hash: string): readonly RepoPath[] {
      byHash ??= grouped(paths, short);
      return byHash.get(hash) ?? [];
    },
  };
}

/**
 * Returns the parts of the diff that belong to a gate. `torn` lists the files that were renamed into or out of the
 * gate, which need a separate diff.
 */
export function sectionsOf(diff: IndexedDiff, paths: ReadonlySet<RepoPath>) {
  const wholeSections: DiffSection[] = [];
  const renamedPaths: RepoPath[] = [];
  for (const section of diff.showing(paths)) {
    const inside = section.paths.filter((path) => paths.has(path));
    if (inside.length === section.paths.length) wholeSections.push(section);
    else renamedPaths.push(...inside);
  }
  return { whole: wholeSections, torn: renamedPaths };
}

/**
 * Returns the gate's paths that changed since its last review, in the order of the diff. Only files that the gate
 * reviews now, or that the last review showed (`shownEntries`), count; others differ because the base is newer.
 */
export function changedPaths(
  diff: IndexedDiff,
  entries: readonly Entry[],
  shownEntries: readonly string[],
): readonly RepoPath[] {
  const shownPaths = shownEntries.flatMap((shownEntry) => diff.withHash(shownEntry.slice(0, LENGTH)));
  return pathsIn(diff, new Set([...entries.map(({ path }) => path), ...shownPaths]));
}

/** Returns those of the paths that the diff contains, in the order of the diff. */
export function pathsIn(diff: IndexedDiff, candidates: ReadonlySet<RepoPath>): readonly RepoPath[] {
  return diff.showing(candidates).flatMap(({ paths }) => paths.filter((path) => candidates.has(path)));
}

/**
 * Returns a list that identifies the diffs that a session has seen: for each file, a short hash of its path and one of its
 * content at the base, because another base gives another diff.
 */
export function entriesShown(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) => `${short(entry.path)}${short(baseOf(entry))}`);
}

/** Whether a session knows all these changes: it saw each of them with its current base, or the next diff shows it. */
export function sessionCoversChange(
  shownEntries: readonly string[],
  entries: readonly Entry[],
  isChanged: (path: RepoPath) => boolean,
): boolean {
  const bases = new Map(shownEntries.map((shownEntry) => [shownEntry.slice(0, LENGTH), shownEntry.slice(LENGTH)]));
  return entries.every((entry) => {
    const base = bases.get(short(entry.path));
    return base === undefined ? isChanged(entry.path) : base === short(baseOf(entry));
  });
}

function baseOf({ mode, baseMode, baseBlob }: Entry): string {
  return baseBlob === null ? '' : `${baseMode ?? mode} ${baseBlob}`;
}

const LENGTH = 8;

function short(text: string): string {
  return sha256(text).slice(0, LENGTH);
}

/** A diff in parts that each fit into a prompt, or the file that alone is too long for one. */
export type DiffParts =
  | { readonly ok: true; readonly parts: readonly DiffSection[] }
  | { readonly ok: false; readonly path: RepoPath; readonly characters: number };

/** Splits a diff into as few parts as possible, without changing the order of files or splitting a file. */
export function splitDiff(sections: readonly DiffSection[], limit: number): DiffParts {
  const parts: DiffSection[] = [];
  let part: DiffSection = { paths: [], text: '' };
  for (const { paths, text } of sections) {
    if (text.length > limit) return { ok: false, path: paths.at(-1) ?? ('' as RepoPath), characters: text.length };
    if (part.text !== '' && part.text.length + text.length > limit) {
      parts.push(part);
      part = { paths: [], text: '' };
    }
    part = { paths: [...part.paths, ...paths], text: part.text + text };
  }
  return { ok: true, parts: part.text === '' && parts.length > 0 ? parts : [...parts, part] };
}

/** Returns the index of the part that shows a file. Returns the first part for a file that no part shows. */
export function partShowing(file: string | null, parts: readonly DiffSection[]): number {
  const index = parts.findIndex(({ paths }) => paths.some((path) => path === file));
  return Math.max(0, index);
}

/**
 * Returns those of the entries whose new content the diff does not show, because it is of this kind. Deleted files have
 * no new content.
 */
export function unseenPaths(
  sections: readonly DiffSection[],
  entries: readonly Entry[],
  kind: NonNullable<DiffSection['unseen']>,
): readonly RepoPath[] {
  const hiddenPaths = new Set(
    sections.filter((section) => section.unseen === kind).flatMap(({ paths }) => paths.at(-1) ?? []),
  );
  return entries.filter(({ path, headBlob }) => headBlob !== null && hiddenPaths.has(path)).map(({ path }) => path);
}
