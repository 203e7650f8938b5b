import { newSideOf } from '@onceover/forges/src/decide-anchor.ts';
import type { ChangedFile, CheckReport, ThreadPlace } from '@onceover/forges/src/types.ts';
import { structuredPatch } from 'diff';

/** A comment in a pull request of the tests. */
export type WorldComment = { id: number; author: string; body: string; isMinimized: boolean; isEdited?: boolean };

type WorldThread = {
  id: number;
  path: string;
  /** null for a comment on the whole file. */
  line: number | null;
  resolvedBy: string | null;
  comments: WorldComment[];
};

type WorldCheck = CheckReport & { id: number; sha: string; status: 'in_progress' | 'completed' };

/** Everything that a forge stores about a pull request. */
export type WorldData = {
  head: string;
  base: Record<string, string>;
  files: Record<string, string>;
  comments: WorldComment[];
  threads: WorldThread[];
  checks: WorldCheck[];
};

/** The facts of a pull request that decide whether it is reviewed. */
type WorldPull = {
  isOpen: boolean;
  isDraft: boolean;
  isFork: boolean;
  base: string;
  /** The commits that a branch contains; a branch without an entry contains the commits of `BASES`. */
  branches: Record<string, readonly string[]>;
  /** The account that opened the pull request. */
  author: string;
  /** The commits with the accounts of their authors; null for an author without an account. */
  commits: { id: string; author: string | null; others: readonly string[] }[];
  /** The accounts with the right to write. */
  writers: readonly string[];
};

/** A commit that every branch of a world contains unless the test says otherwise. */
export const BASE_COMMIT = 'b'.repeat(40);

/** Whether a branch of the repository contains a commit. */
export function containsCommit({ pull }: World, branch: string, commit: string): boolean {
  return (pull.branches[branch] ?? [BASE_COMMIT]).includes(commit);
}

type Permissions = { contents: boolean; pulls: boolean; checks: boolean };

/** A pull request with the rules of GitHub, in memory. The HTTP simulators and the in-memory forge share it. */
export type World = {
  readonly data: WorldData;
  readonly permissions: Permissions;
  readonly pull: WorldPull;
  /** The account of the token. */
  viewer: string;
  /** The number of writes that changed something, and of requests that were rejected as invalid. */
  writes: number;
  rejected: number;
  /** How long a write stays invisible to readings, in milliseconds. */
  lag: number;
  now: number;
  nextId(): number;
  /** Returns the data as a reader sees it now. */
  seen(): WorldData;
  /** Changes the data as the forge does after an accepted write. */
  write<T>(change: (data: WorldData) => T): T;
  /** Changes the data as a person does; it does not count as a write. */
  person<T>(change: (data: WorldData) => T): T;
  tick(milliseconds: number): void;
  diff(): readonly ChangedFile[];
  /** Whether the forge accepts a thread there. */
  accepts(place: ThreadPlace): boolean;
};

const BOT = 'onceover[bot]';

export const LONGEST_COMMENT = 65_536;

export const commitOf = (number: number) => number.toString(16).padStart(40, '0');

export function openWorld(given: Partial<WorldData> = {}): World {
  const data: WorldData = { head: commitOf(1), base: {}, files: {}, comments: [], threads: [], checks: [], ...given };
  const past: { at: number; data: string }[] = [];
  let last = 100;
  const world: World = {
    data,
    permissions: { contents: true, pulls: true, checks: true },
    pull: {
      ...{ isOpen: true, isDraft: false, isFork: false, base: 'main', branches: {}, author: 'mallory' },
      commits: [{ id: commitOf(1), author: 'mallory', others: [] }],
      writers: ['ann', 'mallory'],
    },
    viewer: BOT,
    writes: 0,
    rejected: 0,
    lag: 0,
    now: 0,
    nextId: () => ++last,
    seen() {
      if (world.lag === 0) return structuredClone(data);
      // The state before the oldest write that is still invisible.
      const hidden = past.find(({ at }) => at > world.now - world.lag);
      return hidden === undefined ? structuredClone(data) : (JSON.parse(hidden.data) as WorldData);
    },
    write(change) {
      if (world.lag > 0) past.push({ at: world.now, data: JSON.stringify(data) });
      world.writes++;
      return change(data);
    },
    person: (change) => change(data),
    tick(milliseconds) {
      world.now += milliseconds;
    },
    diff() {
      const names = [...new Set([...Object.keys(data.base), ...Object.keys(data.files)])].sort();
      return names.flatMap((path): ChangedFile[] => {
        const before = data.base[path] ?? '';
        const after = data.files[path] ?? '';
        if (before === after && path in data.base === path in data.files) return [];
        return [{ path, oldPath: path, patch: patchOf(before, after) }];
      });
    },
    accepts(place) {
      const file = world.diff().find(({ path }) => path === place.path);
      if (file === undefined) return false;
      if (place.kind === 'file') return true;
      const lines = newSideOf(file.patch ?? '');
      const first = lines.find(({ line }) => line === place.first);
      const end = lines.find(({ line }) => line === place.last);
      return first !== undefined && end !== undefined && first.hunk === end.hunk && place.first <= place.last;
    },
  };
  return world;
}

function patchOf(before: string, after: string): string {
  const { hunks } = structuredPatch('a', 'b', before, after, '', '', { context: 3 });
  return hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
    )
    .join('\n');
}
