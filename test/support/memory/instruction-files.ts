import type { RepoPath, ReviewId } from '../../../src/domain/brand.ts';
import type { InstructionFiles } from '../../../src/domain/ports.ts';
import { done } from '../../../src/domain/result.ts';

/** Instruction files by path, as the last call left them. */
export type MemoryInstructionFiles = InstructionFiles & { readonly texts: ReadonlyMap<RepoPath, string> };

/** A folder of instruction files that is no folder. */
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
      return done(paths);
    },
  };
}
