import { join, relative } from 'node:path';
import type { RepoPath } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import type { Belongings } from '../domain/ports.ts';
import type { Belonging } from '../domain/removal.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { removeFile } from '../io/files.ts';
import { filesBelow, removeEmpty, removeTree } from '../io/folders.ts';
import { countTrees, dropAllTrees } from '../io/kept-trees.ts';
import { readOwn } from '../io/own-file.ts';
import { removeEmptyScratch } from '../io/scratch.ts';
import { heldElsewhere, openLock } from './lock.ts';
import { PREVIOUS } from './record-archive.ts';
import { isRecordFile } from './record-names.ts';

const GIT_FOLDER = 'onceover';

/** What onceover has written in the working tree and in the clone; files that git tracks are nobody's to take. */
export function openBelongings(place: Place, logDir: RepoPath, tracked: ReadonlySet<string>): Belongings {
  const { root, commonDir } = place;
  const folders = [
    { kind: 'records', path: logDir, isOurs: IN_LOGS },
    { kind: 'generated', path: GENERATED_FOLDER, isOurs: IN_GENERATED },
  ] as const;
  return {
    async find() {
      const belongings: Belonging[] = [];
      for (const { kind, path, isOurs } of folders) {
        const own = ownFiles(root, path, isOurs, tracked);
        if (!own.ok) return own;
        if (own.value.length > 0) belongings.push({ kind, path, files: own.value.length });
      }
      const kept = filesBelow(commonDir, GIT_FOLDER);
      if (!kept.ok) return kept;
      const refs = await countTrees(place);
      if (!refs.ok) return refs;
      const files = kept.value.length;
      if (files > 0) belongings.push({ kind: 'git-folder', path: shown(root, join(commonDir, GIT_FOLDER)), files });
      if (refs.value > 0) belongings.push({ kind: 'refs', count: refs.value });
      return done(belongings);
    },

    async remove() {
      const lock = await openLock(place).take();
      if (!lock.ok) return lock;
      try {
        const other = await heldElsewhere(commonDir);
        if (!other.ok) return other;
        if (other.value !== null) return failed({ kind: 'lock-held', ...other.value });
        const dropped = await dropAllTrees(place);
        if (!dropped.ok) return dropped;
        for (const { path, isOurs } of folders) {
          const removed = removeOwn(root, path, isOurs, tracked);
          if (!removed.ok) return removed;
        }
        const gone = removeTree(commonDir, GIT_FOLDER);
        if (gone.ok) removeEmptyScratch();
        return gone;
      } finally {
        await lock.value.release();
      }
    },
  };
}

const TEMPORARY = /^(?:.*\/)?\.onceover-\d+-[0-9a-f]{12}$/;
const IN_LOGS = (path: string) => isRecord(path) || /^phases\/[^/]+\/[^/]+\.log$/.test(path) || TEMPORARY.test(path);
const IN_GENERATED = (path: string) =>
  /^(?:review_instructions\/[^/]+\.(?:md|passed)|quality_review_[^/]+\.md|session_[^/]+\.json(?:\.unreadable-[^/]+)?)$/.test(
    path,
  ) || TEMPORARY.test(path);

function isRecord(path: string): boolean {
  const name = path.startsWith(`${PREVIOUS}/`) ? path.slice(PREVIOUS.length + 1) : path;
  return !name.includes('/') && isRecordFile(name);
}

/** Our files in a folder; with nothing else in it, its `.gitignore` is ours too. */
function ownFiles(
  root: string,
  folder: RepoPath,
  isOurs: (path: string) => boolean,
  tracked: ReadonlySet<string>,
): Result<readonly string[]> {
  const all = filesBelow(root, folder);
  if (!all.ok) return all;
  const others = all.value.filter((path) => tracked.has(`${folder}/${path}`) || !isOurs(path));
  const own = all.value.filter((path) => !others.includes(path));
  const isAlone = others.length === 1 && others[0] === '.gitignore' && !tracked.has(`${folder}/.gitignore`);
  const text = isAlone ? readOwn(join(root, folder, '.gitignore')) : done(null);
  return done(text.ok && text.value === '*\n' ? [...own, '.gitignore'] : own);
}

function removeOwn(
  root: string,
  folder: RepoPath,
  isOurs: (path: string) => boolean,
  tracked: ReadonlySet<string>,
): Result<void> {
  const own = ownFiles(root, folder, isOurs, tracked);
  if (!own.ok) return own;
  for (const path of own.value) {
    const removed = removeFile(join(root, folder, path));
    if (!removed.ok) return removed;
  }
  const inside = new Set(own.value.map((path) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '')));
  for (const path of [...inside, '']) removeEmpty(root, path === '' ? folder : `${folder}/${path}`);
  return done(undefined);
}

function shown(root: string, path: string): string {
  const inside = relative(root, path);
  return inside.startsWith('..') ? path : inside;
}
