import type { KnownAgent } from './agents/inspect.ts';
import { placeOf } from './app/ahead.ts';
import type { Cleaned } from './app/clean.ts';
import type { Cost, CostOptions } from './app/cost.ts';
import type { DemoOptions } from './app/demo.ts';
import type { SetUpWish } from './app/init.ts';
import type { PhaseWish } from './app/phase.ts';
import type { ReportFile, WrittenReports } from './app/reports.ts';
import type { Preview, RunOptions } from './app/run.ts';
import type { StartedPhase } from './app/started-phase.ts';
import type { StartedRun } from './app/started-run.ts';
import type { FinishWish, StartWish } from './app/workflow.ts';
import { loadRules } from './config/load-rules.ts';
import { loadSettings } from './config/load-settings.ts';
import { openParsedFiles, type ParsedFiles } from './config/parsed-files.ts';
import type { RepoPath, ReviewId } from './domain/brand.ts';
import type { Changes, Listing, Place } from './domain/change.ts';
import type { DemoOutcome } from './domain/demo.ts';
import type { DoctorReport } from './domain/doctor.ts';
import type { ReviewExplanation, RunExplanation } from './domain/explanation.ts';
import type { KnownFinding, Resolution } from './domain/finding.ts';
import { USUAL_LOG_DIR } from './domain/generated.ts';
import type { InstructionsOutcome, Notice } from './domain/instructions.ts';
import type { LoopOutcome } from './domain/loop.ts';
import type { MarkReceipt } from './domain/pass.ts';
import type { PhaseName } from './domain/phase.ts';
import type { PhaseOutcome, PhasePlan } from './domain/phase-run.ts';
import type { Capabilities, Reporter, Repository } from './domain/ports.ts';
import type { Removal } from './domain/removal.ts';
import { done, failed, type Result } from './domain/result.ts';
import type { Rule } from './domain/rule.ts';
import type { RunOutcome } from './domain/run.ts';
import type { SetUpOutcome } from './domain/set-up.ts';
import { SETTINGS_FILE, type Settings } from './domain/settings.ts';
import type { Waiting } from './domain/waiting.ts';
import type { SessionId, WorkflowSession } from './domain/workflow.ts';
import type { OfferedWorkflows, StepEnd, WorkflowStart } from './domain/workflow-outcome.ts';
import {
  type InstructionPorts,
  type InstructionsRequest,
  type PreparedInstructions,
  prepareInstructions,
  writeInstructions,
} from './execute/instructions.ts';
import { withoutChange } from './execute/select-files.ts';
import { openContents } from './io/contents.ts';
import { findPlace, gitVersion } from './io/place.ts';
import { openRepository } from './io/repository.ts';
import { diskFiles } from './io/text-files.ts';
import { isThere, type NameSource, userPath } from './io/user-path.ts';
import { explainReview } from './plan/explain-review.ts';
import { matchRules } from './plan/match.ts';
import { checkReviewId } from './plan/review-id.ts';
import { openInstructionFiles } from './stores/instruction-files.ts';
import { markerPath, openPasses } from './stores/passes.ts';
import { version } from './version.ts';

/** What there is to say of a name that somebody asked about. */
export type Explanation =
  | { readonly about: 'run'; readonly explanation: RunExplanation }
  | { readonly about: 'review'; readonly explanation: ReviewExplanation };

/** Names of files as they were given, and where from. */
export type GivenFiles = { readonly names: readonly string[]; readonly source: NameSource };

/** Writes the instruction files of all reviews that the change, or the given files, ask for. */
export async function instructions(
  cwd: string,
  options: { readonly files: GivenFiles | null; readonly base: string | null },
): Promise<Result<InstructionsOutcome>> {
  const prepared = await prepare(cwd, options);
  if (!prepared.ok) return prepared;
  return writeInstructions(prepared.value.ports, prepared.value.request, prepared.value.prepared);
}

