import type { Checks } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { ok, type Result } from '@onceover/base/kernel/result';
import { type RunDocument, runDocument } from '@onceover/gates/result/json';
import type { RunOutcome } from '@onceover/gates/result/types';
import { READ_ONLY, type RunOptions, withRunLock } from '@onceover/gates/run/open-run';
import type { RunPorts, RunRequest } from '@onceover/gates/run/ports';
import { executeRun, previewRun } from '@onceover/gates/run/run';
import { storeResult } from '@onceover/store/store-error';
import type { ReviewRequest } from './types.ts';

/**
 * Reviews the pull request that is checked out in a clone of the server. The server runs this in a separate process,
 * and workers run the reviewers. The configuration is read from the target branch, not from the change.
 */
export async function reviewPull(
  repository: RepositoryPaths,
  { checks, isFork, base }: ReviewRequest,
  stop: AbortSignal,
): Promise<Result<RunDocument>> {
  const options: RunOptions = {
    ...READ_ONLY,
    selection: { kind: 'change', base },
    // No coding agent started this run. The operator has already decided with the setting `checks` whether commands may
    // run.
    startedBy: 'person',
    // Run the reviewers even if a check failed or did not run.
    all: true,
    remote: true,
    stop,
  };
  const runsChecks = checks === 'own_branches' && !isFork;
  const ran = await withRunLock(repository, options, async ({ ports, request }) => {
    if (runsChecks) return flat(await storeResult(executeRun(ports, request)));
    if (checks === 'elsewhere') return flat(await storeResult(runReviewsAlone(ports, request)));
    return flat(await storeResult(executeRun({ ...ports, checks: NO_CHECKS }, request)));
  });
  return ran.ok ? ok(runDocument(ran.value, [])) : ran;
}

function flat<T>(result: Result<Result<T>>): Result<T> {
  return result.ok ? result.value : result;
}

/** Runs no command. Each check ends as "could not be started", which is an error and never a pass. */
const NO_CHECKS: Checks = {
  run: async () => ({
    ending: 'not-started',
    exitCode: null,
    output: 'The server does not run commands of a pull request. See "checks" in its settings.',
    durationMs: 0,
  }),
};

/** Runs only the reviewers. The result lists the checks as gates that were not part of this run. */
async function runReviewsAlone(ports: RunPorts, request: RunRequest): Promise<Result<RunOutcome>> {
  const preview = await previewRun(ports, request);
  if (!preview.ok) return preview;
  const checkIds = preview.value.facts.planned.gates.flatMap(({ id, kind }) => (kind === 'check' ? [id] : []));
  const gates = request.settings.gates.map((entry) => ({ ...entry, checks: {} }));
  const ran = await executeRun(ports, { ...request, settings: { ...request.settings, gates } });
  if (!ran.ok || checkIds.length === 0) return ran;
  return ok({ ...ran.value, asked: { gates: [], paths: [], others: checkIds } });
}
