import type { RepoPath, ReviewId } from '@onceover/base/kernel/ids';
import { DEFAULT_LOG_DIR } from '@onceover/base/kernel/paths';
import { ACTIVE } from '@onceover/base/kernel/ports';
import type { RepositoryPaths, Selection } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { version } from '@onceover/base/version';
import type { PublishedRun } from '@onceover/forges/describe-summary';
import type { PublishWish } from '@onceover/forges/open-publish';
import type { PublishOutcome } from '@onceover/forges/publish';
import type { RunExplanation } from '@onceover/gates/explain/json';
import { explainReviewId } from '@onceover/gates/rules/explain';
import { instructions, rules } from '@onceover/gates/rules/instructions';
import { openProject } from '@onceover/gates/rules/load';
import { openPasses } from '@onceover/gates/rules/passes';
import { checkReviewId } from '@onceover/gates/rules/review-id';
import { type GivenFiles, toPaths } from '@onceover/gates/rules/select-files';
import type { MarkReceipt, Notice, ReviewExplanation } from '@onceover/gates/rules/types';
import type { RunOptions } from '@onceover/gates/run/open-run';
import type { OpenGuard } from '@onceover/loops/phases/open-phase';
import type { PhaseOptions } from '@onceover/loops/phases/run-types';
import type { OfferedWorkflows } from '@onceover/loops/workflows/types';
import { patternsIn } from '@onceover/repo/config/protected-paths';
import { loadSettings, openParsedFiles } from '@onceover/repo/config/read-file';
import { SETTINGS_FILE } from '@onceover/repo/config/settings';
import { findRepository, repositoryAt } from '@onceover/repo/git/locate';
import { openRepository } from '@onceover/repo/git/repository';
import { diskFiles } from '@onceover/repo/git/tree-files';
import { userConfigPath } from '@onceover/store/has-store';
import { noTeamPackage } from '@onceover/store/in-store';
import type { WorkerOptions } from '@onceover/team/worker/types';
import { sharedReporter } from '@onceover/web/progress/share';
import type { PageSubject } from '@onceover/web/read';
import { passedInRuns } from './passed-tasks.ts';
import type { DoctorOptions } from './setup/doctor.ts';
import type { SetupOptions } from './setup/init.ts';
import type { DoctorReport, SetupOutcome } from './setup/types.ts';

export type { PhaseOptions };
export { type GivenFiles, instructions, rules };

/**
 * Returns a function whose first argument is a working directory. `load` loads the code while git locates the
 * repository.
 */
function inRepository<Args extends readonly unknown[], T>(
  load: () => Promise<(repository: RepositoryPaths, ...args: Args) => Promise<Result<T>> | Result<T>>,
): (cwd: string, ...args: Args) => Promise<Result<T>> {
  return async (cwd, ...args) => {
    const [repository, call] = await Promise.all([repositoryAt(cwd), load()]);
    return repository.ok ? call(repository.value, ...args) : repository;
  };
}

/** Marks the review with this id as passed. */
export async function pass(
  cwd: string,
  id: string,
  by: MarkReceipt['by'],
): Promise<Result<{ readonly id: ReviewId; readonly vouched: boolean }>> {
  const repository = await findRepository(cwd);
  const why = checkReviewId(id, repository.ok && openPasses(repository.value).isKnown(id));
  if (why !== null) return err({ kind: 'bad-review-id', id, why });
  if (!repository.ok) return repository;
  const receipt = await openPasses(repository.value).mark(id as ReviewId, by, new Date());
  return receipt.ok ? ok({ id: id as ReviewId, vouched: receipt.value.vouched }) : receipt;
}

/** An explanation of a gate, reviewer or finding (`run`), or of the review of a rule (`review`). */
type Explanation =
  | { readonly about: 'run'; readonly explanation: RunExplanation }
  | { readonly about: 'review'; readonly explanation: ReviewExplanation };