/** The configured rules; with files, those that match one of them. A pass makes no difference. */
export async function rules(
  cwd: string,
  files: GivenFiles | null,
): Promise<Result<{ readonly rules: readonly Rule[]; readonly notices: readonly Notice[] }>> {
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const named = toPaths(project.value.place, files);
  if (!named.ok) return named;
  const there = await project.value.repository.listing();
  if (!there.ok) return there;
  const loaded = await rulesOf(project.value, there.value.listing);
  const notices = [...loaded.notices, ...named.value.notices];
  if (named.value.listed === null) return done({ rules: loaded.rules, notices });
  const matches = matchRules(loaded.rules, named.value.listed);
  return done({ rules: loaded.rules.filter((rule) => (matches.get(rule) ?? []).length > 0), notices });
}

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

async function explainReviewId(cwd: string, id: string, base: string | null): Promise<Result<ReviewExplanation>> {
  const prepared = await prepare(cwd, { files: null, base });
  if (!prepared.ok) return prepared;
  const { passes } = prepared.value.ports;
  const marked = await passes.marked();
  if (!marked.ok) return marked;
  const past = { passed: marked.value.ids.has(id), receipt: await passes.receipt(id as ReviewId) };
  const explanation = explainReview(id, prepared.value.prepared, past);
  return explanation === null ? failed({ kind: 'unknown-subject', name: id }) : done(explanation);
}

