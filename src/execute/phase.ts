import type { Assigned } from '../domain/agent.ts';
import type { RepoPath } from '../domain/brand.ts';
import type { Failure } from '../domain/failure.ts';
import type { PhaseRole, PhaseSetup } from '../domain/phase.ts';
import type { KeptLoop, PhaseNotice, PhaseOutcome, PhasePlan } from '../domain/phase-run.ts';
import type { PhaseState, PhaseStep } from '../domain/phase-step.ts';
import type { Contents, Reviewers } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import { assign } from '../plan/assign.ts';
import { lastGap } from '../plan/cache-ttl.ts';
import { rolesOf } from '../plan/phase-documents.ts';
import { phaseOutcome } from '../plan/phase-outcome.ts';
import { ITERATION_CAP, mostIterations } from '../plan/phase-roles.ts';
import { acceptNotes, resumePhase, startPhase, stepPhase } from '../plan/phase-step.ts';
import { openBudget } from './budget.ts';
import { ableToFix, checkFixer } from './fixers.ts';
import { drivePhase } from './phase-drive.ts';
import { type Feature, readFeature } from './phase-feature.ts';
import { changedBetween, onlyFiles, withheldCode } from './phase-look.ts';
import { openMemory, type Playing } from './phase-play.ts';
import type { PhasePorts, PhaseRequest } from './phase-ports.ts';
import { freshLength, modelOf, resumedLength } from './phase-prompts.ts';
import { loopName, openPhaseRecorder } from './phase-record.ts';

/** What was kept of a phase: the loop that goes on, and the one that may be taken as it is. */
type Kept = { readonly kept: KeptLoop | null; readonly acceptable: KeptLoop | null };

type Opened = Kept & { readonly playing: Playing; readonly setup: PhaseSetup };

/** Plays a phase: to its end, or until whoever called has something to mend. */
export async function playPhase(
  ports: PhasePorts & { readonly contents: Contents },
  request: PhaseRequest,
): Promise<Result<PhaseOutcome>> {
  const opened = await openPhase(ports, request, { dry: false });
  if (!opened.ok) return opened;
  const { playing, setup, kept } = opened.value;
  const { fixing } = request;
  const told = fixing.by === 'caller' ? fixing.summary : null;
  const isWaiting = kept?.state.position.at === 'waiting';
  // The same word once more is the same call once more: one that was cut off.
  if (told !== null && !isWaiting && kept?.state.fixes.at(-1)?.summary !== told) {
    const kind = kept === null ? 'no-waiting-loop' : 'unjudged-round';
    return failed({ kind, phase: request.phase, feature: request.feature });
  }
  // Nothing has been said of a fix: what is open is told again.
  if (kept !== null && isWaiting && told === null) return done(phaseOutcome(kept.run, kept.state, noticesOf(playing)));
  const taken = await acceptedNow(opened.value);
  if (taken !== null) return taken;
  const goesOn = kept === null ? null : { ...kept, state: { ...kept.state, setup } };
  const run = goesOn?.run ?? {
    id: ports.newId(),
    phase: request.phase,
    feature: request.feature,
    startedAt: ports.clock.now().toISOString(),
    preparations: [],
    rounds: [],
  };
  if (goesOn === null) {
    const cleared = await forgetWaiting(ports, request);
    if (!cleared.ok) return cleared;
  }
  const first = goesOn === null ? startPhase(setup) : await firstStep(playing, goesOn.state, told);
  const { pending = null, lastEntry = null } = goesOn ?? {};
  const recorder = openPhaseRecorder(playing, { run, state: goesOn?.state ?? first.state, pending, lastEntry });
  const played = await drivePhase(playing, recorder, first);
  if (!played.ok) return played;
  const unpriced = request.settings.budget.usd === null ? [] : playing.budget.unpriced();
  if (unpriced.length > 0) playing.memory.notices.push({ kind: 'no-price', agents: unpriced });
  return done(phaseOutcome(recorder.run(), played.value, noticesOf(playing)));
}

/** What is to be known beside the result; of code, also which files of it nobody was shown when it was last looked at. */
function noticesOf({ feature, memory, request }: Playing): readonly PhaseNotice[] {
  return feature.documents.artifact === null
    ? [...memory.notices, ...withheldCode(request, memory.sight)]
    : memory.notices;
}

/** A loop that begins anew takes the place of one that waits, also where nothing of the new one will be kept. */
async function forgetWaiting(
  { loops, snapshots }: PhasePorts,
  { phase, feature }: PhaseRequest,
): Promise<Result<void>> {
  const forgotten = await loops.remove(phase, feature);
  return forgotten.ok ? snapshots.hold(loopName({ phase, feature }), new Set()) : forgotten;
}

