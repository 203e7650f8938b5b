import { type Budget, openBudget } from '@onceover/agents/dispatch/limits';
import { ok, type Result } from '@onceover/base/kernel/result';
import { failureMessage } from '@onceover/base/ui/failure-message';
import type { ReviewGate } from '../gate-types.ts';
import type { RunNotice, RunOutcome } from '../result/types.ts';
import { decideRun, type GateRun, type RunPlan } from './decide/plan-run.ts';
import { NO_ACTIONS, type RunActions } from './judge/judge-run.ts';
import type { RunContext, RunFacts, RunPorts, RunRequest } from './ports.ts';
import { readGateStates } from './read/state.ts';
import { archiveEndedCycles, recordPassingGates, watchGateFiles } from './record/after-run.ts';
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
  const initialFacts = await readGateStates(ports, request);
  if (!initialFacts.ok) return initialFacts;
  const recordResult = await recordPassingGates(ports, initialFacts.value);
  if (!recordResult.ok) return recordResult;
  const plan = decideRun(initialFacts.value, request.settings, request);
  let step: RunStep = { facts: initialFacts.value, actions: NO_ACTIONS, isUntouched: () => false };
  if (plan.iterates) {
    // An agent that reached a usage limit is not called for some time (cooldown). A person may know that it works
    // again, so `--force` ends that time. An agent cannot end it.
    const isLifted = request.force && request.startedBy === 'person';
    const liftResult = isLifted ? await ports.cooldowns.lift(ports.clock.now()) : ok([]);
    if (!liftResult.ok) return liftResult;
    const firstStep = await iterate(run, step, plan);
    if (!firstStep.ok) return firstStep;
    const certifyPlan = certifyingPlan(firstStep.value, request);
    const certifiedStep = certifyPlan === null ? firstStep : await iterate(run, firstStep.value, certifyPlan);
    if (!certifiedStep.ok) return certifiedStep;
    // Keep the function from the first iteration: it also notices files that were written during the second one.
    step = { ...certifiedStep.value, isUntouched: firstStep.value.isUntouched };
  }
  const savings = savedUsage(step.actions, plan, initialFacts.value.past.slots);
  const outcome = concludeRun(step.facts, step.actions, request, savings, budget);
  const finishResult = await finish(run, step);
  if (!finishResult.ok) return finishResult;
  // A run without changes costs nothing and saves nothing, so the ledger (the log of all calls) gets no entry.
  if (outcome.status === 'no_changes') return ok(outcome);
  const entry = ledgerRun(request, step, outcome, savings, [startedAt, ports.clock.now()]);
  const ledgerResult = await ports.ledger.add(entry);
  const isStopped = request.stop?.aborted === true;
  const shareResult =
    ports.shared == null || isStopped
      ? null
      : await (await import('./record/share.ts')).sharePasses(ports, step.facts, request.share === true);
  // The verdict depends neither on the ledger (the log of calls) nor on other clones, so a failure there only adds a
  // notice.
  const notices: readonly RunNotice[] = [
    ...(ledgerResult.ok
      ? []
      : [{ kind: 'not-in-ledger', message: await failureMessage(ledgerResult.failure) } as const]),
    ...(shareResult?.kind === 'not-shared'
      ? [{ kind: 'not-shared', message: await failureMessage(shareResult.failure) } as const]
      : []),
  ];
  const sharing = shareResult?.kind === 'not-shared' ? null : shareResult;
  return ok({ ...outcome, sharing, notices: [...outcome.notices, ...notices] });
}

/** Returns the state of all gates, and what a run would do. Runs nothing and writes nothing. */
export async function previewRun(ports: RunPorts, request: RunRequest): Promise<Result<RunPreview>> {
  const factsResult = await readGateStates(ports, request);
  if (!factsResult.ok) return factsResult;
  const facts = factsResult.value;
  const plan = decideRun(facts, request.settings, request);
  const savings = savedUsage(NO_ACTIONS, plan, facts.past.slots);
  const outcome = concludeRun(facts, NO_ACTIONS, request, savings, openBudget(request.settings.budget));
  return ok({ outcome, plan, facts });
}

