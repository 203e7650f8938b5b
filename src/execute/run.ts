import type { GateId, ReviewGate } from '../domain/gate.ts';
import { done, type Result } from '../domain/result.ts';
import type { RunOutcome } from '../domain/run.ts';
import { decideRun, type RunPlan } from '../plan/decide-run.ts';
import type { CheckDeed } from '../plan/judge-run.ts';
import { estimateSpared } from '../plan/savings.ts';
import { type Budget, openBudget } from './budget.ts';
import { noteHeld } from './note-held.ts';
import { type RunFacts, readCompared, readRun } from './read-run.ts';
import { runChecks } from './run-checks.ts';
import { ledgerRun } from './run-ledger.ts';
import { conclude, type Deeds, NOTHING_DONE, savingDeeds } from './run-outcome.ts';
import type { RunPorts, RunRequest } from './run-ports.ts';
import { tidy } from './tidy.ts';

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
  let isLeftAlone = (_: ReviewGate) => false;
  if (plan.iterates) {
    const ran = await iterate(ports, request, facts, plan, budget);
    if (!ran.ok) return ran;
    const { watchMarked } = await import('./rule-marks.ts');
    isLeftAlone = watchMarked(ports.snapshots, ran.value.asked.values());
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
  const tidied = await finish(ports, request, facts, deeds, isLeftAlone);
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
  const { comparison, names, checked: tree } = facts;
  if (checks.length > 0 && tree !== null) {
    const takeTree = async () => {
      const again = await readCompared(ports, request, comparison);
      if (!again.ok) return again;
      facts = again.value;
      return facts.checked === null ? facts.snapshot.tree() : done(facts.checked);
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

/** Marks what passed, archives what is over, lets go of what no record needs any more. */
async function finish(
  ports: RunPorts,
  request: RunRequest,
  facts: RunFacts,
  deeds: Deeds,
  isLeftAlone: (gate: ReviewGate) => boolean,
): Promise<Result<void>> {
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
    const { markPassed } = await import('./rule-marks.ts');
    const marked = await markPassed(ports, gates, passed, ports.clock.now(), allChanged, isLeftAlone);
    if (!marked.ok) return marked;
  }
  return tidy(ports, facts, { hasIterated: deeds.iteration !== null });
}
