import type { GateId, ReviewGate } from '../domain/gate.ts';
import type { LedgerRun, Spared } from '../domain/ledger.ts';
import { done, type Result } from '../domain/result.ts';
import type { RunNotice, RunOutcome, SlotOutcome } from '../domain/run.ts';
import { addUsage } from '../domain/usage.ts';
import { decideRun, type RunPlan } from '../plan/decide-run.ts';
import { type CheckDeed, type GateDeed, judgeRun } from '../plan/judge-run.ts';
import { estimateSpared, type SavingDeed, totalSaved } from '../plan/savings.ts';
import { type Budget, openBudget } from './budget.ts';
import type { JudgedSlot } from './judge-slot.ts';
import { noteHeld } from './note-held.ts';
import { type RunFacts, readCompared, readRun } from './read-run.ts';
import { markPassed } from './rule-marks.ts';
import { runChecks } from './run-checks.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';
import type { RanSlots } from './run-slots.ts';
import type { RestingSlot } from './slot-job.ts';
import { tidy } from './tidy.ts';

/** What the run did, before it is judged. */
type Deeds = {
  readonly iteration: number | null;
  readonly slots: RanSlots;
  readonly checks: ReadonlyMap<GateId, CheckDeed>;
  /** The gates whose slots ran or rested, as they were shown. */
  readonly asked: ReadonlyMap<GateId, ReviewGate>;
  readonly stopped: boolean;
};

const NOTHING_DONE: Deeds = {
  iteration: null,
  slots: { judged: [], resting: [], interrupted: false, stopped: [], binary: [] },
  checks: new Map(),
  asked: new Map(),
  stopped: false,
};

/** A run: reads what there is, decides, does it, and is judged by reading once more. */
export async function executeRun(
  ports: RunPorts,
  request: RunRequest,
  budget: Budget = openBudget(request.settings.budget),
): Promise<Result<RunOutcome>> {
  const begun = ports.clock.now();
  const before = await readRun(ports, request);
  if (!before.ok) return before;
  let facts = before.value;
  const noted = await noteHeld(ports, facts);
  if (!noted.ok) return noted;
  const plan = decideRun(facts, request.settings, { ...request, isOn: false });
  let deeds = NOTHING_DONE;
  if (plan.iterates) {
    const ran = await iterate(ports, request, facts, plan, budget);
    if (!ran.ok) return ran;
    const after = await readAfter(ports, request, facts);
    if (!after.ok) return after;
    facts = after.value;
    deeds = ran.value;
    const certified = await certify(ports, request, facts, deeds, budget);
    if (!certified.ok) return certified;
    ({ facts, deeds } = certified.value);
  }
  const spared = estimateSpared(savingDeeds(deeds, plan), before.value.past.slots);
  const outcome = conclude(facts, deeds, request, spared, budget);
  const tidied = await finish(ports, request, facts, deeds);
  if (!tidied.ok) return tidied;
  // Where nothing changed, nothing was paid or spared.
  if (outcome.status === 'no_changes') return done(outcome);
  const kept = await ports.ledger.add(ledgerRun(ports, request, { facts, deeds, outcome, spared, begun }));
  if (kept.ok) return done(outcome);
  // What it cost is worth a word, and no verdict.
  return done({ ...outcome, notices: [...outcome.notices, { kind: 'not-in-ledger', failure: kept.failure }] });
}

/** How things stand after an iteration. */
async function readAfter(ports: RunPorts, request: RunRequest, { comparison }: RunFacts): Promise<Result<RunFacts>> {
  const after = await readCompared(ports, request, comparison);
  if (!after.ok) return after;
  const noted = await noteHeld(ports, after.value);
  return noted.ok ? after : noted;
}

/** What a run would do, or what stands now: nothing is run and nothing is written. */
export async function previewRun(
  ports: RunPorts,
  request: RunRequest,
): Promise<Result<{ readonly outcome: RunOutcome; readonly plan: RunPlan; readonly facts: RunFacts }>> {
  const read = await readRun(ports, request);
  if (!read.ok) return read;
  const facts = read.value;
  const plan = decideRun(facts, request.settings, { ...request, isOn: false });
  const spared = estimateSpared(savingDeeds(NOTHING_DONE, plan), facts.past.slots);
  const outcome = conclude(facts, NOTHING_DONE, request, spared, openBudget(request.settings.budget));
  return done({ outcome, plan, facts });
}