/** Returns an explanation of the state of a gate, a reviewer, a finding or a review. */
export async function explain(cwd: string, name: string, base: string | null): Promise<Result<Explanation>> {
  const repository = await findRepository(cwd);
  if (!repository.ok) return repository;
  const [{ explainRun }, { knownScores }] = await Promise.all([
    import('@onceover/gates/explain/explain'),
    import('@onceover/prove/known-proofs'),
  ]);
  const run = await explainRun(repository.value, name, base, knownScores);
  if (run.ok && run.value !== null) return ok({ about: 'run', explanation: run.value });
  const review = await explainReviewId(cwd, name, { base, passedTasks: passedInRuns });
  if (review.ok) return ok({ about: 'review', explanation: review.value });
  return run.ok || review.failure.kind !== 'unknown-subject' ? review : run;
}

/**
 * Writes the requested set-up files. If it writes a new `onceover.yml` or a hook, it also approves the configured
 * commands.
 */
export async function init(cwd: string, options: SetupOptions): Promise<Result<SetupOutcome>> {
  // Commands cannot be approved inside a run. Check this before anything is written.
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'agreed-inside-a-run' });
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const { setupProject } = await import('./setup/init.ts');
  const outcome = await setupProject(project.value, options);
  const wroteSettings =
    outcome.ok && outcome.value.steps.some(({ path, added }) => path === SETTINGS_FILE && added !== null);
  if (!outcome.ok || !(wroteSettings || options.hook !== null)) return outcome;
  const trustResult = await trust(cwd);
  return trustResult.ok ? outcome : trustResult;
}

/** Removes the files that onceover wrote in this repository. With `dryRun`, only lists them. */
export const removeSetUp = inRepository(async () => {
  const { removeProject } = await import('./setup/remove.ts');
  return async (repository, options: { readonly dryRun: boolean }) => {
    const settings = await loadSettings(diskFiles(repository.root), openParsedFiles(repository.commonDir, version));
    // Removing must work even if the settings cannot be read. In that case, use the default folder.
    const logDir = settings.ok ? settings.value.logDir : DEFAULT_LOG_DIR;
    return removeProject({ place: repository, repository: openRepository(repository), logDir }, options);
  };
});

/** Returns the agents with their abilities. With `resume`, first tests whether they can resume a session. */
export async function doctor(cwd: string, options: DoctorOptions): Promise<Result<DoctorReport>> {
  return (await import('./setup/doctor.ts')).doctor(cwd, options);
}

/** The number of gates, rules and jobs in a repository's configuration, and the problems in it. */
export type CheckedConfig = {
  readonly gates: number;
  readonly rules: number;
  readonly jobs: number;
  readonly missingPrompts: readonly RepoPath[];
  /** Patterns of `passes.never_for` that match no file, so that no pass of another clone counts. */
  readonly idlePatterns: readonly string[];
  /** Settings of older versions that no longer have an effect. */
  readonly ignored: readonly string[];
  /** Items of `gates` that match no file. */
  readonly idlePaths: readonly string[];
  /** Problems with rule files. */
  readonly notices: readonly Notice[];
  readonly offered: OfferedWorkflows;
};

/** Reads and checks every configuration file of the repository. Runs nothing. */
export async function checkConfig(cwd: string): Promise<Result<CheckedConfig>> {
  const repository = await repositoryAt(cwd);
  if (!repository.ok) return repository;
  const { root, commonDir } = repository.value;
  const files = diskFiles(root);
  const settings = await loadSettings(files, openParsedFiles(commonDir, version));
  if (!settings.ok) return settings;
  const [ruleList, workflowList, fileList] = await Promise.all([
    rules(cwd, null),
    workflows(cwd),
    openRepository(repository.value).listing(),
  ]);
  if (!ruleList.ok) return ruleList;
  if (!workflowList.ok) return workflowList;
  if (!fileList.ok) return fileList;
  const { loadRoles } = await import('@onceover/loops/phases/roles/load');
  const roles = await loadRoles(files, fileList.value.listing);
  if (!roles.ok) return roles;
  const { gates } = settings.value;
  const prompts = gates.flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => prompt));
  const contents = (await import('@onceover/repo/git/working-files')).openContents(root);
  const states = await Promise.all(prompts.map((prompt) => contents.exists(prompt)));
  const { matchesEntry } = await import('@onceover/gates/run/decide/gate-list');
  const { tracked, leftOut = [], untracked, nested } = fileList.value.listing;
  const hasFile = patternsIn([...tracked, ...untracked, ...fileList.value.deleted]);
  const paths = [...tracked, ...leftOut, ...untracked, ...nested];
  return ok({
    idlePatterns: (settings.value.passes?.neverFor ?? []).filter((pattern) => !hasFile(pattern)),
    ignored: settings.value.ignored ?? [],
    gates: prompts.length + gates.reduce((sum, { checks }) => sum + Object.keys(checks).length, 0),
    rules: ruleList.value.rules.length,
    jobs: workflowList.value.jobs.length,
    missingPrompts: prompts.filter((_, index) => states[index] !== 'file'),
    idlePaths: gates.filter((entry) => !matchesEntry(entry, paths)).map(({ path }) => path),
    notices: ruleList.value.notices,
    offered: workflowList.value,
  });
}

