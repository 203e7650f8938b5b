import { assignAgents } from '@onceover/agents/dispatch/assign-agents';
import { agentsThatCanFix, checkFixer } from '@onceover/agents/dispatch/choose-agents';
import { openBudget } from '@onceover/agents/dispatch/limits';
import { NO_CACHE_HISTORY } from '@onceover/agents/economy/cache-life';
import { cacheHistory } from '@onceover/agents/ledger/cache-history';
import type { Assigned } from '@onceover/base/kernel/agent';
import type { Reviewers } from '@onceover/base/kernel/ports';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { ITERATION_CAP, type PhaseRole } from '@onceover/base/kernel/review-loops';
import { acceptNotes, beginPhase, resumePhase, stepPhase } from '../decide/machine.ts';
import { phaseOutcome } from '../decide/outcome.ts';
import { mostIterations, rolesOf } from '../decide/roles.ts';
import { openIssueDocuments } from '../describe/issues.ts';
import { describePhaseNotice } from '../describe/result.ts';
import type { PhasePlanDocument } from '../json-schema.ts';
import { type Feature, readFeature } from '../read/feature.ts';
import { onlyFiles, withheldCode } from '../read/subject.ts';
import { loopName, openPhaseRecorder } from '../record/recorder.ts';
import type { PhaseNotice, PhaseOutcome, PhasePorts, PhaseRequest } from '../run-types.ts';
import type { KeptLoop, PhaseState, PhaseStep } from '../state.ts';
import type { PhaseSetup } from '../types.ts';
import { freshLength, modelOf, resumedLength } from './build-prompt.ts';
import { openMemory, type PhaseContext } from './context.ts';
import { drivePhase } from './drive.ts';

/**
 * The stored loop of an earlier command. It is in `kept` if this command can continue it, and in `acceptable` if this
 * command can accept its issues.
 */
type Kept = { readonly kept: KeptLoop | null; readonly acceptable: KeptLoop | null };

type Opened = Kept & { readonly playing: PhaseContext; readonly setup: PhaseSetup };

/** Runs a phase until it ends, or until it waits for the caller to fix issues. */
export async function runPhase(ports: PhasePorts, request: PhaseRequest): Promise<Result<PhaseOutcome>> {
  const phaseStart = await openPhase(ports, request, { dry: false });
  if (!phaseStart.ok) return phaseStart;
  const { playing, setup, kept } = phaseStart.value;
  const { fixing } = request;
  const summary = fixing.by === 'caller' ? fixing.summary : null;
  const isWaiting = kept?.state.position.at === 'waiting';
  // A summary is accepted if the loop waits for a fix, or if the user repeats an interrupted command with the same
  // summary.
  if (summary !== null && !isWaiting && kept?.state.fixes.at(-1)?.summary !== summary) {
    const kind = kept === null ? 'no-waiting-loop' : 'unjudged-round';
    return err({ kind, phase: request.phase, feature: request.feature });
  }
  // Without a summary, the command only reports the open issues again.
  if (kept !== null && isWaiting && summary === null) return ok(phaseOutcome(kept.run, kept.state, noticesOf(playing)));
  const acceptance = await acceptedNow(phaseStart.value);
  if (acceptance !== null) return acceptance;
  const goesOn = kept === null ? null : { ...kept, state: { ...kept.state, setup } };
  const run = goesOn?.run ?? {
    id: setup.loop,
    phase: request.phase,
    feature: request.feature,
    startedAt: ports.clock.now().toISOString(),
    preparations: [],
    rounds: [],
  };
  if (goesOn === null) {
    const removal = await removeWaiting(ports, request);
    if (!removal.ok) return removal;
  }
  const first = goesOn === null ? beginPhase(setup) : await firstStep(playing, goesOn.state, summary);
  const { pending = null, lastEntry = null } = goesOn ?? {};
  const recorder = openPhaseRecorder(playing, { run, state: goesOn?.state ?? first.state, pending, lastEntry });
  const endState = await drivePhase(playing, recorder, first);
  if (!endState.ok) return endState;
  const unpricedAgents = request.settings.budget.usd === null ? [] : playing.budget.unpriced();
  if (unpricedAgents.length > 0) playing.memory.notices.push({ kind: 'no-price', agents: unpricedAgents });
  return ok(phaseOutcome(recorder.run(), endState.value, noticesOf(playing)));
}

/** Returns the notices of a phase. In `implement`, they include changed files that reviewers could not see. */
function noticesOf({ feature, memory, request }: PhaseContext): readonly PhaseNotice[] {
  return feature.documents.artifact === null
    ? [...memory.notices, ...withheldCode(request, memory.sight)]
    : memory.notices;
}

/** Removes the stored loop before a new loop starts, so that no later command continues the old one. */
async function removeWaiting(
  { loops, snapshots }: PhasePorts,
  { phase, feature }: PhaseRequest,
): Promise<Result<void>> {
  const removal = await loops.remove(phase, feature);
  return removal.ok ? snapshots.hold(loopName({ phase, feature }), new Set()) : removal;
}

