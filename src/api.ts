import { loadSettings, openParsedFiles } from './config/read-file.ts';
import { SETTINGS_FILE } from './config/settings.ts';
import type { Cost, CostOptions } from './cost/read.ts';
import type { DemoOptions } from './demo/play.ts';
import type { DemoOutcome } from './demo/project.ts';
import type { RunExplanation } from './explain/types.ts';
import type { StartedRun } from './gates/background-run.ts';
import type { Preview, RunOptions } from './gates/open-run.ts';
import type { RunProgress } from './gates/progress.ts';
import type { Cleaned, LoopOutcome, RunOutcome } from './gates/run-types.ts';
import type { KnownFinding, Resolution } from './gates/types.ts';
import { findRepository, repositoryAt } from './git/locate.ts';
import { openRepository } from './git/repository.ts';
import { diskFiles } from './git/tree-files.ts';
import type { RepoPath, ReviewId, SessionId } from './kernel/ids.ts';
import { DEFAULT_LOG_DIR } from './kernel/paths.ts';
import { ACTIVE, type ReporterOf, type WaitOptions } from './kernel/ports.ts';
import type { RepositoryPaths } from './kernel/repository.ts';
import { err, ok, type Result } from './kernel/result.ts';
import type { PhaseName } from './kernel/review-loops.ts';
import type { StartedPhase } from './phases/background-phase.ts';
import type { PhaseOptions } from './phases/open-phase.ts';
import type { PhaseOutcome, PhasePlan } from './phases/run-types.ts';
import type { ReportFile, WrittenReports } from './reports/write.ts';
import { explainReviewId, instructions, rules } from './rules/instructions.ts';
import { openProject } from './rules/load.ts';
import { checkReviewId } from './rules/review-id.ts';
import { type GivenFiles, toPaths } from './rules/select-files.ts';
import { openPasses } from './rules/store.ts';
import type { MarkReceipt, Notice, ReviewExplanation } from './rules/types.ts';
import type { DoctorOptions } from './setup/doctor.ts';
import type { SetupOptions } from './setup/init.ts';
import type { DoctorReport, Removal, SetupOutcome } from './setup/types.ts';
import { version } from './version.ts';
import type { OfferedWorkflows, StepEnd, WorkflowSession, WorkflowStart } from './workflows/types.ts';
import type { FinishStepOptions, StartWorkflowOptions } from './workflows/workflows.ts';

export type { PhaseOptions };
export { type GivenFiles, instructions, rules };

/** Finds the repository while the code of a capability loads, then calls it. */
async function inRepository<M, T>(
  cwd: string,
  load: Promise<M>,
  call: (repository: RepositoryPaths, capability: M) => Promise<Result<T>> | Result<T>,
): Promise<Result<T>> {
  const [repository, capability] = await Promise.all([repositoryAt(cwd), load]);
  return repository.ok ? call(repository.value, capability) : repository;
}

/** Marks a review as passed. */
export async function pass(
  cwd: string,
  id: string,
  by: MarkReceipt['by'],
): Promise<Result<{ readonly id: ReviewId; readonly vouched: boolean }>> {
  const why = checkReviewId(id);
  if (why !== null) return err({ kind: 'bad-review-id', id, why });
  const repository = await findRepository(cwd);
  if (!repository.ok) return repository;
  const marked = await openPasses(repository.value).mark(id as ReviewId, by, new Date());
  return marked.ok ? ok({ id: id as ReviewId, vouched: marked.value.vouched }) : marked;
}

/** The explanation of a gate, reviewer or finding (`run`), or of a rule's review (`review`). */
export type Explanation =
  | { readonly about: 'run'; readonly explanation: RunExplanation }
  | { readonly about: 'review'; readonly explanation: ReviewExplanation };

/** Explains the state of a gate, a reviewer, a finding or a review. */
export async function explain(
  cwd: string,
  name: string,
  options: { readonly base: string | null },
): Promise<Result<Explanation>> {
  const repository = await findRepository(cwd);
  if (!repository.ok) return repository;
  const { explainRun } = await import('./explain/explain.ts');
  const run = await explainRun(repository.value, name, options.base);
  if (run.ok && run.value !== null) return ok({ about: 'run', explanation: run.value });
  const review = await explainReviewId(cwd, name, options.base);
  if (review.ok) return ok({ about: 'review', explanation: review.value });
  return run.ok || review.failure.kind !== 'unknown-subject' ? review : run;
}