/** The user's choices for a run, with the flags of `onceover run` or the options of the library. */
export type RunWish = {
  readonly base?: string;
  readonly commit?: string;
  readonly uncommitted?: boolean;
  readonly force?: boolean;
  readonly fresh?: boolean;
  readonly all?: boolean;
  readonly allowUnconfigured?: boolean;
  /** `false`: ignore passes and waivers of other clones. */
  readonly accept?: boolean;
  /** `true`: share the passes of the run with other clones. */
  readonly share?: boolean;
  /** `true`: workers, other machines of the team, run the reviewers. If missing, the user's config file decides. */
  readonly remote?: boolean;
};

/** The options of a run, with paths and files as the user wrote them. */
export type RunRequestOptions = RunWish &
  Pick<RunOptions, 'gates' | 'startedBy' | 'reporter' | 'stop'> & {
    readonly paths: readonly string[];
    readonly files: GivenFiles | null;
  };

/** Runs the gates and returns the outcome. */
export const run = inRepository(async () => withOptions((await import('@onceover/gates/run/open-run')).runGates));

/** Publishes the result of a run on its pull request. `onceover run --json` wrote the result to the file at `path`. */
export async function publish(path: string, wish: PublishWish): Promise<Result<PublishOutcome>> {
  return (await import('@onceover/forges/open-publish')).publishFile(path, wish);
}

/**
 * Returns a function that publishes a result. Removes the token from the environment, so that checks cannot read it.
 */
export async function openPublication(
  wish: PublishWish,
): Promise<(run: PublishedRun) => Promise<Result<PublishOutcome>>> {
  const { publishResult, takeToken } = await import('@onceover/forges/open-publish');
  const token = takeToken(process.env);
  return (result) => publishResult(result, { ...wish, token });
}

/** Runs the gates and lets an agent fix the findings, until all gates pass or the loop makes no progress. */
export const runUntilPass = inRepository(async () =>
  withOptions((await import('@onceover/gates/fix-loop/until-pass')).runUntilPass),
);

/** Returns the current state of all gates, and what a run would do. Runs and writes nothing. */
export const preview = inRepository(async () =>
  withOptions((await import('@onceover/gates/run/open-run')).previewGates),
);

/**
 * Returns the state of all gates and findings, the results of the last tests of reviewers (`onceover prove`), and how
 * often a second review agreed with passes of other clones. Runs and writes nothing.
 */
export const status = inRepository(async () => {
  const { previewGates, READ_ONLY } = await import('@onceover/gates/run/open-run');
  const { knownProofs } = await import('@onceover/prove/known-proofs');
  return async (repository, base: string | null) => {
    const preview = await previewGates(repository, { ...READ_ONLY, selection: { kind: 'change', base } });
    if (!preview.ok) return preview;
    const { commonDir } = repository;
    const isShared = preview.value.request.settings.passes !== null;
    const agreement = isShared
      ? (await (await import('@onceover/gates/sharing/list')).acceptedSoFar(commonDir)).agreement
      : [];
    return ok({ ...preview.value, proofs: knownProofs(repository, preview.value), agreement });
  };
});

/**
 * Wraps `call` so that it takes paths as the user wrote them. They are converted to paths relative to the repository's
 * root.
 */