/**
 * Accepts the open issues of a loop that ended at the limit of reviews. Returns null if no loop ended there, or if the
 * content has changed since.
 */
async function acceptedNow({ playing, acceptable }: Opened): Promise<Result<PhaseOutcome> | null> {
  if (acceptable === null) return null;
  const { run, state } = acceptable;
  const step = acceptNotes(state);
  if (step === null || state.reviewed?.content !== playing.memory.sight.seen.content) return null;
  const recorder = openPhaseRecorder(playing, acceptable);
  const recordResult = await recorder.record(step.state, step.actions);
  return recordResult.ok ? ok(phaseOutcome(run, step.state, noticesOf(playing))) : recordResult;
}

/** Returns the calls to agents that a phase would make next, without making them. */
export async function previewPhase(ports: PhasePorts, request: PhaseRequest): Promise<Result<PhasePlanDocument>> {
  const phaseStart = await openPhase(ports, request, { dry: true });
  if (!phaseStart.ok) return phaseStart;
  const { playing, setup, kept } = phaseStart.value;
  const { position } = kept?.state ?? {};
  const waiting = position?.at === 'waiting' ? openIssueDocuments(position.issues) : null;
  const step = kept === null ? beginPhase(setup) : await firstStep(playing, { ...kept.state, setup }, '');
  const { feature, memory } = playing;
  const { by } = request.fixing;
  return ok({
    phase: request.phase,
    feature: request.feature,
    artifact: feature.documents.artifact,
    files: [...memory.sight.files],
    required: [...feature.documents.all],
    fixing: { by, agent: request.fixing.by === 'fixer' ? request.fixing.agent : null },
    max_iterations: mostIterations(setup),
    goes_on: kept === null ? null : { round: kept.state.round, waiting },
    dispatches: await plannedDispatches(playing, step),
    warnings: noticesOf(playing).map(describePhaseNotice),
  });
}

async function plannedDispatches(playing: PhaseContext, first: PhaseStep): Promise<PhasePlanDocument['dispatches']> {
  const { seen, artifact } = playing.memory.sight;
  const takesSnapshot = first.actions.some(({ kind }) => kind === 'take-snapshot');
  const commits = first.actions.some(({ kind }) => kind === 'commit');
  const after = commits ? stepPhase(first.state, { kind: 'commit-ended', failed: false }) : first;
  const step = takesSnapshot || commits ? stepPhase(after.state, { kind: 'snapshot-taken', seen, artifact }) : first;
  const dispatches = step.actions.map(async (action) => {
    if (action.kind !== 'dispatch' && action.kind !== 'prepare' && action.kind !== 'measure') return [];
    const { role, agent, why } = action.ask;
    const dispatch = action.kind === 'measure' ? ('resumed' as const) : ('fresh' as const);
    const lengthOf = dispatch === 'resumed' ? resumedLength : freshLength;
    const prompt_chars = await lengthOf(playing, action.ask);
    return [{ role, agent, model: modelOf(playing, action.ask), dispatch, why, prompt_chars }];
  });
  return (await Promise.all(dispatches)).flat();
}

/**
 * Returns the first step of a continued loop: after the caller's fix, or at the place where an earlier command was
 * interrupted.
 */
async function firstStep(playing: PhaseContext, state: PhaseState, summary: string | null): Promise<PhaseStep> {
  const { ports, feature, memory } = playing;
  if (state.position.at === 'ended') return beginPhase(state.setup);
  if (state.position.at !== 'waiting') return resumePhase(state);
  const from = state.reviewed?.snapshot ?? null;
  const diff = from === null ? null : await ports.snapshots.sections(from, memory.sight.seen.snapshot, 0);
  // If the old snapshot no longer exists, list all files under review. git commits only those that changed.
  const diffPaths = diff?.ok === true ? diff.value.flatMap(({ paths }) => paths) : null;
  const changedPaths = [...new Set(diffPaths ?? [...feature.documents.all, ...memory.sight.files])];
  return stepPhase(state, { kind: 'fixed', by: 'caller', summary: summary ?? '', changedPaths });
}

/**
 * The number of ledger entries (logged calls) that are enough to estimate the usual pauses between calls in this
 * repository.
 */
const MOST_ENTRIES = 300;

