import { hasTeamStore } from '@onceover/store/has-store';
import { inTeamStore } from '@onceover/store/in-store';
import { type FindingStore, openFindingFiles } from './finding-files.ts';

export { type FindingStore, readFinding, readResolution } from './finding-files.ts';

/**
 * Opens the findings of all branches. They are in the store for teams if the user has configured one, otherwise in
 * files.
 */
export function openFindings(commonDir: string, usesStore = hasTeamStore()): FindingStore {
  const files = openFindingFiles(commonDir);
  if (!usesStore) return files;
  return inTeamStore(commonDir, files, {
    open: async (store) =>
      ONCEOVER_TEAM && store.isTrusted ? (await import('./postgres-findings.ts')).postgresFindings(store) : null,
  });
}