function withOptions<Args extends readonly unknown[], T>(
  call: (repository: RepositoryPaths, options: RunOptions, ...args: Args) => Promise<Result<T>>,
) {
  return async (repository: RepositoryPaths, request: RunRequestOptions, ...args: Args): Promise<Result<T>> => {
    const options = toOptions(repository, request);
    return options.ok ? call(repository, options.value, ...args) : options;
  };
}

/**
 * Returns the options of a run. By default it covers the whole change, and runs only checks and reviewers that have not
 * passed it.
 */
function toOptions(repository: RepositoryPaths, request: RunRequestOptions): Result<RunOptions> {
  const { gates, startedBy, reporter, stop, force = false, fresh = false, all = false } = request;
  const { accept = true, share = false, remote } = request;
  const paths = toPaths(repository, { names: request.paths, source: 'arguments' });
  if (!paths.ok) return paths;
  const selection = selectionOf(repository, request);
  if (!selection.ok) return selection;
  return ok({
    ...{ gates, startedBy, stop, force, fresh, all, accept, share },
    ...(remote === undefined ? {} : { remote }),
    reporter: sharedReporter(repository, reporter),
    allowUnconfigured: request.allowUnconfigured === true,
    paths: paths.value.listed ?? [],
    selection: selection.value,
  });
}

function selectionOf(repository: RepositoryPaths, request: RunRequestOptions): Result<Selection> {
  const { base = null, commit, uncommitted, files } = request;
  if (commit !== undefined) return ok({ kind: 'commit', commit });
  if (uncommitted === true) return ok({ kind: 'uncommitted' });
  if (files === null) return ok({ kind: 'change', base });
  const paths = toPaths(repository, files);
  return paths.ok ? ok({ kind: 'files', files: paths.value.listed ?? [], base }) : paths;
}

/** Runs a phase: reviews a feature's document or its code in loops. */
export const phase = inRepository(async () =>
  withGuard((await import('@onceover/loops/phases/open-phase')).openAndRunPhase),
);

/** Returns what a phase would do next. Runs and writes nothing. */
export const previewPhase = inRepository(async () =>
  withGuard((await import('@onceover/loops/phases/open-phase')).openAndPreviewPhase),
);

/**
 * Gives `call` a function that opens the guard of the files in which passes are recorded. The code of phases cannot open
 * this guard itself, because it must not import from `gates`.
 */
async function withGuard<T>(
  call: (repository: RepositoryPaths, options: PhaseOptions, openGuard: OpenGuard) => Promise<Result<T>>,
) {
  const { guardProof } = await import('@onceover/gates/run/record/proof-files');
  return (repository: RepositoryPaths, options: PhaseOptions) =>
    call(repository, { ...options, reporter: sharedReporter(repository, options.reporter) }, (logDir) =>
      guardProof(repository, logDir),
    );
}

/** Resolves a finding: marks it as fixed (its reviewer has to confirm that), waives it, or confirms a waiver. */
export const resolve = inRepository(async () => (await import('@onceover/gates/findings/resolve')).resolveFinding);

/** Resolves several findings in the same way, or none of them if one cannot be resolved. */
export const resolveAll = inRepository(async () => (await import('@onceover/gates/findings/resolve')).resolveFindings);

/** Archives the records of past runs, so that the next run is number 1. */
export const clean = inRepository(async () => (await import('@onceover/gates/run/clean')).clean);

/** Returns what the runs of this clone cost and saved. */
export const cost = inRepository(async () => (await import('@onceover/gates/cost/read')).cost);

/** Returns the passes of other clones, and whether they count for the current change. */
export const listPasses = inRepository(async () => (await import('@onceover/gates/sharing/list')).listPasses);

/** Gets the newest passes of other clones. */
export const fetchPasses = inRepository(async () => (await import('@onceover/gates/sharing/list')).fetchPasses);

/** Removes old passes for all clones. */
export const prunePasses = inRepository(async () => (await import('@onceover/gates/sharing/list')).prunePasses);

/** Shares the passes of this clone for the current change. */
export const pushPasses = inRepository(async () => (await import('@onceover/gates/sharing/verify')).pushPasses);