/** A loop that ended at its cap and is now taken as it is; null: there is none, or something has changed since. */
async function acceptedNow({ playing, acceptable }: Opened): Promise<Result<PhaseOutcome> | null> {
  if (acceptable === null) return null;
  const { run, state } = acceptable;
  const accepted = acceptNotes(state);
  if (accepted === null || state.reviewed?.content !== playing.memory.sight.seen.content) return null;
  const recorder = openPhaseRecorder(playing, acceptable);
  const recorded = await recorder.record(accepted.state, accepted.actions);
  return recorded.ok ? done(phaseOutcome(run, accepted.state, noticesOf(playing))) : recorded;
}

/** What a phase would do next. */
export async function previewPhase(
  ports: PhasePorts & { readonly contents: Contents },
  request: PhaseRequest,
): Promise<Result<PhasePlan>> {
  const opened = await openPhase(ports, request, { dry: true });
  if (!opened.ok) return opened;
  const { playing, setup, kept } = opened.value;
  const { position } = kept?.state ?? {};
  const waiting = position?.at === 'waiting' ? position.issues : null;
  const step = kept === null ? startPhase(setup) : await firstStep(playing, { ...kept.state, setup }, '');
  const { feature, memory } = playing;
  return done({
    phase: request.phase,
    feature: request.feature,
    artifact: feature.documents.artifact,
    files: memory.sight.files,
    required: feature.documents.all,
    fixing: request.fixing.by === 'fixer' ? request.fixing : { by: request.fixing.by },
    mostIterations: mostIterations(setup),
    goesOn: kept === null ? null : { round: kept.state.round, waiting },
    dispatches: await plannedDispatches(playing, step),
    notices: noticesOf(playing),
  });
}

/** The questions that come first, with what they would send. */
async function plannedDispatches(playing: Playing, first: PhaseStep): Promise<PhasePlan['dispatches']> {
  const { seen, artifact } = playing.memory.sight;
  const isToLook = first.actions.some(({ kind }) => kind === 'take-snapshot');
  const isToCommit = first.actions.some(({ kind }) => kind === 'commit');
  const after = isToCommit ? stepPhase(first.state, { kind: 'nothing-to-commit' }) : first;
  const step = isToLook || isToCommit ? stepPhase(after.state, { kind: 'snapshot-taken', seen, artifact }) : first;
  const planned: PhasePlan['dispatches'][number][] = [];
  for (const action of step.actions) {
    if (action.kind !== 'dispatch' && action.kind !== 'prepare' && action.kind !== 'measure') continue;
    const { ask } = action;
    const isResumed = action.kind === 'measure';
    const promptChars = isResumed ? await resumedLength(playing, ask) : freshLength(playing, ask);
    const { role, agent, why } = ask;
    const dispatch = isResumed ? 'resumed' : 'fresh';
    planned.push({ role, agent, model: modelOf(playing, ask), dispatch, why, promptChars });
  }
  return planned;
}

/** How a kept loop goes on: with what whoever called says of its fix, or from where it was cut off. */
async function firstStep(playing: Playing, state: PhaseState, told: string | null): Promise<PhaseStep> {
  const { ports, feature, memory } = playing;
  if (state.position.at === 'ended') return startPhase(state.setup);
  if (state.position.at !== 'waiting') return resumePhase(state);
  const from = state.reviewed?.snapshot ?? null;
  const changed = from === null ? null : await changedBetween(ports.snapshots, from, memory.sight.seen.snapshot);
  // What was there is gone: what is under review may be committed, whether or not it changed.
  const changedPaths = changed?.ok === true ? changed.value : [...feature.documents.all, ...memory.sight.files];
  return stepPhase(state, { kind: 'fixed', by: 'caller', summary: told ?? '', changedPaths });
}

async function openPhase(
  ports: PhasePorts & { readonly contents: Contents },
  request: PhaseRequest,
  how: { readonly dry: boolean },
): Promise<Result<Opened>> {
  if (request.fixing.by === 'fixer') {
    const able = await checkFixer(ports.reviewers, request.fixing.agent);
    if (!able.ok) return able;
  }
  const assigned = await assignRoles(ports, request);
  if (!assigned.ok) return assigned;
  const found = await readKept(ports, request);
  if (!found.ok) return found;
  const { kept, acceptable } = found.value;
  const feature = await readFeature(ports, request, { ...how, began: (kept ?? acceptable)?.began ?? null });
  if (!feature.ok) return feature;
  const fits = await checkLength(ports.reviewers, feature.value, assigned.value);
  if (!fits.ok) return fits;
  const memory = openMemory(feature.value.first, await gapOf(ports), kept?.sessions ?? []);
  memory.notices.push(...feature.value.notices);
  const budget = openBudget(request.settings.budget);
  const playing: Playing = { ports, request, feature: feature.value, budget, memory };
  return done({ playing, setup: setupFor(request, feature.value, assigned.value, kept), kept, acceptable });
}

