import { placeOf } from './app/ahead.ts';
import type { Cleaned } from './app/clean.ts';
import type { Cost, CostOptions } from './app/cost.ts';
import type { DemoOptions } from './app/demo.ts';
import type { DoctorOptions } from './app/doctor.ts';
import { type GivenFiles, toPaths } from './app/given-files.ts';
import type { SetUpWish } from './app/init.ts';
import { explainReviewId, instructions, rules } from './app/instructions.ts';
import type { PhaseWish } from './app/phase.ts';
import { openProject } from './app/project.ts';
import type { ReportFile, WrittenReports } from './app/reports.ts';
import type { Preview, RunOptions } from './app/run.ts';
import type { StartedPhase } from './app/started-phase.ts';
import type { StartedRun } from './app/started-run.ts';
import type { FinishWish, StartWish } from './app/workflow.ts';
import { loadSettings } from './config/load-settings.ts';
import { openParsedFiles } from './config/parsed-files.ts';
import { ACTIVE } from './domain/active.ts';
import type { ReviewId } from './domain/brand.ts';
import type { Place } from './domain/change.ts';
import type { DemoOutcome } from './domain/demo.ts';
import type { DoctorReport } from './domain/doctor.ts';
import type { ReviewExplanation, RunExplanation } from './domain/explanation.ts';
import type { KnownFinding, Resolution } from './domain/finding.ts';
import { USUAL_LOG_DIR } from './domain/generated.ts';
import type { LoopOutcome } from './domain/loop.ts';
import type { MarkReceipt } from './domain/pass.ts';
import type { PhaseName } from './domain/phase.ts';
import type { PhaseOutcome, PhasePlan } from './domain/phase-run.ts';
import type { Reporter } from './domain/ports.ts';
import type { Removal } from './domain/removal.ts';
import { done, failed, type Result } from './domain/result.ts';
import type { RunOutcome } from './domain/run.ts';
import type { SetUpOutcome } from './domain/set-up.ts';
import { SETTINGS_FILE } from './domain/settings.ts';
import type { Waiting } from './domain/waiting.ts';
import type { SessionId, WorkflowSession } from './domain/workflow.ts';
import type { OfferedWorkflows, StepEnd, WorkflowStart } from './domain/workflow-outcome.ts';
import { findPlace } from './io/place.ts';
import { openRepository } from './io/repository.ts';
import { diskFiles } from './io/text-files.ts';
import { checkReviewId } from './plan/review-id.ts';
import { openPasses } from './stores/passes.ts';
import { version } from './version.ts';

export { type GivenFiles, instructions, rules };

/** What there is to say of a name that somebody asked about. */
export type Explanation =
  | { readonly about: 'run'; readonly explanation: RunExplanation }
  | { readonly about: 'review'; readonly explanation: ReviewExplanation };

/** Marks a review as passed. */
export async function pass(
  cwd: string,
  id: string,
  by: MarkReceipt['by'],
): Promise<Result<{ readonly id: ReviewId; readonly vouched: boolean }>> {
  const why = checkReviewId(id);
  if (why !== null) return failed({ kind: 'bad-review-id', id, why });
  const place = await findPlace(cwd);
  if (!place.ok) return place;
  const marked = await openPasses(place.value).mark(id as ReviewId, by, new Date());
  return marked.ok ? done({ id: id as ReviewId, vouched: marked.value.vouched }) : marked;
}

/** Why a gate, slot, finding or review stands as it does. */
export async function explain(
  cwd: string,
  name: string,
  options: { readonly base: string | null },
): Promise<Result<Explanation>> {
  const place = await findPlace(cwd);
  if (!place.ok) return place;
  const { explainRun } = await import('./app/explain.ts');
  const run = await explainRun(place.value, name, options.base);
  if (run.ok && run.value !== null) return done({ about: 'run', explanation: run.value });
  const review = await explainReviewId(cwd, name, options.base);
  if (review.ok) return done({ about: 'review', explanation: review.value });
  return run.ok || review.failure.kind !== 'unknown-subject' ? review : run;
}

/** Writes what is asked for and not there yet. */
export async function init(cwd: string, options: SetUpWish): Promise<Result<SetUpOutcome>> {
  // It agrees to what it finds, so nothing is written where that is refused.
  if (process.env[ACTIVE] !== undefined) return failed({ kind: 'agreed-inside-a-run' });
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const { setUpProject } = await import('./app/init.ts');
  const outcome = await setUpProject(project.value, options);
  const isWritten =
    outcome.ok && outcome.value.steps.some(({ path, added }) => path === SETTINGS_FILE && added !== null);
  if (!outcome.ok || !(isWritten || options.hook !== null)) return outcome;
  // Whoever sets it up has agreed to it.
  const trusted = await trust(cwd);
  return trusted.ok ? outcome : trusted;
}

