import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath, ReviewId } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import { isRecord } from '../domain/is-record.ts';
import type { MarkReceipt, RuleFacts, TaskFacts } from '../domain/pass.ts';
import type { Passes } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { FileDigest } from '../domain/task.ts';
import { checkFolder, listFolder, makeFolder, removeForgotten, removeOldest, writeWhole } from '../io/files.ts';
import { generatedPath, makeGeneratedFolder } from './generated-folder.ts';
import { INSTRUCTIONS_FOLDER } from './instruction-files.ts';

const MARKER = '.passed';
const RECEIPTS = 'onceover/passes';
const FACTS = 'onceover/tasks';
const MOST_FACTS = 2000;

/** The path of the marker that stands for a pass. */
export function markerPath(id: ReviewId): RepoPath {
  return generatedPath(INSTRUCTIONS_FOLDER, id + MARKER);
}

/** Markers in the working tree; what they vouch for in the folder that all working trees of the clone share. */
export function openPasses(place: Pick<Place, 'root' | 'commonDir'>): Passes {
  const facts = (id: ReviewId) => readJson(place.commonDir, FACTS, id, readFacts);
  return {
    async marked() {
      const folder = `${GENERATED_FOLDER}/${INSTRUCTIONS_FOLDER}`;
      const there = checkFolder(place.root, folder);
      if (!there.ok) return there;
      const listed = listFolder(join(place.root, folder));
      return listed.ok ? done(readMarkers(listed.value)) : listed;
    },
    async receipt(id) {
      return readJson(place.commonDir, RECEIPTS, id, readReceipt);
    },
    async remember(tasks) {
      if (tasks.length === 0) return done(undefined);
      const folder = makeFolder(place.commonDir, FACTS);
      if (!folder.ok) return folder;
      for (const task of tasks) {
        const written = writeWhole(folder.value, nameOf(task.id), JSON.stringify(task));
        if (!written.ok) return written;
      }
      removeForgotten(folder.value, Date.now());
      return removeOldest(folder.value, MOST_FACTS, new Set(tasks.map((task) => nameOf(task.id))));
    },
    async mark(id, by, at) {
      const markers = makeGeneratedFolder(place.root, INSTRUCTIONS_FOLDER);
      if (!markers.ok) return markers;
      const about = facts(id);
      if (about !== null) {
        const written = writeReceipt(place.commonDir, { ...about, by, at: at.toISOString() });
        if (!written.ok) return written;
      }
      const marked = writeWhole(markers.value, id + MARKER, '');
      return marked.ok ? done({ vouched: about !== null }) : marked;
    },
  };
}

function readMarkers(listed: readonly { readonly name: string; readonly isFile: boolean }[]) {
  const ids = new Set<string>();
  const notFiles = new Set<string>();
  for (const { name, isFile } of listed) {
    if (name.endsWith(MARKER)) (isFile ? ids : notFiles).add(name.slice(0, -MARKER.length));
  }
  return { ids, notFiles };
}

function writeReceipt(commonDir: string, receipt: MarkReceipt): Result<void> {
  const folder = makeFolder(commonDir, RECEIPTS);
  return folder.ok ? writeWhole(folder.value, nameOf(receipt.id), JSON.stringify(receipt)) : folder;
}

// Ids may be as long as a file name can be, and hold characters that make poor names.
function nameOf(id: ReviewId): string {
  return `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`;
}

/** A kept document about the id; one that is missing, broken or about another id is none. */
function readJson<T extends TaskFacts>(
  commonDir: string,
  folder: string,
  id: ReviewId,
  read: (value: unknown) => T | null,
): T | null {
  try {
    const value = read(JSON.parse(readFileSync(join(commonDir, folder, nameOf(id)), 'utf8')));
    return value?.id === id ? value : null;
  } catch {
    return null;
  }
}

function readReceipt(value: unknown): MarkReceipt | null {
  const facts = readFacts(value);
  if (facts === null || !isRecord(value)) return null;
  const { by, at } = value;
  if (by !== 'mcp' && by !== 'cli' && by !== 'library' && by !== 'run') return null;
  return typeof at === 'string' ? { ...facts, by, at } : null;
}

function readFacts(value: unknown): TaskFacts | null {
  if (!isRecord(value)) return null;
  const { id, parts, files, promptVersion } = value;
  if (typeof id !== 'string' || typeof promptVersion !== 'number') return null;
  if (!Array.isArray(parts) || !parts.every(isRuleFacts)) return null;
  if (!Array.isArray(files) || !files.every(isFileDigest)) return null;
  return { id: id as ReviewId, parts, files, promptVersion };
}

function isRuleFacts(value: unknown): value is RuleFacts {
  return (
    isRecord(value) && ['source', 'rule', 'textDigest', 'contextDigest'].every((key) => typeof value[key] === 'string')
  );
}

function isFileDigest(value: unknown): value is FileDigest {
  return (
    isRecord(value) && typeof value['path'] === 'string' && isTextOrNull(value['sha256']) && isTextOrNull(value['link'])
  );
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}