/** None goes on that has ended, and none where it is to begin anew. */
async function readKept({ loops }: PhasePorts, request: PhaseRequest): Promise<Result<Kept>> {
  const { phase, feature, fixing, rerun, acceptWithNotes } = request;
  const mayGoOn = fixing.by === 'caller';
  if (rerun || !(mayGoOn || acceptWithNotes)) return done({ kept: null, acceptable: null });
  const read = await loops.read(phase, feature);
  if (!read.ok) return read;
  if (read.value === 'unreadable') {
    return mayGoOn ? failed({ kind: 'unreadable-loop', phase, feature }) : done({ kept: null, acceptable: null });
  }
  const isEnded = read.value?.state.position.at === 'ended';
  return done({ kept: mayGoOn && !isEnded ? read.value : null, acceptable: acceptWithNotes ? read.value : null });
}

function setupFor(
  request: PhaseRequest,
  { documents }: Feature,
  assigned: PhaseSetup['assigned'],
  kept: KeptLoop | null,
): PhaseSetup {
  const { settings, fixing, phase } = request;
  return {
    phase,
    assigned,
    mostIterations: request.mostIterations ?? kept?.state.setup.mostIterations ?? ITERATION_CAP,
    fixing: fixing.by,
    keepSessions: fixing.by === 'caller' && fixing.keepSessions,
    fresh: false,
    commits: request.commits,
    acceptWithNotes: request.acceptWithNotes,
    recheckDomain: settings.recheckDomain,
    finalValidation: settings.finalValidation,
    preparations: request.preparations,
    edits: editRules(request, documents.all),
  };
}

function editRules({ phase, selection, kept }: PhaseRequest, documents: readonly RepoPath[]): PhaseSetup['edits'] {
  if (phase !== 'implement') return { documents, kept, only: null };
  return { documents: null, kept, only: onlyFiles(selection) };
}

/** Who is asked in each role: whoever is preferred and at hand; whoever mends is named, and whoever writes can. */
async function assignRoles(ports: PhasePorts, request: PhaseRequest): Promise<Result<PhaseSetup['assigned']>> {
  const { reviewers, coolings, clock } = ports;
  const { phase, preparations, fixing, settings, barred } = request;
  const cooling = await coolings.all(clock.now());
  const isCooling = (name: string) => cooling.some(({ agent }) => agent === name);
  const available = reviewers.names.filter((name) => !isCooling(name) && !barred.has(name));
  const reviewer = assign(1, available);
  if (reviewer === null) {
    return failed({ kind: 'no-reviewer', wanted: settings.agents ?? reviewers.names, cooling });
  }
  // The first half of the test-deepener reads only.
  const isToWrite = preparations.some(({ part }) => part !== 'A');
  const named = fixing.by === 'fixer' ? fixing.agent : null;
  const agent = named ?? (isToWrite ? (await ableToFix(reviewers, available))[0] : reviewer.agent);
  if (agent === undefined) {
    const able = await ableToFix(reviewers, reviewers.found);
    return failed({ kind: 'cannot-fix', name: reviewer.agent, able });
  }
  const writer: Assigned = { agent, others: [] };
  const assigned = rolesOf(phase, preparations).map((role): [PhaseRole, Assigned] => [
    role,
    role.endsWith('-reviewer') ? reviewer : writer,
  ]);
  return done(Object.fromEntries(assigned));
}

/** Whether the document can be put before whoever reviews it. */
async function checkLength(
  reviewers: Reviewers,
  { documents, first }: Feature,
  assigned: PhaseSetup['assigned'],
): Promise<Result<void>> {
  const { artifact } = documents;
  const [agent] = Object.values(assigned).map((one) => one.agent);
  if (artifact === null || agent === undefined) return done(undefined);
  const limit = (await reviewers.describe(agent)).diffLimit;
  const characters = first.document.length;
  if (characters <= limit - PROMPT_ROOM) return done(undefined);
  const failure: Failure = { kind: 'artifact-too-long', path: artifact, characters, limit: limit - PROMPT_ROOM, agent };
  return failed(failure);
}

/** What a prompt has beside the document. */
const PROMPT_ROOM = 20_000;

async function gapOf({ ledger }: PhasePorts): Promise<number | null> {
  const all = await ledger.all();
  return all.ok ? lastGap(all.value.entries.filter((entry) => entry.kind === 'loop')) : null;
}