/** Takes away what onceover has written here, or only tells it. */
export async function removeSetUp(cwd: string, options: { readonly isDone: boolean }): Promise<Result<Removal>> {
  const [place, { removeProject }] = await Promise.all([placeOf(cwd), import('./app/remove.ts')]);
  if (!place.ok) return place;
  const files = diskFiles(place.value.root);
  const parsed = openParsedFiles(place.value.commonDir, version);
  const settings = await loadSettings(files, parsed);
  // Whoever wants to be rid of it need not mend its settings first.
  const logDir = settings.ok ? settings.value.logDir : USUAL_LOG_DIR;
  return removeProject({ place: place.value, repository: openRepository(place.value), logDir }, options);
}

/** Which agents are here and what they can do; with `resume`, whether they can be resumed is found out by trying. */
export async function doctor(cwd: string, options: DoctorOptions): Promise<Result<DoctorReport>> {
  return (await import('./app/doctor.ts')).doctor(cwd, options);
}

/** What a run is asked for, in the words of the command line. */
export type RunWish = {
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
  readonly reporter: Reporter;
  readonly stop: AbortSignal | null;
};

/** Runs the gates. */
export async function run(cwd: string, wish: RunWish): Promise<Result<RunOutcome>> {
  const [place, { run: runGates }] = await Promise.all([placeOf(cwd), import('./app/run.ts')]);
  if (!place.ok) return place;
  const options = toOptions(place.value, wish);
  return options.ok ? runGates(place.value, options.value) : options;
}

/** Runs the gates and has a fixer mend what they find, until they hold or it is no use. */
export async function runUntilPass(
  cwd: string,
  wish: RunWish & { readonly fixer: string; readonly mostIterations: number | null; readonly ratchet: boolean },
): Promise<Result<LoopOutcome>> {
  const [place, { runUntilPass: runLoop }] = await Promise.all([placeOf(cwd), import('./app/run.ts')]);
  if (!place.ok) return place;
  const options = toOptions(place.value, wish);
  const { fixer, mostIterations, ratchet } = wish;
  return options.ok ? runLoop(place.value, options.value, { fixer, mostIterations, ratchet }) : options;
}

/** What a run would do, or what stands; nothing is run and nothing is written. */
export async function preview(cwd: string, wish: RunWish): Promise<Result<Preview>> {
  const [place, { preview: previewGates }] = await Promise.all([placeOf(cwd), import('./app/run.ts')]);
  if (!place.ok) return place;
  const options = toOptions(place.value, wish);
  return options.ok ? previewGates(place.value, options.value) : options;
}

export type { PhaseWish };

/** Plays a phase: reviews a feature's document or its code, in loops. */
export async function phase(cwd: string, wish: PhaseWish): Promise<Result<PhaseOutcome>> {
  const [place, { playWish }] = await Promise.all([placeOf(cwd), import('./app/phase.ts')]);
  return place.ok ? playWish(place.value, wish) : place;
}

/** What a phase would do next; nobody is asked and nothing is written. */
export async function previewPhase(cwd: string, wish: PhaseWish): Promise<Result<PhasePlan>> {
  const [place, { previewWish }] = await Promise.all([placeOf(cwd), import('./app/phase.ts')]);
  return place.ok ? previewWish(place.value, wish) : place;
}

/** Writes reports of a run that has ended. */
export async function writeReports(cwd: string, files: readonly ReportFile[]): Promise<WrittenReports> {
  const { writeReports: write } = await import('./app/reports.ts');
  return write(cwd, files);
}

/** Adds a report to a file that others add to as well. */
export async function appendReport(path: string, text: string): Promise<Result<void>> {
  const { appendReport: append } = await import('./app/reports.ts');
  return append(path, text);
}

/** What a person or an agent says of a finding: that it is fixed, or why it is left. */
export async function resolve(
  cwd: string,
  id: string,
  word: { readonly how: 'fixed' | 'skipped'; readonly why: string },
): Promise<Result<{ readonly finding: KnownFinding; readonly resolution: Resolution }>> {
  const [place, { resolveFinding }] = await Promise.all([placeOf(cwd), import('./app/findings.ts')]);
  return place.ok ? resolveFinding(place.value, id, word) : place;
}

/** Plays real runs in a temporary repository, with scripted reviewers. */
export async function playDemo(options: DemoOptions): Promise<Result<DemoOutcome>> {
  return (await import('./app/demo.ts')).playDemo(options);
}

/** The mistakes that are planted there. */
export async function demoMistakes() {
  return (await import('./demo/project.ts')).PLANTED;
}

/** Answers a prompt as a scripted reviewer of the demo. */
export async function answerAsReviewer(name: string, prompt: string, session: string | null) {
  return (await import('./app/demo-reviewer.ts')).answerAsReviewer(name, prompt, session);
}

/** Archives the records. */
export async function clean(cwd: string): Promise<Result<Cleaned>> {
  const [place, { clean: cleanRecords }] = await Promise.all([placeOf(cwd), import('./app/clean.ts')]);
  return place.ok ? cleanRecords(place.value) : place;
}