/** Writes the requested set-up files that do not exist yet. */
export async function init(cwd: string, options: SetupOptions): Promise<Result<SetupOutcome>> {
  // `init` also records consent to the commands. That is refused inside a run, so check before anything is written.
  if (process.env[ACTIVE] !== undefined) return err({ kind: 'agreed-inside-a-run' });
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const { setupProject } = await import('./setup/init.ts');
  const outcome = await setupProject(project.value, options);
  const wroteSettings =
    outcome.ok && outcome.value.steps.some(({ path, added }) => path === SETTINGS_FILE && added !== null);
  if (!outcome.ok || !(wroteSettings || options.hook !== null)) return outcome;
  const trusted = await trust(cwd);
  return trusted.ok ? outcome : trusted;
}

/** Removes what onceover wrote in this repository. With `isDone: false` it only lists those files. */
export function removeSetUp(cwd: string, options: { readonly isDone: boolean }): Promise<Result<Removal>> {
  return inRepository(cwd, import('./setup/remove.ts'), async (repository, { removeProject }) => {
    const parsed = openParsedFiles(repository.commonDir, version);
    const settings = await loadSettings(diskFiles(repository.root), parsed);
    // Removing must work with broken settings too.
    const logDir = settings.ok ? settings.value.logDir : DEFAULT_LOG_DIR;
    return removeProject({ place: repository, repository: openRepository(repository), logDir }, options);
  });
}

/** Lists the agents with their abilities; `resume` probes whether they can be resumed. */
export async function doctor(cwd: string, options: DoctorOptions): Promise<Result<DoctorReport>> {
  return (await import('./setup/doctor.ts')).doctor(cwd, options);
}

/** The configuration of a repository, as far as it could be read. */
export type CheckedConfig = {
  readonly gates: number;
  readonly rules: number;
  readonly jobs: number;
  readonly missingPrompts: readonly RepoPath[];
  /** Broken or suspicious rule files. */
  readonly notices: readonly Notice[];
  readonly offered: OfferedWorkflows;
};

/** Reads every configuration file of the repository. Runs nothing. */
export function checkConfig(cwd: string): Promise<Result<CheckedConfig>> {
  return inRepository(cwd, import('./git/working-files.ts'), async (repository, { openContents }) => {
    const files = diskFiles(repository.root);
    const settings = await loadSettings(files, openParsedFiles(repository.commonDir, version));
    if (!settings.ok) return settings;
    const [found, offered, listed] = await Promise.all([
      rules(cwd, null),
      workflows(cwd),
      openRepository(repository).listing(),
    ]);
    if (!found.ok) return found;
    if (!offered.ok) return offered;
    if (!listed.ok) return listed;
    const { loadRoles, BUILT_IN_ROLES } = await import('./phases/roles/load.ts');
    const roles = await loadRoles(files, listed.value.listing, BUILT_IN_ROLES);
    if (!roles.ok) return roles;
    const { gates } = settings.value;
    const prompts = gates.flatMap(({ reviews }) => Object.values(reviews).map(({ prompt }) => prompt));
    const contents = openContents(repository.root);
    const states = await Promise.all(prompts.map((prompt) => contents.exists(prompt)));
    return ok({
      gates: prompts.length + gates.reduce((sum, { checks }) => sum + Object.keys(checks).length, 0),
      rules: found.value.rules.length,
      jobs: offered.value.jobs.length,
      missingPrompts: prompts.filter((_, index) => states[index] !== 'file'),
      notices: found.value.notices,
      offered: offered.value,
    });
  });
}

/** A run as the command line requests it. */
export type RunRequestOptions = {
  readonly selection:
    | { readonly kind: 'change'; readonly base: string | null }
    | { readonly kind: 'uncommitted' }
    | { readonly kind: 'commit'; readonly commit: string }
    | { readonly kind: 'files'; readonly files: GivenFiles; readonly base: string | null };
  readonly gates: readonly string[];
  readonly paths: readonly string[];
  readonly force: boolean;
  readonly fresh: boolean;
  readonly all: boolean;
  readonly startedBy: 'person' | 'agent';
  readonly reporter: ReporterOf<RunProgress>;
  readonly stop: AbortSignal | null;
};

