import { type Budget, openBudget } from '@onceover/agents/dispatch/limits';
import { ok, type Result } from '@onceover/base/kernel/result';
import type { ReviewGate } from '../gate-types.ts';
import type { RunNotice, RunOutcome } from '../result/types.ts';
import { decideRun, type GateRun, type RunPlan } from './decide/plan-run.ts';
import { NO_ACTIONS, type RunActions } from './judge/judge-run.ts';
import type { RunContext, RunFacts, RunPorts, RunRequest } from './ports.ts';
import { readGateStates } from './read/state.ts';
import { archiveEndedCycles, markPassed, recordPassingGates, watchGateFiles } from './record/after-run.ts';
import { concludeRun, ledgerRun, savedUsage } from './record/summary.ts';

type RunStep = {
  readonly facts: RunFacts;
  readonly actions: RunActions;
  /**
   * Returns whether no file of the gate was written to since its reviewers ran. Only gates that come from rules are
   * watched.
   */
  isUntouched(gate: ReviewGate): boolean;
};

export type RunPreview = { readonly outcome: RunOutcome; readonly plan: RunPlan; readonly facts: RunFacts };

/** Runs the gates: reads their state, plans, runs checks and reviewers, and reads the state again to judge it. */
export async function executeRun(
  ports: RunPorts,
  request: RunRequest,
  budget: Budget = openBudget(request.settings.budget),
): Promise<Result<RunOutcome>> {
  const run: RunContext = { ports, request, budget };
  const startedAt = ports.clock.now();
  const before = await readGateStates(ports, request);
  if (!before.ok) return before;
  const recorded = await recordPassingGates(ports, before.value);
  if (!recorded.ok) return recorded;
  const plan = decideRun(before.value, request.settings, request);
  let step: RunStep = { facts: before.value, actions: NO_ACTIONS, isUntouched: () => false };
  if (plan.iterates) {
    // An agent that reached a usage limit is not called for some time (cooldown). A person may know that it works
    // again, so `--force` ends that time. An agent cannot end it.
    const isLifted = request.force && request.startedBy === 'person';
    const lifted = isLifted ? await ports.cooldowns.lift(ports.clock.now()) : ok([]);
    if (!lifted.ok) return lifted;
    const ran = await iterate(run, step, plan);
    if (!ran.ok) return ran;
    const certifying = certifyingPlan(ran.value, request);
    const certified = certifying === null ? ran : await iterate(run, ran.value, certifying);
    if (!certified.ok) return certified;
    // Keep the function from the first iteration: it also notices files that were written during the second one.
    step = { ...certified.value, isUntouched: ran.value.isUntouched };
  }
  const spared = savedUsage(step.actions, plan, before.value.past.slots);
  const outcome = concludeRun(step.facts, step.actions, request, spared, budget);
  const finished = await finish(run, step);
  if (!finished.ok) return finished;
  // A run without changes costs nothing and saves nothing, so the ledger (the log of all calls) gets no entry.
  if (outcome.status === 'no_changes') return ok(outcome);
  const entry = ledgerRun(request, step, outcome, spared, [startedAt, ports.clock.now()]);
  const entered = await ports.ledger.add(entry);
  const isStopped = request.stop?.aborted === true;
  const shared =
    ports.shared == null || isStopped
      ? null
      : await (await import('./record/share.ts')).sharePasses(ports, step.facts, request.share === true);
  // The verdict depends neither on the ledger (the log of calls) nor on other clones, so a failure there only adds a
  // notice.
  const notices: readonly RunNotice[] = [
    ...(entered.ok ? [] : [{ kind: 'not-in-ledger', failure: entered.failure } as const]),
    ...(shared?.kind === 'not-shared' ? [{ kind: 'not-shared', failure: shared.failure } as const] : []),
  ];
  const sharing = shared?.kind === 'not-shared' ? null : shared;
  return ok({ ...outcome, sharing, notices: [...outcome.notices, ...notices] });
}

/** Returns the state of all gates, and what a run would do. Runs nothing and writes nothing. */
export async function previewRun(ports: RunPorts, request: RunRequest): Promise<Result<RunPreview>> {
  const read = await readGateStates(ports, request);
  if (!read.ok) return read;
  const facts = read.value;
  const plan = decideRun(facts, request.settings, request);
  const spared = savedUsage(NO_ACTIONS, plan, facts.past.slots);
  const outcome = concludeRun(facts, NO_ACTIONS, request, spared, openBudget(request.settings.budget));
  return ok({ outcome, plan, facts });
}

/** Runs one iteration and reads the state of the gates again. The result includes the actions in `before`. */
async function iterate(run: RunContext, before: RunStep, plan: RunPlan): Promise<Result<RunStep>> {
  const { ports, request } = run;
  const ran = await runPlan(run, before.facts, plan);
  if (!ran.ok) return ran;
  const isUntouched = watchGateFiles(
    ports.snapshots,
    [...ran.value.gates.values()].filter(({ kind }) => kind === 'rule'),
  );
  const facts = await readGateStates(ports, request, before.facts.comparison);
  if (!facts.ok) return facts;
  const recorded = await recordPassingGates(ports, facts.value);
  return recorded.ok
    ? ok({ facts: facts.value, actions: joinActions(before.actions, ran.value), isUntouched })
    : recorded;
}