/** What the runs of this clone cost, and what they were spared. */
export async function cost(cwd: string, options: CostOptions): Promise<Result<Cost>> {
  const [place, { cost: costOf }] = await Promise.all([placeOf(cwd), import('./app/cost.ts')]);
  return place.ok ? costOf(place.value, options) : place;
}

/** Agrees to the commands of the configuration in this clone, and tells them. */
export async function trust(cwd: string): Promise<Result<readonly string[]>> {
  const [place, { trustConfig }] = await Promise.all([placeOf(cwd), import('./app/run.ts')]);
  return place.ok ? trustConfig(place.value) : place;
}

/** Puts the stop hook of this clone to sleep for so many minutes; for none, it is woken. */
export async function snoozeHook(cwd: string, minutes: number): Promise<Result<Date | null>> {
  const [place, { snooze }] = await Promise.all([placeOf(cwd), import('./stores/snooze.ts')]);
  if (!place.ok) return place;
  const until = minutes === 0 ? null : Date.now() + minutes * 60_000;
  const kept = snooze(place.value.commonDir, until);
  return kept.ok ? done(until === null ? null : new Date(until)) : kept;
}

/** Starts a run that outlives whoever asked for it. */
export async function startRun(
  cwd: string,
  wish: { readonly paths: readonly string[]; readonly gate: string | null },
): Promise<Result<StartedRun>> {
  const [place, { startRun: start }] = await Promise.all([placeOf(cwd), import('./app/started-run.ts')]);
  return place.ok ? start(place.value, wish) : place;
}

/** How far a started run is; without an id, the newest. */
export async function getRun(cwd: string, id: string | null, waiting: Waiting): Promise<Result<StartedRun>> {
  const [place, { getRun: get }] = await Promise.all([placeOf(cwd), import('./app/started-run.ts')]);
  return place.ok ? get(place.value, id, waiting) : place;
}

/** Begins a phase that outlives whoever asked for it, or goes on with one; waits for the end of the round for a while. */
export async function startPhase(
  cwd: string,
  wish: { readonly phase: PhaseName; readonly feature: string },
  waiting: Waiting,
): Promise<Result<StartedPhase>> {
  const [place, { startPhase: start }] = await Promise.all([placeOf(cwd), import('./app/started-phase.ts')]);
  return place.ok ? start(place.value, wish, waiting) : place;
}

/** Tells a loop what was done about its issues, and waits for its next round; without a summary, for the one that is going on. */
export async function continuePhase(
  cwd: string,
  told: { readonly loopId: string; readonly summary: string | null },
  waiting: Waiting,
): Promise<Result<StartedPhase>> {
  const [place, { continuePhase: goOn }] = await Promise.all([placeOf(cwd), import('./app/started-phase.ts')]);
  return place.ok ? goOn(place.value, told, waiting) : place;
}

export type { FinishWish, StartWish };

/** The jobs of the repository with their workflows, and the sessions in which somebody works through one. */
export async function workflows(cwd: string): Promise<Result<OfferedWorkflows>> {
  const [place, { listWorkflows }] = await Promise.all([placeOf(cwd), import('./app/workflow.ts')]);
  return place.ok ? listWorkflows(place.value) : place;
}

/** Begins a workflow. */
export async function startWorkflow(cwd: string, wish: StartWish): Promise<Result<WorkflowStart>> {
  const [place, { start }] = await Promise.all([placeOf(cwd), import('./app/workflow.ts')]);
  return place.ok ? start(place.value, wish) : place;
}

/** Says that a step of a workflow is finished: its outputs are checked and judged, and what is next is told. */
export async function finishStep(cwd: string, wish: FinishWish): Promise<Result<StepEnd>> {
  const [place, { finish }] = await Promise.all([placeOf(cwd), import('./app/workflow.ts')]);
  return place.ok ? finish(place.value, wish) : place;
}

/** Ends a workflow that nobody goes on with. */
export async function abortWorkflow(
  cwd: string,
  wish: { readonly named: string | null; readonly own: SessionId | null; readonly explanation: string },
): Promise<Result<WorkflowSession>> {
  const [place, { abort }] = await Promise.all([placeOf(cwd), import('./app/workflow.ts')]);
  return place.ok ? abort(place.value, wish) : place;
}

function toOptions(place: Place, wish: RunWish): Result<RunOptions> {
  const { selection } = wish;
  const paths = toPaths(place, { names: wish.paths, source: 'arguments' });
  if (!paths.ok) return paths;
  const options = { ...wish, paths: paths.value.listed ?? [] };
  if (selection.kind !== 'files') return done({ ...options, selection });
  const named = toPaths(place, selection.files);
  if (!named.ok) return named;
  const files = named.value.listed ?? [];
  return done({ ...options, selection: { kind: 'files', files, base: selection.base } });
}
