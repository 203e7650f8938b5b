import { ok, type Result } from '@onceover/base/kernel/result';
import { asResult, git } from './git.ts';

/** A working tree of a clone; `branch` is `null` if its HEAD is detached. */
export type Worktree = { readonly root: string; readonly branch: string | null };

/** Returns the working trees of a clone, the main one first. Bare and missing ones are left out. */
export async function listWorktrees(folder: string): Promise<Result<readonly Worktree[]>> {
  const answer = await asResult(git(folder, ['worktree', 'list', '--porcelain']));
  if (!answer.ok) return answer;
  const blocks = answer.value.stdout.toString('utf8').split('\n\n');
  return ok(
    blocks.flatMap((block) => {
      const lines = block.split('\n').filter((line) => line !== '');
      const fieldOf = (name: string) =>
        lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? null;
      const root = fieldOf('worktree');
      const isUsable = root !== null && !lines.includes('bare') && !lines.some((line) => /^prunable\b/.test(line));
      return isUsable ? [{ root, branch: fieldOf('branch')?.replace(/^refs\/heads\//, '') ?? null }] : [];
    }),
  );
}
