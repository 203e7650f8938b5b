import type { PassedTasks } from '@onceover/gates/rules/instructions';

/** Returns the review tasks that a run counts as passed. The code of runs is loaded only if it is called. */
export const passedInRuns: PassedTasks = async (repository, options) =>
  (await import('@onceover/gates/run/passed-tasks')).passedTasks(repository, options);
