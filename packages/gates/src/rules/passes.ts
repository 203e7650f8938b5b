import { join } from 'node:path';
import { type RepoPath, type ReviewId, sha256 } from '@onceover/base/kernel/ids';
import { GENERATED_FOLDER } from '@onceover/base/kernel/paths';
import type { FileDigest, RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { isAmount, isOneOf, isString, listOf, orNull, readShape, type Shape } from '@onceover/base/kernel/shape';
import {
  checkFolder,
  listFolder,
  removeFile,
  removeLeftovers,
  removeOldest,
  writeAtomically,
} from '@onceover/base/platform/files';
import { generatedPath, makeGeneratedFolder } from '@onceover/base/platform/generated-files';
import { type Folder, openFolder } from '@onceover/base/platform/private-files';
import type { MarkReceipt, RuleFacts, TaskFacts } from './types.ts';

/**
 * The folder in `.deepwork/tmp` that contains files with review instructions, and pass marks (files that mark a review
 * as passed).
 */
export const INSTRUCTIONS_FOLDER = 'review_instructions';

/** The folder in the git folder in which runs store the verdicts of reviewers. */
export const RECEIPTS_FOLDER = 'onceover/receipts';

const FOLDER_PATH = `${GENERATED_FOLDER}/${INSTRUCTIONS_FOLDER}`;
const SUFFIX = '.md';

/**
 * Writes these files with review instructions, deletes all other `.md` files in the folder, and returns the written
 * paths.
 */
export function replaceInstructionFiles(
  root: string,
  files: ReadonlyMap<ReviewId, string>,
): Result<ReadonlyMap<ReviewId, RepoPath>> {
  const present = checkFolder(root, FOLDER_PATH);
  if (!present.ok) return present;
  // If there is nothing to write, do not create the folder. If the folder exists, old files in it must still be
  // deleted.
  if (files.size === 0 && present.value === 'missing') return ok(new Map());
  const folder = makeGeneratedFolder(root, INSTRUCTIONS_FOLDER);
  if (!folder.ok) return folder;
  const paths = new Map<ReviewId, RepoPath>();
  for (const [id, text] of files) {
    const writeResult = writeAtomically(folder.value, id + SUFFIX, text);
    if (!writeResult.ok) return writeResult;
    paths.set(id, generatedPath(INSTRUCTIONS_FOLDER, id + SUFFIX));
  }
  const listing = listFolder(folder.value);
  if (!listing.ok) return listing;
  const fileNames = new Set([...files.keys()].map((id) => id + SUFFIX));
  for (const { name, isFile } of listing.value) {
    if (!isFile || !name.endsWith(SUFFIX) || fileNames.has(name)) continue;
    const removeResult = removeFile(join(folder.value, name));
    if (!removeResult.ok) return removeResult;
  }
  removeLeftovers(folder.value, Date.now());
  return ok(paths);
}

const MARKER = '.passed';
const RECEIPTS = 'onceover/passes';
const FACTS = 'onceover/tasks';
const MOST_FACTS = 2000;

export function markerPath(id: ReviewId): RepoPath {
  return generatedPath(INSTRUCTIONS_FOLDER, id + MARKER);
}

export type Passes = ReturnType<typeof openPasses>;

/**
 * Opens the pass marks in the working tree, and the receipts for them in the git folder, which all worktrees of a clone
 * share. The state of a review is stored separately for each worktree, because another worktree may have different
 * rules.
 */
export function openPasses({ root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>) {
  const markers = openFolder(root, FOLDER_PATH);
  const receipts = openFolder(commonDir, RECEIPTS);
  const facts = openFolder(commonDir, FACTS);
  const factsName = (id: ReviewId) => fileName(`${root}\0${id}`);

  /** Returns a stored document; `null` if it is missing, invalid or about another id. */
  const readFor = <T extends TaskFacts>(id: ReviewId, folder: Folder, name: string, shape: Shape<T>): T | null => {
    const value = readShape(folder.json(name), shape);
    return value?.id === id ? value : null;
  };

  return {
    /**
     * Returns the ids of the reviews that are marked as passed. If a mark is not a regular file, it does not count; its
     * id is in `notFiles`.
     */
    async marked(): Promise<Result<Record<'ids' | 'notFiles', ReadonlySet<string>>>> {
      const listing = markers.list();
      if (!listing.ok) return listing;
      const ids = new Set<string>();
      const notFiles = new Set<string>();
      for (const { name, isFile } of listing.value) {
        if (name.endsWith(MARKER)) (isFile ? ids : notFiles).add(name.slice(0, -MARKER.length));
      }
      return ok({ ids, notFiles });
    },
    async receipt(id: ReviewId): Promise<MarkReceipt | null> {
      return readFor(id, receipts, fileName(id), RECEIPT);
    },
    /**
     * Stores the current state of each review. When a review is marked as passed, `mark` copies its state into the
     * receipt.
     */
    async remember(tasks: readonly TaskFacts[]): Promise<Result<void>> {
      if (tasks.length === 0) return ok(undefined);
      for (const task of tasks) {
        const writeResult = facts.write(factsName(task.id), JSON.stringify(task));
        if (!writeResult.ok) return writeResult;
      }
      removeLeftovers(facts.path, Date.now());
      removeOldest(facts.path, MOST_FACTS, new Set(tasks.map((task) => factsName(task.id))));
      return ok(undefined);
    },
    /** Whether onceover wrote review instructions with this id in this worktree. */
    isKnown(id: string): boolean {
      return readFor(id as ReviewId, facts, factsName(id as ReviewId), TASK) !== null;
    },
    /** Marks a review as passed. `vouched`: onceover wrote review instructions for it in this worktree. */
    async mark(id: ReviewId, by: MarkReceipt['by'], at: Date): Promise<Result<{ readonly vouched: boolean }>> {
      const folder = makeGeneratedFolder(root, INSTRUCTIONS_FOLDER);
      if (!folder.ok) return folder;
      const task = readFor(id, facts, factsName(id), TASK);
      if (task !== null) {
        const receipt: MarkReceipt = { ...task, by, at: at.toISOString() };
        const writeResult = receipts.write(fileName(id), JSON.stringify(receipt));
        if (!writeResult.ok) return writeResult;
      }
      const markerResult = markers.write(id + MARKER, '');
      return markerResult.ok ? ok({ vouched: task !== null }) : markerResult;
    },
  };
}

// The file name is a hash of the id, because the id may contain a path or be too long for a name.
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
