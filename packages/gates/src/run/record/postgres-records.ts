import { sha256 } from '@onceover/base/kernel/ids';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import type { Result } from '@onceover/base/kernel/result';
import { teamStore } from '@onceover/store/store';
import { storeResult } from '@onceover/store/store-error';

/**
 * Copies files of records to the store for teams, in one transaction. Web pages show the copy, which outlives the
 * clone. Runs read only the files in `log_dir`, because records refer to agent sessions on this machine.
 */
export function copyToStore(
  { root, commonDir }: Pick<RepositoryPaths, 'root' | 'commonDir'>,
  texts: Readonly<Record<string, string>>,
): Promise<Result<void>> {
  return storeResult(
    (async () => {
      const { database, repository, clone, isTrusted } = await teamStore(commonDir);
      if (!isTrusted) return;
      const worktree = sha256(JSON.stringify([clone, root]));
      await database.transaction(async (query) => {
        for (const [name, text] of Object.entries(texts)) {
          await query(
            `INSERT INTO onceover.records (repository, worktree, name, content) VALUES ($1, $2, $3, $4)
             ON CONFLICT (repository, worktree, name) DO UPDATE SET content = excluded.content, written_at = now()`,
            [repository, worktree, name, Buffer.from(text)],
          );
        }
      });
    })(),
  );
}