/** Verifies the signature of a file with a signed pass or waiver. */
export const verifyPassFile = inRepository(async () => (await import('@onceover/gates/sharing/verify')).verifyPassFile);

/**
 * Plans a proof, which tests the reviewers with planted mistakes: returns which mistakes it would use, and what it
 * would cost. Calls no agent.
 */
export const planProof = inRepository(async () => (await import('@onceover/prove/open-proof')).planProof);

/** Runs a proof, which lets the reviewers look for planted mistakes, and returns their scores. */
export const playProof = inRepository(async () => (await import('@onceover/prove/open-proof')).playPlannedProof);

/** Approves the commands of the configuration in this clone, and returns them. */
export const trust = inRepository(async () => (await import('@onceover/repo/trust/consent')).trustConfig);

/** Turns the stop hook of this clone off for some minutes, or on again. */
export const snoozeHook = inRepository(async () => (await import('@onceover/gates/stop-hook/check-gates')).snooze);

/** Starts a run in the background. It continues if the calling process ends. */
export const startRun = inRepository(async () => (await import('@onceover/gates/run/background-run')).startRun);

/** Returns the state of a background run; `id: null` means the newest run. */
export const getRun = inRepository(async () => (await import('@onceover/gates/run/background-run')).getRun);

/** Starts or continues a phase in the background, and waits some time for the end of its round of reviews. */
export const startPhase = inRepository(
  async () => (await import('@onceover/loops/phases/background-phase')).startPhaseRun,
);

/**
 * Continues a review loop: with a summary of the fixes, starts the next round of reviews. Waits some time for the
 * verdict.
 */
export const continuePhase = inRepository(
  async () => (await import('@onceover/loops/phases/background-phase')).continuePhaseRun,
);

/** Lists the jobs with their workflows, and all workflow sessions. */
export const workflows = inRepository(async () => (await import('@onceover/loops/workflows/workflows')).listWorkflows);

/** Starts a workflow and returns its first steps. */
export const startWorkflow = inRepository(
  async () => (await import('@onceover/loops/workflows/workflows')).startWorkflowRun,
);

/** Finishes a step of a workflow: checks and reviews its outputs, and returns the verdict or the next steps. */
export const finishStep = inRepository(
  async () => (await import('@onceover/loops/workflows/workflows')).finishWorkflowStepRun,
);

/** Ends a workflow before its last step. */
export const abortWorkflow = inRepository(
  async () => (await import('@onceover/loops/workflows/workflows')).abortWorkflowRun,
);

/** Returns an HTML file that shows the result of a run. */
export const runPage = inRepository(async () =>
  withOptions(async (repository, options, subject: PageSubject) =>
    (await import('@onceover/web/page')).reportPage(repository, options, subject),
  ),
);

/** Returns an HTML file that shows the current state of all gates. */
export const statusPage = inRepository(async () => {
  const [{ READ_ONLY }, { reportPage }] = await Promise.all([
    import('@onceover/gates/run/open-run'),
    import('@onceover/web/page'),
  ]);
  return (repository, base: string | null, subject: PageSubject) =>
    reportPage(repository, { ...READ_ONLY, selection: { kind: 'change', base } }, subject);
});

/** Returns an HTML file about something other than gates, such as the cost or a phase. */
export const recordsPage = inRepository(async () => {
  const { reportPage } = await import('@onceover/web/page');
  return (repository, subject: PageSubject) => reportPage(repository, null, subject);
});

/** Starts the server of the live view. Only programs on this machine can reach it. */
export const ui = inRepository(async () => (await import('@onceover/web/server')).startUi);

/** Runs reviewers for other clones, until `stop` is aborted. The user's own config file names the store of the team. */
export async function worker(options: WorkerOptions): Promise<Result<void>> {
  if (!ONCEOVER_TEAM) return err(noTeamPackage().failure);
  const { readUserConfig } = await import('@onceover/store/user-config');
  const config = readUserConfig(process.env);
  if (!config.ok) return config;
  const { store } = config.value;
  if (store === null)
    return err({ kind: 'store-failed', where: userConfigPath(process.env), why: 'no-address', said: '' });
  return (await import('@onceover/team/worker/run-worker')).runWorker(store, options);
}
