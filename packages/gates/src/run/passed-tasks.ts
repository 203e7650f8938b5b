import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Settings } from '@onceover/repo/config/settings';
import { hasTeamStore } from '@onceover/store/has-store';
import type { PassedTasks } from '../rules/instructions.ts';
import { RECEIPTS_FOLDER } from '../rules/passes.ts';

/**
 * Returns the review tasks of rules that all their reviewers passed, as a run sees them: by verdicts of this clone, its
 * worktrees and the store, and by accepted passes of other clones. If a run cannot be read, no task counts as passed.
 */
export const passedTasks: PassedTasks = async (repository, { base, settings }) => {
  if (!mayHavePasses(repository, settings)) return new Map();
  // The code of runs is large, and a clone without verdicts does not need it.
  const [{ previewGates, READ_ONLY }, { passingTasks }] = await Promise.all([
    import('./open-run.ts'),
    import('./record/marks.ts'),
  ]);
  const selection = { kind: 'change', base } as const;
  const preview = await previewGates(repository, { ...READ_ONLY, selection, allowUnconfigured: true });
  if (!preview.ok) return new Map();
  const { ports, facts } = preview.value;
  const changed = facts.snapshot.entries.map(({ path }) => path);
  const tasks = await passingTasks(ports, facts.reviews, changed);
  ports.shared?.close();
  return new Map(tasks.map((task) => [task.id, task]));
};

/** Whether a run may have passed a review: this clone has verdicts, or can use those of other clones. */
function mayHavePasses({ commonDir }: RepositoryPaths, { passes }: Pick<Settings, 'passes'>): boolean {
  return passes !== null || hasTeamStore() || existsSync(join(commonDir, RECEIPTS_FOLDER));
}
