import { join } from 'node:path';
import { maskDocument } from '@onceover/base/kernel/mask-secrets';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { statIfPresent } from '@onceover/base/platform/files';
import { lockHolder } from '@onceover/base/platform/lock';
import { startedRunDocument } from '@onceover/gates/result/describe/background';
import { getRun } from '@onceover/gates/run/background-run';
import type { LiveDocument } from './json-schema.ts';
import { readProgress } from './progress/progress-file.ts';

const FOLDERS = ['ledger', 'findings', 'receipts', 'runs'];

/**
 * Returns the run in progress in a working tree, whichever program started it, and a text (`stamp`) that changes when
 * records, findings or the cost ledger change. `ownRunIds` has the ids of the runs that the live view started: only
 * their errors are shown.
 */
export async function readLive(
  repository: RepositoryPaths,
  logDir: string,
  ownRunIds: ReadonlySet<string>,
): Promise<LiveDocument> {
  const [holder, newest] = await Promise.all([lockHolder(repository), getRun(repository, null, { seconds: 0 })]);
  const job = newest.ok ? newest.value : null;
  const running = job?.state === 'running' ? job : null;
  const lockOwner = holder.ok ? holder.value : null;
  const document = job !== null && running === null && ownRunIds.has(job.id) ? startedRunDocument(job) : null;
  const error = document?.error ?? null;
  const runProgress = lockOwner === null ? null : readProgress(repository, lockOwner);
  const { title = null, steps = 0, ended = 0, failed = 0, tokens = 0, working = [] } = runProgress ?? {};
  // A background run has its own log, which also contains what it prints before the first event.
  const progress = running?.progress ?? runProgress?.lines ?? [];
  const run = {
    ...{ id: running?.id ?? null, since: lockOwner?.since ?? '', pid: lockOwner?.pid ?? 0, progress: [...progress] },
    ...{ title, steps, ended, failed, tokens, working: [...working] },
  };
  return maskDocument({
    stamp: stampOf(repository, logDir),
    run: lockOwner !== null || running !== null ? run : null,
    ended:
      document === null
        ? null
        : { id: document.run_id, error: error === null ? null : `${error.message} ${error.next}`.trim() },
  });
}

/**
 * Returns a text that changes when a record, a finding, a passed review or the cost ledger changes, so that open pages
 * notice it.
 */
function stampOf({ root, commonDir, index }: RepositoryPaths, logDir: string): string {
  const paths = [
    join(root, logDir),
    ...FOLDERS.map((name) => join(commonDir, 'onceover', name)),
    index,
    join(commonDir, 'HEAD'),
  ];
  return paths.map((path) => statIfPresent(path)?.mtimeMs ?? 0).join(' ');
}
