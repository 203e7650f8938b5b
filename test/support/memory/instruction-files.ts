import type { RepoPath, ReviewId } from '../../../src/kernel/ids.ts';
import { ok } from '../../../src/kernel/result.ts';
import type { InstructionFiles } from '../../../src/rules/types.ts';

/** Instruction files by path, as the last call left them. */
export type MemoryInstructionFiles = InstructionFiles & { readonly texts: ReadonlyMap<RepoPath, string> };

/** A path for instruction files that is not a folder. */
export function memoryInstructionFiles(): MemoryInstructionFiles {
  const texts = new Map<RepoPath, string>();
  return {
    texts,
    async replace(files) {
      texts.clear();
      const paths = new Map<ReviewId, RepoPath>();
      for (const [id, text] of files) {
        const path = `.deepwork/tmp/review_instructions/${id}.md` as RepoPath;
        texts.set(path, text);
        paths.set(id, path);
      }
      return ok(paths);
    },
  };
}
