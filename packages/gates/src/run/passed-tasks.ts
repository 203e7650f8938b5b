import type { PassedTasks } from '../rules/instructions.ts';
import { previewGates, READ_ONLY } from './open-run.ts';
import { passingTasks } from './record/marks.ts';

/**
 * Returns the review tasks of rules that all their reviewers passed, as a run sees them: by verdicts of this clone, its
 * worktrees and the store, and by accepted passes of other clones. If a run cannot be read, no task counts as passed.
 */
export const passedTasks: PassedTasks = async (repository, base) => {
  const selection = { kind: 'change', base } as const;
  const preview = await previewGates(repository, { ...READ_ONLY, selection, allowUnconfigured: true });
  if (!preview.ok) return new Map();
  const { ports, facts } = preview.value;
  const changed = facts.snapshot.entries.map(({ path }) => path);
  const tasks = await passingTasks(ports, facts.reviews, changed);
  ports.shared?.close();
  return new Map(tasks.map((task) => [task.id, task]));
};
