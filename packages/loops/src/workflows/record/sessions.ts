import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { hasTeamStore } from '@onceover/store/has-store';
import { inTeamStore } from '@onceover/store/in-store';
import { openSessionFiles, type WorkflowSessions } from './session-files.ts';

export { sessionsLock, type WorkflowSessions } from './session-files.ts';

/**
 * Opens the sessions of a worktree. They are in the store for teams if the user has configured one, otherwise in files.
 */
export function openWorkflowSessions(
  place: Pick<RepositoryPaths, 'root' | 'commonDir'>,
  longestWaitMs?: number,
): WorkflowSessions {
  const files = openSessionFiles(place, longestWaitMs);
  if (!hasTeamStore()) return files;
  return inTeamStore(place.commonDir, files, {
    open: async (store) =>
      ONCEOVER_TEAM ? (await import('./postgres-sessions.ts')).postgresSessions(store, place.root, files) : null,
  });
}