/** Runs one iteration and reads the state of the gates again. The result includes the actions in `before`. */
async function iterate(run: RunContext, before: RunStep, plan: RunPlan): Promise<Result<RunStep>> {
  const { ports, request } = run;
  const actions = await runPlan(run, before.facts, plan);
  if (!actions.ok) return actions;
  const isUntouched = watchGateFiles(
    ports.snapshots,
    [...actions.value.gates.values()].filter(({ kind }) => kind === 'rule'),
  );
  const facts = await readGateStates(ports, request, before.facts.comparison);
  if (!facts.ok) return facts;
  const recordResult = await recordPassingGates(ports, facts.value);
  return recordResult.ok
    ? ok({ facts: facts.value, actions: joinActions(before.actions, actions.value), isUntouched })
    : recordResult;
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
async function runPlan(run: RunContext, initialFacts: RunFacts, plan: RunPlan): Promise<Result<RunActions>> {
  const { ports, request } = run;
  const iteration = initialFacts.past.lastIteration + 1;
  let facts = initialFacts;
  let reviews = plan.reviews.filter((review) => review.kind === 'run');
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
      const currentFacts = await readGateStates(ports, request, comparison);
      if (!currentFacts.ok) return currentFacts;
      facts = currentFacts.value;
      return facts.checked === null ? facts.snapshot.tree() : ok(facts.checked);
    };
    const checkRun = await runChecks(run, { gates, iteration, comparison, nameOf, tree }, takeTree);
    if (!checkRun.ok) return checkRun;
    checks = new Map(checkRun.value.ran.map((check) => [check.id, check]));
    const isStopped = checkRun.value.ran.some(({ status }) => status !== 'pass') && !request.all;
    const isInterrupted = request.stop?.aborted === true;
    // A run that ends before its reviews is not an iteration (requirement RUN-SLOTS), so the next run uses the same
    // number.
    if (isStopped || isInterrupted)
      return ok({ ...NO_ACTIONS, checks, stopped: isStopped, interrupted: isInterrupted });
    const confirmResult = await confirmIteration(run, initialFacts, checkRun.value);
    if (!confirmResult.ok) return confirmResult;
    // Checks can change files. Plan again, so that reviewers see the files as the checks left them.
    const newPlan = decideRun(facts, request.settings, { ...request, iterationStarted: true });
    reviews = newPlan.reviews.filter((review) => review.kind === 'run');
  }
  // Load the code for prompts and answers only if a reviewer runs.
  const slots =
    reviews.length === 0
      ? ok(NO_ACTIONS)
      : await (await import('./do/review-slots.ts')).runReviews(run, facts, reviews, iteration);
  if (!slots.ok) return slots;
  const reviewedGates = new Map(reviews.map(({ state }) => [state.gate.id, state.gate]));
  return ok({ ...NO_ACTIONS, ...slots.value, iteration, checks, gates: reviewedGates, lacksAgents });
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
  const toleratedIds = request.ratchetHolder?.now.tolerated ?? new Set();
  const passedIds = new Set(
    facts.reviews
      // A finding that `--ratchet` tolerates must be fixed after the loop, so its gate is not marked as passed.
      .filter(({ certified, findings }) => certified && !findings.some(({ finding }) => toleratedIds.has(finding.id)))
      .map(({ gate }) => gate.id),
  );
  const hasIterated = actions.iteration !== null;
  if (facts.comparison.scope.kind === 'full' && hasIterated) {
    const gates = facts.reviews.map(({ gate }) => gate).filter(({ id }) => actions.gates.has(id));
    const allChanged = facts.snapshot.entries.map(({ path }) => path);
    // The code for marks is loaded only if a rule's review passed.
    const isMarking = gates.some(({ kind, id }) => kind === 'rule' && passedIds.has(id));
    const markResult = !isMarking
      ? ok(undefined)
      : await (await import('./record/marks.ts')).markPassed(
          ports,
          gates,
          passedIds,
          ports.clock.now(),
          allChanged,
          isUntouched,
        );
    if (!markResult.ok) return markResult;
  }
  return archiveEndedCycles(ports, facts, { hasIterated });
}
