import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerEntry, LedgerRun } from '@onceover/agents/ledger/entries';
import { openLedger } from '@onceover/agents/ledger/store';
import type { Failure } from '@onceover/base/kernel/failure';
import { digestOf, type GateId } from '@onceover/base/kernel/ids';
import type { ReporterOf } from '@onceover/base/kernel/ports';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { tryDisk } from '@onceover/base/platform/files';
import { openChecks } from '@onceover/base/platform/run-process';
import type { RunOutcome, RunProgress } from '@onceover/gates/result/types';
import { withRunLock } from '@onceover/gates/run/open-run';
import { executeRun } from '@onceover/gates/run/run';
import { pathsOf } from '../decide/plan.ts';
import { caseResults } from '../judge/case-result.ts';
import type { ProofConfig } from '../read/proof-config.ts';
import type { CaseResult, ProofCase, ProofRound, ProofTask } from '../types.ts';
import { type CaseRepository, makeCaseRepository, moveDependencies } from './case-repository.ts';
import { type KeepOptions, keepAnswers } from './keep-answers.ts';

/** How the review of a test case ended. Only `played` has results. */
export type PlayedTask =
  | { readonly kind: 'played'; readonly results: readonly CaseResult[] }
  /** The project's own checks fail with the planted bug, so no reviewer is needed to find it. */
  | { readonly kind: 'caught-by-checks' }
  /** The project's checks fail even without the planted bug, so they cannot tell whether they would detect it. */
  | { readonly kind: 'checks-fail-anyway' }
  | { readonly kind: 'not-playable'; readonly why: string }
  /** No reviewer reached a verdict. */
  | { readonly kind: 'no-verdict'; readonly outcome: RunOutcome }
  | { readonly kind: 'stopped' };

export type PlayPorts = Pick<KeepOptions, 'kept' | 'mayCall' | 'paid'> & {
  /** A temporary folder for this run of `onceover prove`. Each test case gets a folder inside it. */
  readonly folder: string;
  /** The user's repository, whose reviewers are measured. */
  readonly repository: RepositoryPaths;
  /** Whether the team's workers run the reviewers. */
  readonly isRemote: boolean;
  /** A digest of the environment variables that can choose another model. */
  readonly modelEnvironment: string;
  /** The names of the packages copied to `folder`, which the checks need. */
  readonly dependencies: readonly string[];
  readonly stop: AbortSignal;
  /** Whether `onceover prove` is about to end, because the user stopped it or its budget is used up. */
  isStopped(): boolean;
  readonly reporter: ReporterOf<RunProgress>;
};

/**
 * Reviews one test case: creates its branch, runs the gates on each state of the branch, and checks whether a finding
 * is about the planted bug.
 */
export async function playTask(task: ProofTask, config: ProofConfig, ports: PlayPorts): Promise<Result<PlayedTask>> {
  const { case: proofCase, variant } = task;
  const originalIds = new Map<GateId, GateId>(
    config.gatesFor(pathsOf(proofCase)).map(({ id }) => [id, config.originalId(id)]),
  );
  if (originalIds.size === 0) return ok({ kind: 'not-playable', why: 'no gate covers its files' });
  // The folder name depends only on the test case, so that an agent finds its session again after an interruption.
  const root = join(ports.folder, proofCase.id);
  const settings = config.settingsFor(variant);
  const creation = await makeCaseRepository(root, ports.repository.commonDir, proofCase, {
    files: config.files,
    settings,
  });
  if (!creation.ok) return unlessGitFailed(creation.failure);
  const repository = creation.value;
  if (proofCase.unedited !== null && config.checks.length > 0) {
    const letThrough = await passesChecks(task, repository, config, ports);
    if (!letThrough.ok) return letThrough;
    if (letThrough.value !== null) return ok(letThrough.value);
    const reset = await repository.reset();
    if (!reset.ok) return reset;
  }
  const entries: LedgerRun[] = [];
  let last: RunOutcome | null = null;
  let probes = 0;
  const { kept, mayCall, paid } = ports;
  const keeping = {
    ...{ kept, mayCall, paid, root, repeat: task.repeat, caseId: proofCase.id },
    answererOf: (name: string) => digestOf([config.answererOf(name), ports.modelEnvironment]),
  };
  for (const [i, round] of proofCase.rounds.entries()) {
    const playResult = await repository.play(round);
    if (!playResult.ok) return unlessGitFailed(playResult.failure);
    const paths = await repository.paths();
    if (!paths.ok) return paths;
    carryCapabilities(ports.folder, paths.value.commonDir);
    const ran = await withRunLock(
      paths.value,
      {
        // Run only the gates whose result counts: other gates of the same change would cost calls for nothing.
        ...{
          selection: { kind: 'change', base: null },
          gates: [...originalIds.keys()],
          paths: [],
          startedBy: 'person',
        },
        ...{ force: i > 0 && variant.sessions === 'resumed', fresh: i > 0 && variant.sessions === 'new' },
        ...{ all: true, allowUnconfigured: false, reporter: ports.reporter, stop: ports.stop },
        ...{ proofOf: ports.repository, remote: ports.isRemote },
      },
      ({ ports: run, request }) => {
        const note = async (entry: LedgerEntry) => {
          if (entry.kind === 'run') entries.push(entry);
          return ok(undefined);
        };
        const reviewers = async () => keepAnswers(await run.reviewers(), keeping);
        return executeRun({ ...run, reviewers, ledger: { ...run.ledger, add: note } }, request);
      },
    );
    carryCapabilities(paths.value.commonDir, ports.folder);
    // onceover makes paid calls to find out whether an agent can resume sessions. They do not pass through
    // `keepAnswers`, so add their cost from the ledger of the test case.
    const ledger = await openLedger(paths.value.commonDir, false).all();
    const probeEntries = (ledger.ok ? ledger.value.entries : []).filter((entry) => entry.kind === 'probe');
    for (const probe of probeEntries.slice(probes)) paid({ ...probe, isResumed: false });
    probes = probeEntries.length;
    if (ports.isStopped()) return ok({ kind: 'stopped' });
    if (!ran.ok) return ran;
    last = ran.value;
  }
  if (last === null) return ok({ kind: 'not-playable', why: 'it has no change' });
  const results = caseResults(task, { last, entries }, originalIds);
  return ok(results.length === 0 ? { kind: 'no-verdict', outcome: last } : { kind: 'played', results });
}

