import { join } from 'node:path';
import { type RepoPath, type ReviewId, sha256 } from '../kernel/ids.ts';
import { GENERATED_FOLDER } from '../kernel/paths.ts';
import type { FileDigest, RepositoryPaths } from '../kernel/repository.ts';
import { ok, type Result } from '../kernel/result.ts';
import { isAmount, isOneOf, isString, listOf, orNull, readShape, type Shape } from '../kernel/shape.ts';
import {
  checkFolder,
  listFolder,
  makeFolder,
  removeFile,
  removeLeftovers,
  removeOldest,
  writeAtomically,
} from '../platform/files.ts';
import { generatedPath, makeGeneratedFolder } from '../platform/generated-files.ts';
import { readJsonFile } from '../platform/private-files.ts';
import type { MarkReceipt, RuleFacts, TaskFacts } from './types.ts';

/** The folder in `.deepwork/tmp` for instruction files and marker files. */
export const INSTRUCTIONS_FOLDER = 'review_instructions';

const FOLDER_PATH = `${GENERATED_FOLDER}/${INSTRUCTIONS_FOLDER}`;
const SUFFIX = '.md';

/** Writes exactly these instruction files, and deletes all other `.md` files in the folder. Returns their paths. */
export function replaceInstructionFiles(
  root: string,
  files: ReadonlyMap<ReviewId, string>,
): Result<ReadonlyMap<ReviewId, RepoPath>> {
  const present = checkFolder(root, FOLDER_PATH);
  if (!present.ok) return present;
  // If there are no files to write, do not create the folder. In an existing folder, old files must still be removed.
  if (files.size === 0 && present.value === 'missing') return ok(new Map());
  const folder = makeGeneratedFolder(root, INSTRUCTIONS_FOLDER);
  if (!folder.ok) return folder;
  const paths = new Map<ReviewId, RepoPath>();
  for (const [id, text] of files) {
    const written = writeAtomically(folder.value, id + SUFFIX, text);
    if (!written.ok) return written;
    paths.set(id, generatedPath(INSTRUCTIONS_FOLDER, id + SUFFIX));
  }
  const listed = listFolder(folder.value);
  if (!listed.ok) return listed;
  const wanted = new Set([...files.keys()].map((id) => id + SUFFIX));
  for (const { name, isFile } of listed.value) {
    if (!isFile || !name.endsWith(SUFFIX) || wanted.has(name)) continue;
    const removed = removeFile(join(folder.value, name));
    if (!removed.ok) return removed;
  }
  removeLeftovers(folder.value, Date.now());
  return ok(paths);
}

const MARKER = '.passed';
const RECEIPTS = 'onceover/passes';
const FACTS = 'onceover/tasks';
const MOST_FACTS = 2000;
const LARGEST_BYTES = 64 * 1024 * 1024;

export function markerPath(id: ReviewId): RepoPath {
  return generatedPath(INSTRUCTIONS_FOLDER, id + MARKER);
}

export type Passes = ReturnType<typeof openPasses>;

/**
 * Opens the marker files in the working tree and the receipts in the git folder, which all worktrees of a clone share.
 * The state of tasks is stored per worktree, because another worktree may have different rules.
 */
export function openPasses({ root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>) {
  const factsName = (id: ReviewId) => fileName(`${root}\0${id}`);

  /** Returns a stored document; `null` if it is missing, broken or for a different id. */
  const readFor = <T extends TaskFacts>(id: ReviewId, folder: string, name: string, shape: Shape<T>): T | null => {
    const present = checkFolder(commonDir, folder);
    const value = present.ok ? readShape(readJsonFile(join(commonDir, folder, name), LARGEST_BYTES), shape) : null;
    return value?.id === id ? value : null;
  };

  return {
    /** Returns the ids that have a marker file. Markers that are not regular files do not count and are in `notFiles`. */
    async marked(): Promise<Result<Record<'ids' | 'notFiles', ReadonlySet<string>>>> {
      const present = checkFolder(root, FOLDER_PATH);
      if (!present.ok) return present;
      const listed = listFolder(join(root, FOLDER_PATH));
      if (!listed.ok) return listed;
      const ids = new Set<string>();
      const notFiles = new Set<string>();
      for (const { name, isFile } of listed.value) {
        if (name.endsWith(MARKER)) (isFile ? ids : notFiles).add(name.slice(0, -MARKER.length));
      }
      return ok({ ids, notFiles });
    },
    async receipt(id: ReviewId): Promise<MarkReceipt | null> {
      return readFor(id, RECEIPTS, fileName(id), RECEIPT);
    },
    /** Stores the state of each review, so that a later mark can be compared with it. */
    async remember(tasks: readonly TaskFacts[]): Promise<Result<void>> {
      if (tasks.length === 0) return ok(undefined);
      const folder = makeFolder(commonDir, FACTS);
      if (!folder.ok) return folder;
      for (const task of tasks) {
        const written = writeAtomically(folder.value, factsName(task.id), JSON.stringify(task));
        if (!written.ok) return written;
      }
      removeLeftovers(folder.value, Date.now());
      removeOldest(folder.value, MOST_FACTS, new Set(tasks.map((task) => factsName(task.id))));
      return ok(undefined);
    },
    /** Creates the marker file. `vouched`: whether onceover wrote instructions for this id in this worktree before. */
    async mark(id: ReviewId, by: MarkReceipt['by'], at: Date): Promise<Result<{ readonly vouched: boolean }>> {
      const markers = makeGeneratedFolder(root, INSTRUCTIONS_FOLDER);
      if (!markers.ok) return markers;
      const facts = readFor(id, FACTS, factsName(id), TASK);
      if (facts !== null) {
        const receipt: MarkReceipt = { ...facts, by, at: at.toISOString() };
        const receipts = makeFolder(commonDir, RECEIPTS);
        const written = receipts.ok ? writeAtomically(receipts.value, fileName(id), JSON.stringify(receipt)) : receipts;
        if (!written.ok) return written;
      }
      const marked = writeAtomically(markers.value, id + MARKER, '');
      return marked.ok ? ok({ vouched: facts !== null }) : marked;
    },
  };
}

// The id may contain a path or be too long for a file name, so the name is a hash.
function fileName(id: string): string {
  return `${sha256(id).slice(0, 32)}.json`;
}

const RULE: Shape<RuleFacts> = { source: isString, rule: isString, textDigest: isString, contextDigest: isString };

const FILE: Shape<FileDigest> = { path: isString, sha256: orNull(isString), link: orNull(isString) };

const TASK: Shape<TaskFacts> = {
  id: isString,
  parts: listOf(RULE),
  files: listOf(FILE),
  promptVersion: isAmount,
};

const RECEIPT: Shape<MarkReceipt> = { ...TASK, by: isOneOf(['mcp', 'cli', 'library', 'run']), at: isString };
