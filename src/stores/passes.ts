import { join } from 'node:path';
import type { RepoPath, ReviewId } from '../domain/brand.ts';
import type { Place } from '../domain/change.ts';
import { sha256 } from '../domain/digest.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import type { MarkReceipt, RuleFacts, TaskFacts } from '../domain/pass.ts';
import type { Passes } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import type { FileDigest } from '../domain/task.ts';
import { checkFolder, listFolder, makeFolder, removeForgotten, removeOldest, writeWhole } from '../io/files.ts';
import { readJsonFile } from '../io/json-file.ts';
import { generatedPath, makeGeneratedFolder } from './generated-folder.ts';
import { INSTRUCTIONS_FOLDER } from './instruction-files.ts';
import { isAmount, isOneOf, isText, listOf, orNull, readShape, type Shape } from './shape.ts';

const MARKER = '.passed';
const RECEIPTS = 'onceover/passes';
const FACTS = 'onceover/tasks';
const MOST_FACTS = 2000;
const LARGEST_BYTES = 64 * 1024 * 1024;

/** The path of the marker that stands for a pass. */
export function markerPath(id: ReviewId): RepoPath {
  return generatedPath(INSTRUCTIONS_FOLDER, id + MARKER);
}

/**
 * Markers in the working tree; what they vouch for in the folder that all working trees of the clone share. What a review
 * was given out as is known by working tree: the rules of another one may say something else.
 */
export function openPasses(place: Pick<Place, 'root' | 'commonDir'>): Passes {
  const factsName = (id: ReviewId) => nameOf(`${place.root}\0${id}`);
  return {
    async marked() {
      const folder = `${GENERATED_FOLDER}/${INSTRUCTIONS_FOLDER}`;
      const there = checkFolder(place.root, folder);
      if (!there.ok) return there;
      const listed = listFolder(join(place.root, folder));
      return listed.ok ? done(readMarkers(listed.value)) : listed;
    },
    async receipt(id) {
      return readAbout(id, { commonDir: place.commonDir, folder: RECEIPTS, name: nameOf(id) }, RECEIPT);
    },
    async remember(tasks) {
      if (tasks.length === 0) return done(undefined);
      const folder = makeFolder(place.commonDir, FACTS);
      if (!folder.ok) return folder;
      for (const task of tasks) {
        const written = writeWhole(folder.value, factsName(task.id), JSON.stringify(task));
        if (!written.ok) return written;
      }
      removeForgotten(folder.value, Date.now());
      removeOldest(folder.value, MOST_FACTS, new Set(tasks.map((task) => factsName(task.id))));
      return done(undefined);
    },
    async mark(id, by, at) {
      const markers = makeGeneratedFolder(place.root, INSTRUCTIONS_FOLDER);
      if (!markers.ok) return markers;
      const about = readAbout(id, { commonDir: place.commonDir, folder: FACTS, name: factsName(id) }, TASK);
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
function nameOf(id: string): string {
  return `${sha256(id).slice(0, 32)}.json`;
}

/** A kept document about the id; one that is missing, broken or about another id is none. */
function readAbout<T extends TaskFacts>(
  id: ReviewId,
  { commonDir, folder, name }: { readonly commonDir: string; readonly folder: string; readonly name: string },
  shape: Shape<T>,
): T | null {
  const there = checkFolder(commonDir, folder);
  const path = join(commonDir, folder, name);
  const value = there.ok ? readShape(readJsonFile(path, LARGEST_BYTES), shape) : null;
  return value?.id === id ? value : null;
}

const RULE: Shape<RuleFacts> = { source: isText, rule: isText, textDigest: isText, contextDigest: isText };
const FILE: Shape<FileDigest> = { path: isText, sha256: orNull(isText), link: orNull(isText) };

const TASK: Shape<TaskFacts> = {
  id: isText,
  parts: listOf(RULE),
  files: listOf(FILE),
  promptVersion: isAmount,
};

const RECEIPT: Shape<MarkReceipt> = { ...TASK, by: isOneOf(['mcp', 'cli', 'library', 'run']), at: isText };
