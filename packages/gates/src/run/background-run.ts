import type { BackgroundJob, WaitOptions } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { interruptJob, type JobKind, newestJob, startJob, waitForJob } from '@onceover/base/platform/background';
import { checkTrust } from '@onceover/repo/trust/consent';

/** A run in the background and its progress. `answer` is what the run printed: its JSON result or a JSON error. */
export type StartedRun = BackgroundJob;

const RUNS: JobKind = { folder: 'onceover/runs', prefix: 'run' };

/** Starts a run in the background. It continues after the process that called this function has ended. */
export async function startRun(
  repository: RepositoryPaths,
  request: { readonly paths: readonly string[]; readonly gate: string | null },
): Promise<Result<StartedRun>> {
  const trustResult = await checkTrust(repository);
  if (!trustResult.ok) return trustResult;
  const gate = request.gate === null ? [] : ['--gate', request.gate];
  const args = ['run', '--json', '--started-by-agent', ...gate, '--', ...request.paths];
  return startJob(repository, RUNS, { args, input: null });
}

/**
 * Starts a background run for a user of the live view. If that user is an agent and not a person, the repository's
 * commands must have been approved before.
 */
export async function startRunFor(
  repository: RepositoryPaths,
  request: { readonly startedBy: 'person' | 'agent'; readonly force: boolean; readonly fresh: boolean },
): Promise<Result<StartedRun>> {
  const { startedBy, force, fresh } = request;
  const trustResult = startedBy === 'person' ? ok(undefined) : await checkTrust(repository);
  if (!trustResult.ok) return trustResult;
  const flags = [
    ...(startedBy === 'person' ? [] : ['--started-by-agent']),
    ...(force ? ['--force'] : []),
    ...(fresh ? ['--fresh'] : []),
  ];
  return startJob(repository, RUNS, { args: ['run', '--json', ...flags], input: null });
}

/** Stops a background run. Returns whether it was running. */
export function stopRun(repository: RepositoryPaths, id: string): Promise<boolean> {
  return interruptJob(repository, RUNS, id);
}

/** Waits for a background run and returns its progress or result. If `id` is `null`, waits for the newest run. */
export async function getRun(
  repository: RepositoryPaths,
  id: string | null,
  waiting: WaitOptions,
): Promise<Result<StartedRun>> {
  const runId = id ?? newestJob(repository, RUNS);
  const run = runId === null ? null : await waitForJob(repository, RUNS, runId, waiting);
  return run === null ? err({ kind: 'unknown-run', id }) : ok(run);
}
