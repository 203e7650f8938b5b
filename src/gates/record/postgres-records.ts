import { sha256 } from '../../kernel/ids.ts';
import type { RepositoryPaths } from '../../kernel/repository.ts';
import type { Result } from '../../kernel/result.ts';
import { teamStore } from '../../team/store.ts';
import { storeResult } from '../../team/store-error.ts';

/**
 * Writes files of records to the store for teams, in one transaction. The files in `log_dir` stay the records that a run
 * reads, because sessions of agents belong to this machine too. The copy is for pages, and outlives the clone.
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