/** Joins the actions of the two iterations of a run. `stopped` and `interrupted` come from the later one. */
function joinActions(before: RunActions, last: RunActions): RunActions {
  return {
    ...last,
    slots: [...before.slots, ...last.slots],
    binary: [...new Set([...before.binary, ...last.binary])],
    absent: [...new Set([...before.absent, ...last.absent])],
    checks: new Map([...before.checks, ...last.checks]),
    gates: new Map([...before.gates, ...last.gates]),
  };
}

/** Runs the checks and then, if they pass or with `--all`, the reviewers. */
async function runPlan(run: RunContext, read: RunFacts, plan: RunPlan): Promise<Result<RunActions>> {
  const { ports, request } = run;
  const iteration = read.past.lastIteration + 1;
  let facts = read;
  let reviews = plan.reviews.filter((one) => one.kind === 'run');
  const gates = plan.checks.filter(({ kind }) => kind === 'run').map(({ gate }) => gate);
  ports.reporter.tell({
    kind: 'iteration-started',
    iteration,
    checks: gates.length,
    slots: reviews.flatMap(({ slots }) => slots).filter(({ kind }) => kind === 'run').length,
  });
  let { checks } = NO_ACTIONS;
  const { comparison, nameOf, checked: tree } = facts;
  // Checks can take long. Without any available agent, they would run in vain, so find that out first.
  const lacksAgents = gates.length > 0 && !request.all && (await cannotReview(run, reviews));
  if (gates.length > 0 && tree !== null && !lacksAgents) {
    // Load the code for checks only if one runs.
    const { confirmIteration, runChecks } = await import('./do/run-checks.ts');
    const takeTree = async () => {
      const again = await readGateStates(ports, request, comparison);
      if (!again.ok) return again;
      facts = again.value;
      return facts.checked === null ? facts.snapshot.tree() : ok(facts.checked);
    };
    const ran = await runChecks(run, { gates, iteration, comparison, nameOf, tree }, takeTree);
    if (!ran.ok) return ran;
    checks = new Map(ran.value.ran.map((check) => [check.id, check]));
    const stopped = ran.value.ran.some(({ status }) => status !== 'pass') && !request.all;
    const interrupted = request.stop?.aborted === true;
    // A run that ends before its reviews is not an iteration (requirement RUN-SLOTS), so the next run uses the same
    // number.
    if (stopped || interrupted) return ok({ ...NO_ACTIONS, checks, stopped, interrupted });
    const confirmed = await confirmIteration(run, read, ran.value);
    if (!confirmed.ok) return confirmed;
    // Checks can change files. Plan again, so that reviewers see the files as the checks left them.
    const planned = decideRun(facts, request.settings, { ...request, iterationStarted: true });
    reviews = planned.reviews.filter((one) => one.kind === 'run');
  }
  // Load the code for prompts and answers only if a reviewer runs.
  const slots =
    reviews.length === 0
      ? ok(NO_ACTIONS)
      : await (await import('./do/review-slots.ts')).runReviews(run, facts, reviews, iteration);
  if (!slots.ok) return slots;
  const reviewed = new Map(reviews.map(({ state }) => [state.gate.id, state.gate]));
  return ok({ ...NO_ACTIONS, ...slots.value, iteration, checks, gates: reviewed, lacksAgents });
}

/** Whether reviews are planned, but none of them has an agent that can run. */
async function cannotReview(run: RunContext, reviews: readonly GateRun[]): Promise<boolean> {
  if (reviews.length === 0) return false;
  const { hasNoAgent } = await import('./do/review-slots.ts');
  return hasNoAgent(run, reviews);
}

/**
 * Returns the plan to run the skipped reviewers, if `certify` requires that before the run passes; otherwise `null`.
 */
function certifyingPlan({ facts, actions }: RunStep, { settings }: RunRequest): RunPlan | null {
  const passes = [...facts.reviews, ...facts.checks].every(({ holds }) => holds) && !actions.interrupted;
  if (!settings.certify || !passes) return null;
  const plan = decideRun(facts, settings, { force: false, fresh: false });
  return plan.iterates ? plan : null;
}

/**
 * Marks passed reviews of rules, archives records of gates without changes, and deletes snapshots and prompts that no
 * record needs.
 */
async function finish({ ports, request }: RunContext, step: RunStep): Promise<Result<void>> {
  const { facts, actions, isUntouched } = step;
  const tolerated = request.ratchetHolder?.now.tolerated ?? new Set();
  const passed = new Set(
    facts.reviews
      // A finding that `--ratchet` tolerates must be fixed after the loop, so its gate is not marked as passed.
      .filter(({ certified, findings }) => certified && !findings.some(({ finding }) => tolerated.has(finding.id)))
      .map(({ gate }) => gate.id),
  );
  const hasIterated = actions.iteration !== null;
  if (facts.comparison.scope.kind === 'full' && hasIterated) {
    const gates = facts.reviews.map(({ gate }) => gate).filter(({ id }) => actions.gates.has(id));
    const allChanged = facts.snapshot.entries.map(({ path }) => path);
    const marked = await markPassed(ports, gates, passed, ports.clock.now(), allChanged, isUntouched);
    if (!marked.ok) return marked;
  }
  return archiveEndedCycles(ports, facts, { hasIterated });
}