/** Runs the gates. */
export function run(cwd: string, request: RunRequestOptions): Promise<Result<RunOutcome>> {
  return inRepository(cwd, import('./gates/open-run.ts'), (repository, { runGates }) => {
    const options = toOptions(repository, request);
    return options.ok ? runGates(repository, options.value) : options;
  });
}

/** Runs the gates and lets a fixer fix the findings, until all gates pass or the loop makes no progress. */
export function runUntilPass(
  cwd: string,
  request: RunRequestOptions & {
    readonly fixer: string;
    readonly mostIterations: number | null;
    readonly ratchet: boolean;
  },
): Promise<Result<LoopOutcome>> {
  return inRepository(cwd, import('./fix-loop/until-pass.ts'), (repository, { runUntilPass: runLoop }) => {
    const options = toOptions(repository, request);
    const { fixer, mostIterations, ratchet } = request;
    return options.ok ? runLoop(repository, options.value, { fixer, mostIterations, ratchet }) : options;
  });
}

/** Returns the current state and what a run would do. Runs and writes nothing. */
export function preview(cwd: string, request: RunRequestOptions): Promise<Result<Preview>> {
  return inRepository(cwd, import('./gates/open-run.ts'), (repository, { previewGates }) => {
    const options = toOptions(repository, request);
    return options.ok ? previewGates(repository, options.value) : options;
  });
}

/** Runs a phase: reviews a feature's document or its code in loops. */
export function phase(cwd: string, options: PhaseOptions): Promise<Result<PhaseOutcome>> {
  return inRepository(cwd, phaseModules(), (repository, { openAndRunPhase, guardProof }) =>
    openAndRunPhase(repository, options, (logDir) => guardProof(repository, logDir)),
  );
}

/** Returns what a phase would do next. Runs and writes nothing. */
export function previewPhase(cwd: string, options: PhaseOptions): Promise<Result<PhasePlan>> {
  return inRepository(cwd, phaseModules(), (repository, { openAndPreviewPhase, guardProof }) =>
    openAndPreviewPhase(repository, options, (logDir) => guardProof(repository, logDir)),
  );
}

/** Loads phases with the guard for the files that passes are read from; phases do not know gates. */
async function phaseModules() {
  const [phases, { guardProof }] = await Promise.all([
    import('./phases/open-phase.ts'),
    import('./gates/record/proof-files.ts'),
  ]);
  return { ...phases, guardProof };
}

/** Writes the reports of a finished run. */
export async function writeReports(cwd: string, files: readonly ReportFile[]): Promise<WrittenReports> {
  const { writeReports: write } = await import('./reports/write.ts');
  return write(cwd, files);
}

/** Appends a report to a file that other programs append to as well. */
export async function appendReport(path: string, text: string): Promise<Result<void>> {
  const { appendReport: append } = await import('./reports/write.ts');
  return append(path, text);
}

/** Records that a finding is claimed to be fixed, or waived with a reason. */
export function resolve(
  cwd: string,
  id: string,
  word: { readonly how: 'fixed' | 'skipped'; readonly why: string },
): Promise<Result<{ readonly finding: KnownFinding; readonly resolution: Resolution }>> {
  return inRepository(cwd, import('./gates/resolve.ts'), (repository, { resolveFinding }) =>
    resolveFinding(repository, id, word),
  );
}

/** Plays real runs in a temporary repository, with scripted reviewers. */
export async function playDemo(options: DemoOptions): Promise<Result<DemoOutcome>> {
  return (await import('./demo/play.ts')).playDemo(options);
}

/** Returns the bugs that the demo plants. */
export async function demoMistakes() {
  return (await import('./demo/project.ts')).PLANTED;
}

/** Answers a prompt as a scripted reviewer of the demo. */
export async function answerAsReviewer(name: string, prompt: string, session: string | null) {
  return (await import('./demo/reviewer.ts')).answerAsReviewer(name, prompt, session);
}

/** Archives the records. */
export function clean(cwd: string): Promise<Result<Cleaned>> {
  return inRepository(cwd, import('./gates/clean.ts'), (repository, records) => records.clean(repository));
}

/** Returns what the runs of this clone cost and saved. */
export function cost(cwd: string, options: CostOptions): Promise<Result<Cost>> {
  return inRepository(cwd, import('./cost/read.ts'), (repository, ledger) => ledger.cost(repository, options));
}