async function openPhase(
  ports: PhasePorts,
  request: PhaseRequest,
  how: { readonly dry: boolean },
): Promise<Result<Opened>> {
  if (request.fixing.by === 'fixer') {
    const able = await checkFixer(ports.reviewers, request.fixing.agent);
    if (!able.ok) return able;
  }
  const assignments = await assignRoles(ports, request);
  if (!assignments.ok) return assignments;
  const storedLoop = await readKept(ports, request);
  if (!storedLoop.ok) return storedLoop;
  const { kept, acceptable } = storedLoop.value;
  const feature = await readFeature(ports, request, { ...how, began: (kept ?? acceptable)?.began ?? null });
  if (!feature.ok) return feature;
  const fits = await checkLength(ports.reviewers, feature.value, assignments.value);
  if (!fits.ok) return fits;
  const ledger = await ports.ledger.all(MOST_ENTRIES);
  const history = ledger.ok ? cacheHistory(ledger.value.entries, ports.clock.now()) : NO_CACHE_HISTORY;
  const memory = openMemory(feature.value, history);
  const budget = openBudget(request.settings.budget);
  const playing: PhaseContext = { ports, request, feature: feature.value, budget, memory };
  const loop = kept?.run.id ?? ports.newId();
  return ok({ playing, setup: setupFor(request, feature.value, assignments.value, { kept, loop }), kept, acceptable });
}

/** Reads the loop that an earlier command stored. `--rerun` ignores it, and a loop that has ended is not continued. */
async function readKept({ loops }: PhasePorts, request: PhaseRequest): Promise<Result<Kept>> {
  const { phase, feature, fixing, rerun, acceptWithNotes } = request;
  const mayGoOn = fixing.by === 'caller';
  if (rerun || !(mayGoOn || acceptWithNotes)) return ok({ kept: null, acceptable: null });
  const storedLoop = await loops.read(phase, feature);
  if (!storedLoop.ok) return storedLoop;
  if (storedLoop.value === 'unreadable') {
    return mayGoOn ? err({ kind: 'unreadable-loop', phase, feature }) : ok({ kept: null, acceptable: null });
  }
  const isEnded = storedLoop.value?.state.position.at === 'ended';
  return ok({
    kept: mayGoOn && !isEnded ? storedLoop.value : null,
    acceptable: acceptWithNotes ? storedLoop.value : null,
  });
}

function setupFor(
  request: PhaseRequest,
  { documents }: Feature,
  assignments: PhaseSetup['assigned'],
  { kept, loop }: Pick<Kept, 'kept'> & Pick<PhaseSetup, 'loop'>,
): PhaseSetup {
  const { settings, fixing, phase } = request;
  return {
    phase,
    loop,
    assigned: assignments,
    mostIterations: request.mostIterations ?? kept?.state.setup.mostIterations ?? ITERATION_CAP,
    fixing: fixing.by,
    keepSessions: fixing.by === 'caller' && fixing.keepSessions,
    commits: request.commits,
    acceptWithNotes: request.acceptWithNotes,
    recheckDomain: settings.recheckDomain,
    finalValidation: settings.finalValidation,
    preparations: request.preparations,
    edits: {
      documents: phase === 'implement' ? null : documents.all,
      kept: request.kept,
      only: phase === 'implement' ? onlyFiles(request.selection) : null,
    },
  };
}

/**
 * Assigns agents to roles. A reviewer gets all available agents, in order of preference; any other role gets one agent.
 */
async function assignRoles(ports: PhasePorts, request: PhaseRequest): Promise<Result<PhaseSetup['assigned']>> {
  const { reviewers, cooldowns, clock } = ports;
  const { phase, preparations, fixing, settings } = request;
  const cooling = await cooldowns.all(clock.now());
  const isCooling = (name: string) => cooling.some(({ agent }) => agent === name);
  const available = reviewers.names.filter((name) => !isCooling(name) && reviewers.refused?.has(name) !== true);
  const reviewer = assignAgents(1, available);
  if (reviewer === null) {
    return err({ kind: 'no-reviewer', wanted: settings.agents ?? reviewers.names, cooling });
  }
  // Part A of the test-deepener only reads, so it does not need an agent that can edit files.
  const needsWriter = preparations.some(({ part }) => part !== 'A');
  const fixerName = fixing.by === 'fixer' ? fixing.agent : null;
  const agent = fixerName ?? (needsWriter ? (await agentsThatCanFix(reviewers, available))[0] : reviewer.agent);
  if (agent === undefined) {
    const able = await agentsThatCanFix(reviewers, reviewers.found);
    return err({ kind: 'cannot-fix', name: reviewer.agent, able });
  }
  const writer: Assigned = { agent, others: [] };
  const assignments = rolesOf(phase, preparations).map((role): [PhaseRole, Assigned] => [
    role,
    role.endsWith('-reviewer') ? reviewer : writer,
  ]);
  return ok(Object.fromEntries(assignments));
}

async function checkLength(
  reviewers: Reviewers,
  { documents, first }: Feature,
  assignments: PhaseSetup['assigned'],
): Promise<Result<void>> {
  const { artifact } = documents;
  const [agent] = Object.values(assignments).map((assignment) => assignment.agent);
  if (artifact === null || agent === undefined) return ok(undefined);
  const limit = (await reviewers.describe(agent)).diffLimit - PROMPT_ROOM;
  const characters = first.document.length;
  if (characters <= limit) return ok(undefined);
  return err({ kind: 'artifact-too-long', path: artifact, characters, limit, agent });
}

/** The number of characters of a prompt that are reserved for everything except the document. */
const PROMPT_ROOM = 20_000;
