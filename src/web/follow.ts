import { join } from 'node:path';
import { getRun } from '../gates/background-run.ts';
import { startedRunDocument } from '../gates/describe/background.ts';
import { maskSecrets } from '../kernel/mask-secrets.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { statIfPresent } from '../platform/files.ts';
import { lockHolder } from '../platform/lock.ts';
import type { LiveDocument } from './json-schema.ts';

const FOLDERS = ['ledger', 'findings', 'receipts', 'runs'];

/**
 * Returns the run in progress in a working tree, whichever program started it, and a stamp that changes if records
 * change. `started` has the ids of the runs that the live view started: only their errors are shown.
 */
export async function readLive(
  repository: RepositoryPaths,
  logDir: string,
  started: ReadonlySet<string>,
): Promise<LiveDocument> {
  const [holder, newest] = await Promise.all([lockHolder(repository), getRun(repository, null, { seconds: 0 })]);
  const job = newest.ok ? newest.value : null;
  const running = job?.state === 'running' ? job : null;
  const held = holder.ok ? holder.value : null;
  const document = job !== null && running === null && started.has(job.id) ? startedRunDocument(job) : null;
  const error = document?.error ?? null;
  const progress = running?.progress.map(maskSecrets) ?? [];
  const isRunning = held !== null || running !== null;
  return {
    stamp: stampOf(repository, logDir),
    run: isRunning ? { id: running?.id ?? null, since: held?.since ?? '', pid: held?.pid ?? 0, progress } : null,
    ended:
      document === null
        ? null
        : { id: document.run_id, error: error === null ? null : `${error.message} ${error.next}`.trim() },
  };
}

/** Returns a text that changes if a record, a finding, a receipt or the ledger changes. */
function stampOf({ root, commonDir, index }: RepositoryPaths, logDir: string): string {
  const paths = [
    join(root, logDir),
    ...FOLDERS.map((name) => join(commonDir, 'onceover', name)),
    index,
    join(commonDir, 'HEAD'),
  ];
  return paths.map((path) => statIfPresent(path)?.mtimeMs ?? 0).join(' ');
}