/** Approves the commands of the configuration in this clone, and returns them. */
export function trust(cwd: string): Promise<Result<readonly string[]>> {
  return inRepository(cwd, import('./trust/consent.ts'), (repository, { trustConfig }) => trustConfig(repository));
}

/** Turns the stop hook of this clone off for some minutes; 0 turns it on. Returns when it is on again. */
export function snoozeHook(cwd: string, minutes: number): Promise<Result<Date | null>> {
  return inRepository(cwd, import('./stop-hook/check-gates.ts'), ({ commonDir }, { snooze }) => {
    const until = minutes === 0 ? null : Date.now() + minutes * 60_000;
    const written = snooze(commonDir, until);
    return written.ok ? ok(until === null ? null : new Date(until)) : written;
  });
}

/** Starts a run in the background; it outlives the calling process. */
export function startRun(
  cwd: string,
  request: { readonly paths: readonly string[]; readonly gate: string | null },
): Promise<Result<StartedRun>> {
  return inRepository(cwd, import('./gates/background-run.ts'), (repository, background) =>
    background.startRun(repository, request),
  );
}

/** Returns the state of a background run; `id: null` means the newest. */
export function getRun(cwd: string, id: string | null, waiting: WaitOptions): Promise<Result<StartedRun>> {
  return inRepository(cwd, import('./gates/background-run.ts'), (repository, background) =>
    background.getRun(repository, id, waiting),
  );
}

/** Starts or continues a phase in the background, and waits some time for the end of its round. */
export function startPhase(
  cwd: string,
  request: { readonly phase: PhaseName; readonly feature: string },
  waiting: WaitOptions,
): Promise<Result<StartedPhase>> {
  return inRepository(cwd, import('./phases/background-phase.ts'), (repository, { startPhaseRun }) =>
    startPhaseRun(repository, request, waiting),
  );
}

/** Passes the fix summary to a loop and waits for its next round. Without a summary, waits for the current round. */
export function continuePhase(
  cwd: string,
  request: { readonly loopId: string; readonly summary: string | null },
  waiting: WaitOptions,
): Promise<Result<StartedPhase>> {
  return inRepository(cwd, import('./phases/background-phase.ts'), (repository, { continuePhaseRun }) =>
    continuePhaseRun(repository, request, waiting),
  );
}

const workflowModule = () => import('./workflows/workflows.ts');

/** Lists the jobs with their workflows, and the sessions of started workflows. */
export function workflows(cwd: string): Promise<Result<OfferedWorkflows>> {
  return inRepository(cwd, workflowModule(), (repository, { listWorkflows }) => listWorkflows(repository));
}

/** Starts a workflow. */
export function startWorkflow(cwd: string, options: StartWorkflowOptions): Promise<Result<WorkflowStart>> {
  return inRepository(cwd, workflowModule(), (repository, { startWorkflowRun }) =>
    startWorkflowRun(repository, options),
  );
}

/** Finishes a step of a workflow: checks and reviews its outputs, and returns the verdict or the next steps. */
export function finishStep(cwd: string, options: FinishStepOptions): Promise<Result<StepEnd>> {
  return inRepository(cwd, workflowModule(), (repository, { finishWorkflowStepRun }) =>
    finishWorkflowStepRun(repository, options),
  );
}

/** Ends a workflow before its last step. */
export function abortWorkflow(
  cwd: string,
  options: { readonly named: string | null; readonly own: SessionId | null; readonly explanation: string },
): Promise<Result<WorkflowSession>> {
  return inRepository(cwd, workflowModule(), (repository, { abortWorkflowRun }) =>
    abortWorkflowRun(repository, options),
  );
}

function toOptions(repository: RepositoryPaths, request: RunRequestOptions): Result<RunOptions> {
  const { selection } = request;
  const paths = toPaths(repository, { names: request.paths, source: 'arguments' });
  if (!paths.ok) return paths;
  const options = { ...request, paths: paths.value.listed ?? [] };
  if (selection.kind !== 'files') return ok({ ...options, selection });
  const named = toPaths(repository, selection.files);
  if (!named.ok) return named;
  const files = named.value.listed ?? [];
  return ok({ ...options, selection: { kind: 'files', files, base: selection.base } });
}