/** If git cannot create the branch of a test case, leaves out the case; any other failure ends `onceover prove`. */
function unlessGitFailed(failure: Failure): Result<PlayedTask> {
  if (failure.kind !== 'git-failed') return err(failure);
  return ok({ kind: 'not-playable', why: failure.said.split('\n')[0] ?? '' });
}

const CAPABILITIES = ['capabilities.json', 'versions.json'];

// Finding out whether an agent can resume sessions costs paid calls, so do it once and copy the result to all test
// cases.
function carryCapabilities(from: string, to: string): void {
  for (const name of CAPABILITIES) {
    tryDisk('write', to, () => {
      mkdirSync(join(to, 'onceover'), { recursive: true });
      copyFileSync(join(from, 'onceover', name), join(to, 'onceover', name));
    });
  }
}

/** Returns why a test case is not used; `null` if the project's checks pass both with and without the edit. */
async function passesChecks(
  { case: proofCase }: ProofTask,
  repository: CaseRepository,
  config: ProofConfig,
  ports: PlayPorts,
): Promise<Result<PlayedTask | null>> {
  const states = [proofCase.unedited ?? [], proofCase.rounds.at(-1)?.files ?? []] as const;
  const passes: boolean[] = [];
  for (const files of states) {
    const isEdited = passes.length > 0;
    const ran = await checksPass({ base: proofCase.base, files, isEdited }, repository, config, ports);
    if (!ran.ok) return ran;
    if (ports.stop.aborted) return ok({ kind: 'stopped' });
    passes.push(ran.value);
    if (!ran.value) break;
  }
  if (passes[0] !== true) return ok({ kind: 'checks-fail-anyway' });
  return ok(passes[1] === true ? null : { kind: 'caught-by-checks' });
}

async function checksPass(
  { base, files, isEdited }: Pick<ProofCase, 'base'> & Pick<ProofRound, 'files'> & { readonly isEdited: boolean },
  repository: CaseRepository,
  { checks }: ProofConfig,
  { kept, folder, dependencies, stop }: PlayPorts,
): Promise<Result<boolean>> {
  const key = digestOf([base, files, checks]);
  const keptResult = kept.checksPass(key);
  if (keptResult !== null) return ok(keptResult);
  const writeResult = repository.write(files);
  if (!writeResult.ok) return writeResult;
  const moveResult = moveDependencies(dependencies, folder, repository.root);
  if (!moveResult.ok) return moveResult;
  let pass = true;
  for (const { command, timeoutSeconds } of checks) {
    const end = await openChecks(repository.root, process.env).run(command, { timeoutSeconds, env: {}, stop });
    pass = end.ending === 'by-itself' && end.exitCode === 0;
    if (!pass) break;
  }
  const back = moveDependencies(dependencies, repository.root, folder);
  if (!back.ok) return back;
  // If the checks fail without the edit, a package may be missing. Do not store this result, so that the next run of
  // `onceover prove` tries again.
  if (!stop.aborted && (pass || isEdited)) kept.keepChecks(key, pass);
  return ok(pass);
}
