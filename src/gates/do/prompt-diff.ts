import { grouped } from '../../kernel/collections.ts';
import { type RepoPath, sha256 } from '../../kernel/ids.ts';
import type { DiffSection, Entry } from '../../kernel/repository.ts';

/** A diff of two trees with an index, which finds the sections of a path without a search through all sections. */
export type IndexedDiff = ReturnType<typeof indexDiff>;

/** Indexes a diff. `isChanged` says whether the change under review contains a path. */
export function indexDiff(sections: readonly DiffSection[], isChanged: (path: RepoPath) => boolean) {
  const located = sections.flatMap(({ paths }, position) => paths.map((path) => ({ path, position })));
  const byPath = grouped(located, ({ path }) => path);
  const paths = [...byPath.keys()];
  let byHash: ReadonlyMap<string, readonly RepoPath[]> | null = null;
  return {
    sections,
    /** The paths in the diff that the change under review does not contain. */
    left: paths.filter((path) => !isChanged(path)),
    has: (path: RepoPath) => byPath.has(path),
    /** Returns the sections that show one of the paths, in the order of the diff. */
    showing(wanted: Iterable<RepoPath>): readonly DiffSection[] {
      const positions = new Set([...wanted].flatMap((path) => byPath.get(path) ?? []).map(({ position }) => position));
      return [...positions].sort((a, b) => a - b).flatMap((position) => sections[position] ?? []);
    },
    /** Returns the paths whose short hash is the given one. */
    withHash(hash: string): readonly RepoPath[] {
      byHash ??= grouped(paths, short);
      return byHash.get(hash) ?? [];
    },
  };
}

/** Returns a gate's diff sections. Files that were renamed into or out of the gate need a separate diff (`torn`). */
export function sectionsOf(diff: IndexedDiff, paths: ReadonlySet<RepoPath>) {
  const whole: DiffSection[] = [];
  const torn: RepoPath[] = [];
  for (const section of diff.showing(paths)) {
    const inside = section.paths.filter((path) => paths.has(path));
    if (inside.length === section.paths.length) whole.push(section);
    else torn.push(...inside);
  }
  return { whole, torn };
}

/**
 * Returns the paths of a gate that differ between its last review and now, in the order of the diff: files that the
 * gate reviews now, and files that the last review showed (`shown`). Other files differ only because the base is newer.
 */
export function changedPaths(
  diff: IndexedDiff,
  entries: readonly Entry[],
  shown: readonly string[],
): readonly RepoPath[] {
  const seen = shown.flatMap((one) => diff.withHash(one.slice(0, LENGTH)));
  return pathsIn(diff, new Set([...entries.map(({ path }) => path), ...seen]));
}

/** Returns those of the paths that the diff contains, in the order of the diff. */
export function pathsIn(diff: IndexedDiff, wanted: ReadonlySet<RepoPath>): readonly RepoPath[] {
  return diff.showing(wanted).flatMap(({ paths }) => paths.filter((path) => wanted.has(path)));
}

/** Returns which changes a session has seen: for each file, a short hash of its path and one of its base content. */
export function entriesShown(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) => `${short(entry.path)}${short(baseOf(entry))}`);
}

/** Whether a session knows each entry: it saw the entry with its current base, or its next diff adds it. */
export function sessionCoversChange(
  shown: readonly string[],
  entries: readonly Entry[],
  isChanged: (path: RepoPath) => boolean,
): boolean {
  const bases = new Map(shown.map((one) => [one.slice(0, LENGTH), one.slice(LENGTH)]));
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

/** A diff in parts that fit the limit, or the file that exceeds the limit on its own. */
export type DiffParts =
  | { readonly ok: true; readonly parts: readonly DiffSection[] }
  | { readonly ok: false; readonly path: RepoPath; readonly characters: number };

/** Splits a diff into as few parts as its order allows, and never within a file. */
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

/** Returns the index of the part that shows a file. A file that no part shows is assigned to the first part. */
export function partShowing(file: string | null, parts: readonly DiffSection[]): number {
  const shown = parts.findIndex(({ paths }) => paths.some((path) => path === file));
  return Math.max(0, shown);
}

// In a diff, lines of files start with a space, a plus or a minus, so only git itself writes this line.
const BINARY = /^Binary files .* differ$/m;

/** Returns the files whose diff only says that they differ. Deleted files are left out: no one needs their content. */
export function binaryPaths(sections: readonly DiffSection[], entries: readonly Entry[]): readonly RepoPath[] {
  const binary = new Set(sections.filter(({ text }) => BINARY.test(text)).flatMap(({ paths }) => paths));
  return entries.filter(({ path, headBlob }) => headBlob !== null && binary.has(path)).map(({ path }) => path);
}