/** One iteration: checks first, then the reviewers, if the checks pass. */
async function iterate(
  ports: RunPorts,
  request: RunRequest,
  read: RunFacts,
  plan: RunPlan,
  budget: Budget,
): Promise<Result<Deeds>> {
  const iteration = read.past.lastIteration + 1;
  let facts = read;
  let reviews = plan.reviews;
  const checks = plan.checks.filter(({ kind }) => kind === 'run').map(({ gate }) => gate);
  const running = reviews.filter((one) => one.kind === 'run');
  ports.reporter.tell({
    kind: 'iteration-started',
    iteration,
    gates: checks.length + running.length,
    slots: running.reduce((sum, { slots }) => sum + slots.filter(({ kind }) => kind === 'run').length, 0),
  });
  const checkDeeds = new Map<GateId, CheckDeed>();
  const { comparison, names, tree } = facts;
  if (checks.length > 0 && tree !== null) {
    const takeTree = async () => {
      const again = await readCompared(ports, request, comparison);
      if (!again.ok) return again;
      facts = again.value;
      return facts.snapshot.tree();
    };
    const ran = await runChecks(ports, request, { gates: checks, iteration, comparison, names, tree }, takeTree);
    if (!ran.ok) return ran;
    for (const { gate, ...deed } of ran.value) checkDeeds.set(gate.id, deed);
    const isStopped = ran.value.some(({ status }) => status !== 'pass') && !request.all;
    if (isStopped || request.stop?.aborted === true) {
      const slots = { ...NOTHING_DONE.slots, interrupted: request.stop?.aborted === true };
      return done({ ...NOTHING_DONE, iteration, checks: checkDeeds, stopped: isStopped, slots });
    }
    // What the checks made of the tree is what the reviewers see.
    reviews = decideRun(facts, request.settings, { ...request, isOn: true }).reviews;
  }
  const toRun = reviews.filter((one) => one.kind === 'run');
  // Prompts and answers are loaded when somebody is to be asked.
  const slots =
    toRun.length === 0
      ? done(NOTHING_DONE.slots)
      : await (await import('./review-wave.ts')).reviewWave(ports, request, facts, toRun, iteration, budget);
  if (!slots.ok) return slots;
  return done({
    iteration,
    slots: slots.value,
    checks: checkDeeds,
    asked: new Map(toRun.map(({ state }) => [state.gate.id, state.gate])),
    stopped: false,
  });
}

/** Before the run passes, slots that rest look once more, where the settings ask for that. */
async function certify(
  ports: RunPorts,
  request: RunRequest,
  facts: RunFacts,
  deeds: Deeds,
  budget: Budget,
): Promise<Result<{ readonly facts: RunFacts; readonly deeds: Deeds }>> {
  const isPassing =
    facts.reviews.every(({ holds }) => holds) && facts.checks.every(({ holds }) => holds) && !deeds.slots.interrupted;
  if (!request.settings.certify || !isPassing) return done({ facts, deeds });
  const plan = decideRun(facts, request.settings, { force: false, fresh: false, isOn: false });
  if (!plan.iterates) return done({ facts, deeds });
  const ran = await iterate(ports, request, facts, plan, budget);
  if (!ran.ok) return ran;
  const after = await readAfter(ports, request, facts);
  if (!after.ok) return after;
  const again = ran.value;
  return done({
    facts: after.value,
    deeds: {
      iteration: again.iteration,
      slots: {
        judged: [...deeds.slots.judged, ...again.slots.judged],
        resting: [...deeds.slots.resting, ...again.slots.resting],
        interrupted: again.slots.interrupted,
        stopped: [...deeds.slots.stopped, ...again.slots.stopped],
        binary: [...new Set([...deeds.slots.binary, ...again.slots.binary])],
      },
      checks: new Map([...deeds.checks, ...again.checks]),
      asked: new Map([...deeds.asked, ...again.asked]),
      stopped: again.stopped,
    },
  });
}