/** Writes what is asked for and not there yet. */
export async function init(cwd: string, options: SetUpWish): Promise<Result<SetUpOutcome>> {
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
export async function doctor(
  cwd: string,
  options: {
    /** Null: nothing is tried. 'all', or the name of an agent. */
    readonly resume: string | null;
    readonly signal: AbortSignal | null;
    tell?(agent: string): void;
  },
): Promise<Result<DoctorReport>> {
  const [agents, { findProgram }, { TESTED }, { openCapabilities }, { resumeAbility }] = await Promise.all([
    import('./agents/inspect.ts'),
    import('./agents/find.ts'),
    import('./agents/tested.ts'),
    import('./stores/capabilities.ts'),
    import('./plan/resume-ability.ts'),
  ]);
  // Outside a repository there are no settings, but there may be agents.
  const project = await openProject(cwd);
  if (!project.ok && project.failure.kind !== 'not-a-repository') return project;
  if (!project.ok && options.resume !== null) return project;
  const root = project.ok ? project.value.place.root : cwd;
  const known = agents.knownAgents(project.ok ? project.value.settings.agent : {}, process.env, root);
  const capabilities = project.ok ? openCapabilities(project.value.place.commonDir) : null;
  if (options.resume !== null && capabilities !== null) {
    const tried = await tryResume(known, { ...options, resume: options.resume }, capabilities, root);
    if (!tried.ok) return tried;
  }
  const probed = (await capabilities?.probed()) ?? [];
  const reports = await Promise.all(
    known.map((one) =>
      agents.reportAgent(one, root, (name, version) => resumeAbility({ name, version }, { probed, tested: TESTED })),
    ),
  );
  const git = await gitVersion(cwd);
  const bubblewrap = findProgram('bwrap', process.env['PATH'] ?? '', root);
  return done({ agents: reports, git, bubblewrap, node: process.versions.node });
}

async function tryResume(
  known: readonly KnownAgent[],
  options: { readonly resume: string; readonly signal: AbortSignal | null; tell?(agent: string): void },
  capabilities: Capabilities,
  root: string,
): Promise<Result<void>> {
  const [{ openProbe }, { programVersion }, { probeResume }, schemas] = await Promise.all([
    import('./agents/probe-ports.ts'),
    import('./agents/find.ts'),
    import('./execute/probe-resume.ts'),
    import('./prompt/answer-schema.ts'),
  ]);
  const named = known.filter(({ agent }) => options.resume === 'all' || agent.name === options.resume);
  if (named.length === 0)
    return failed({ kind: 'unknown-agent', name: options.resume, known: known.map((one) => one.agent.name) });
  const schema = schemas.answerSchema('probe');
  for (const one of named) {
    const { program } = one;
    // A command's "resume: true" is its owner's word; trying it would cost what only they know.
    if (program === null || one.settings?.command != null) continue;
    options.tell?.(one.agent.name);
    const version = (await programVersion(program, one.env, root)) ?? 'unknown';
    const probe = openProbe(
      { ...one, program },
      { schema, strictSchema: schemas.strictSchema(schema) },
      { signal: options.signal },
    );
    try {
      const outcome = await probeResume(one.agent.name, version, probe);
      if (outcome.kind === 'not-tried')
        return failed({ kind: 'agent-not-tried', agent: one.agent.name, failure: outcome.failure });
      const kept = await capabilities.keep(outcome.result);
      if (!kept.ok) return kept;
    } finally {
      probe.close();
    }
  }
  return done(undefined);
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

type Project = {
  readonly place: Place;
  readonly repository: Repository;
  readonly settings: Settings;
  readonly parsed: ParsedFiles;
};

async function openProject(cwd: string): Promise<Result<Project>> {
  const place = await placeOf(cwd);
  if (!place.ok) return place;
  const parsed = openParsedFiles(place.value.commonDir, version);
  const settings = await loadSettings(diskFiles(place.value.root), parsed);
  if (!settings.ok) return settings;
  const repository = openRepository(place.value);
  return done({ place: place.value, repository, settings: settings.value, parsed });
}

type Prepared = {
  readonly ports: InstructionPorts;
  readonly request: InstructionsRequest;
  readonly prepared: PreparedInstructions;
};

async function prepare(
  cwd: string,
  options: { readonly files: GivenFiles | null; readonly base: string | null },
): Promise<Result<Prepared>> {
  const project = await openProject(cwd);
  if (!project.ok) return project;
  const { place, repository, settings } = project.value;
  const named = toPaths(place, options.files);
  if (!named.ok) return named;
  const { listed } = named.value;
  const base = options.base ?? settings.base;
  let loading: ReturnType<typeof rulesOf> | null = null;
  const onListing = (listing: Listing) => {
    loading = rulesOf(project.value, listing);
  };
  const changes = listed === null ? await repository.changes(base, onListing) : await listingOnly(repository);
  if (!changes.ok) return changes;
  const loaded = await (loading ?? rulesOf(project.value, changes.value.listing));
  const ports: InstructionPorts = {
    repository,
    contents: openContents(place.root),
    passes: openPasses(place),
    instructionFiles: openInstructionFiles(place.root),
  };
  const request: InstructionsRequest = {
    rules: loaded.rules,
    changes: changes.value,
    settings,
    listed,
    base,
    markerPath,
  };
  const prepared = await prepareInstructions(ports, request);
  if (!prepared.ok) return prepared;
  const notices = [...loaded.notices, ...named.value.notices, ...prepared.value.notices];
  return done({ ports, request, prepared: { ...prepared.value, notices } });
}

async function listingOnly(repository: Repository): Promise<Result<Changes>> {
  const there = await repository.listing();
  return there.ok ? done(withoutChange(there.value)) : there;
}

async function rulesOf(
  project: Project,
  listing: Listing,
): Promise<{ readonly rules: readonly Rule[]; readonly notices: readonly Notice[] }> {
  const loaded = await loadRules(diskFiles(project.place.root), listing, project.parsed);
  project.parsed.save();
  return { rules: loaded.rules, notices: loaded.problems.map((problem) => ({ kind: 'problem', problem })) };
}

type NamedFiles = { readonly listed: readonly RepoPath[] | null; readonly notices: readonly Notice[] };

function toPaths(place: Place, files: GivenFiles | null): Result<NamedFiles> {
  if (files === null) return done({ listed: null, notices: [] });
  const listed: RepoPath[] = [];
  for (const name of files.names) {
    const path = name === '' ? null : userPath(place, name, files.source);
    if (path !== null) listed.push(path);
    else if (files.source !== 'pipe') return failed({ kind: 'path-outside', path: name });
  }
  const [first] = files.names;
  // A pipe may hold something that is no list, such as what git tells a hook.
  if (files.source === 'pipe' && first !== undefined && !listed.some((path) => isThere(place, path))) {
    return done({ listed: null, notices: [{ kind: 'list-ignored', first }] });
  }
  return done({ listed, notices: [] });
}
