import { join } from 'node:path';
import type { RepoPath, ReviewId } from '../domain/brand.ts';
import { GENERATED_FOLDER } from '../domain/generated.ts';
import type { InstructionFiles } from '../domain/ports.ts';
import { done, type Result } from '../domain/result.ts';
import { checkFolder, listFolder, removeFile, removeForgotten, writeWhole } from '../io/files.ts';
import { generatedPath, makeGeneratedFolder } from './generated-folder.ts';

/** The folder below `.deepwork/tmp` that holds instruction files and markers. */
export const INSTRUCTIONS_FOLDER = 'review_instructions';

const SUFFIX = '.md';

/** Instruction files in the working tree. */
export function openInstructionFiles(root: string): InstructionFiles {
  return {
    async replace(files) {
      // Nothing to write must not create a folder, but what an earlier call wrote has to go.
      const there = checkFolder(root, `${GENERATED_FOLDER}/${INSTRUCTIONS_FOLDER}`);
      if (!there.ok) return there;
      if (files.size === 0 && there.value === 'missing') return done(new Map());
      const folder = makeGeneratedFolder(root, INSTRUCTIONS_FOLDER);
      if (!folder.ok) return folder;
      const written = writeAll(folder.value, files);
      if (!written.ok) return written;
      const removed = removeOthers(folder.value, files);
      if (!removed.ok) return removed;
      removeForgotten(folder.value, Date.now());
      return written;
    },
  };
}

function writeAll(folder: string, files: ReadonlyMap<ReviewId, string>): Result<Map<ReviewId, RepoPath>> {
  const paths = new Map<ReviewId, RepoPath>();
  for (const [id, text] of files) {
    const written = writeWhole(folder, id + SUFFIX, text);
    if (!written.ok) return written;
    paths.set(id, generatedPath(INSTRUCTIONS_FOLDER, id + SUFFIX));
  }
  return done(paths);
}

function removeOthers(folder: string, files: ReadonlyMap<ReviewId, string>): Result<void> {
  const listed = listFolder(folder);
  if (!listed.ok) return listed;
  const wanted = new Set([...files.keys()].map((id) => id + SUFFIX));
  for (const { name, isFile } of listed.value) {
    if (!isFile || !name.endsWith(SUFFIX) || wanted.has(name)) continue;
    const removed = removeFile(join(folder, name));
    if (!removed.ok) return removed;
  }
  return done(undefined);
}