function conclude(
  facts: RunFacts,
  deeds: Deeds,
  request: RunRequest,
  spared: readonly Spared[],
  budget: Budget,
): RunOutcome {
  const judged = judgeRun({
    checks: facts.checks,
    reviews: facts.reviews,
    orphans: facts.orphans,
    hasEntries: facts.snapshot.entries.length > 0,
    unnameable: facts.seesAll ? facts.snapshot.unnameable.length : 0,
    iteration: deeds.iteration,
    closed: new Set(deeds.slots.judged.flatMap(({ closed }) => closed)),
    deeds: gateDeeds(deeds),
    checkDeeds: deeds.checks,
    stopped: deeds.stopped,
    interrupted: deeds.slots.interrupted,
    settings: request.settings,
  });
  return {
    ...judged,
    iteration: deeds.iteration,
    scope: facts.comparison.scope,
    baseName: facts.comparison.baseName,
    asked: facts.seesAll ? null : askedOf(facts, request),
    uncovered: [...facts.planned.uncovered, ...(facts.snapshot.left ?? [])],
    withheld: facts.snapshot.withheld,
    notices: [...facts.notices, ...judged.notices, ...askedNotices(deeds, request, budget)],
    usage: [...deeds.slots.judged, ...deeds.slots.stopped.map(({ answer }) => answer)].reduce<RunOutcome['usage']>(
      (sum, { usage }) => addUsage(sum, usage),
      null,
    ),
    saved: totalSaved(spared),
    dispatches: budget.dispatches(),
  };
}

/** What is to be known of how reviewers were asked. */
function askedNotices({ slots }: Deeds, { settings }: RunRequest, budget: Budget): readonly RunNotice[] {
  const agents = settings.budget.usd === null ? [] : budget.unpriced();
  return [
    ...(slots.binary.length === 0 ? [] : [{ kind: 'binary', paths: slots.binary } as const]),
    ...(agents.length === 0 ? [] : [{ kind: 'no-price', agents } as const]),
  ];
}

function askedOf(
  { planned, checks, reviews, comparison }: RunFacts,
  { gates, paths }: RunRequest,
): RunOutcome['asked'] {
  const looked = new Set<GateId>([...checks, ...reviews].map(({ gate }) => gate.id));
  // That a commit is looked at without checks is told apart.
  const others = planned.gates.filter(({ kind }) => comparison.headTree === null || kind !== 'check');
  return { gates, paths, others: others.map(({ id }) => id).filter((id) => !looked.has(id)) };
}

function gateDeeds({ slots, asked }: Deeds): ReadonlyMap<GateId, GateDeed> {
  return new Map(
    [...asked].map(([gate, { kind, content }]) => {
      const ran = new Map<number, SlotOutcome>();
      for (const rest of slots.resting)
        if (rest.gate.id === gate && !ran.has(rest.slot)) ran.set(rest.slot, rested(rest));
      for (const one of slots.judged) if (one.job.gate.id === gate) ran.set(one.job.slot, looked(one));
      return [gate, { kind, content, slots: [...ran.values()].sort((a, b) => a.slot - b.slot) }];
    }),
  );
}

function rested({ slot, passIteration, passedBy, assigned, gate }: RestingSlot): SlotOutcome {
  return {
    slot,
    agent: passedBy?.adapter ?? assigned,
    status: 'skipped_prior_pass',
    dispatch: 'none',
    why: 'passed-before',
    passIteration,
    sawOlder: passedBy?.own?.content !== gate.content,
    usage: null,
    durationMs: null,
    trouble: null,
  };
}

function looked({ job, agent, dispatch, status, trouble, usage, durationMs }: JudgedSlot): SlotOutcome {
  return {
    slot: job.slot,
    agent,
    status,
    dispatch,
    why: trouble !== null ? trouble.kind : whyAsked(job, dispatch),
    passIteration: null,
    sawOlder: false,
    usage,
    durationMs,
    trouble,
  };
}

/** Why it was asked as it was; a resume that failed is a session that was lost. */
function whyAsked(job: JudgedSlot['job'], dispatch: JudgedSlot['dispatch']): SlotOutcome['why'] {
  if (!('dispatch' in job) || job.dispatch.why === 'first-look') return job.why;
  return job.dispatch.kind === 'resumed' && dispatch === 'fresh' ? 'session-lost' : job.dispatch.why;
}

function savingDeeds(deeds: Deeds, plan: RunPlan): readonly SavingDeed[] {
  const prefixes = new Set<string>();
  const held = plan.reviews
    .filter(({ kind }) => kind === 'rest')
    .flatMap(({ state }) => state.slots.map(({ slot }): SavingDeed => ({ kind: 'held', gate: state.gate.id, slot })));
  const rests = deeds.slots.resting.map(({ gate, slot }): SavingDeed => ({ kind: 'rested', gate: gate.id, slot }));
  const asked = deeds.slots.judged.flatMap(({ job, dispatch, usage }): SavingDeed[] => {
    if (!('fresh' in job)) return [];
    if (dispatch === 'resumed') {
      return [{ kind: 'resumed', gate: job.gate.id, usage, freshTokens: job.resumed?.session.freshTokens ?? null }];
    }
    if (job.prefix === null) return [];
    const isFirst = !prefixes.has(job.prefix);
    prefixes.add(job.prefix);
    return isFirst
      ? []
      : [{ kind: 'shared', gate: job.gate.id, usage, stableLength: job.fresh[0]?.prompt.stable.length ?? 0 }];
  });
  return [...held, ...rests, ...asked];
}

type Ended = {
  readonly facts: RunFacts;
  readonly deeds: Deeds;
  readonly outcome: RunOutcome;
  readonly spared: readonly Spared[];
  readonly begun: Date;
};

/** The run as the ledger has it: whoever was not asked is no part of it. */
function ledgerRun({ clock }: RunPorts, { startedBy }: RunRequest, ended: Ended): LedgerRun {
  const { facts, deeds, outcome, spared, begun } = ended;
  const at = clock.now();
  return {
    kind: 'run',
    at: at.toISOString(),
    durationMs: Math.max(0, at.getTime() - begun.getTime()),
    startedBy,
    branch: facts.comparison.where.branch,
    scope: outcome.scope.key,
    iteration: outcome.iteration,
    status: outcome.status,
    exitCode: outcome.exitCode,
    slots: ledgerSlots(deeds.slots),
    checks: [...deeds.checks].map(([gate, { status, outcome: end }]) => ({ gate, status, durationMs: end.durationMs })),
    spared,
  };
}

function ledgerSlots({ judged, stopped }: RanSlots): LedgerRun['slots'] {
  const looks = [
    ...judged,
    ...stopped.map(({ job, answer }) => ({ ...answer, job, asks: answer.exchanges.length, status: 'error' as const })),
  ];
  return looks.flatMap(({ job, agent, model, dispatch, asks, status, usage, durationMs }) => {
    if (agent === null || dispatch === 'none') return [];
    const why = whyAsked(job, dispatch);
    const look = { agent, model, dispatch, asks, usage, durationMs: Math.round(durationMs) };
    return [{ gate: job.gate.id, slot: job.slot, status, why, ...look }];
  });
}

/** Marks what passed, archives what is over, lets go of what no record needs any more. */
async function finish(ports: RunPorts, request: RunRequest, facts: RunFacts, deeds: Deeds): Promise<Result<void>> {
  const letBe = request.ratchet?.now.letBe ?? new Set();
  const passed = new Set(
    facts.reviews
      // A mark outlives the loop that lets something be.
      .filter(({ certified, findings }) => certified && !findings.some(({ finding }) => letBe.has(finding.id)))
      .map(({ gate }) => gate.id),
  );
  if (facts.comparison.scope.kind === 'full' && deeds.iteration !== null) {
    const gates = facts.reviews.map(({ gate }) => gate).filter(({ id }) => deeds.asked.has(id));
    const allChanged = facts.snapshot.entries.map(({ path }) => path);
    const marked = await markPassed(ports, gates, passed, ports.clock.now(), allChanged);
    if (!marked.ok) return marked;
  }
  return tidy(ports, facts, deeds.iteration !== null);
}
