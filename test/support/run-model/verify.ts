import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import type { RunOutcome } from '@onceover/gates/result/types';
import { expect } from 'vitest';
import { type MemoryTree, type Moment, treeId } from '../memory/git.ts';
import { absorbLook, absorbRest, isTidied } from './absorb.ts';
import { type Ground, isOpen, type Model } from './model.ts';
import type { ObservedCheck, ObservedRun, ObservedWave, Write } from './observed.ts';
import { type ModelPlan, planCertify, planRun, type Standings, standings } from './plan.ts';
import { AGENTS, LONG, type Setup, SMALL_LIMIT } from './setup.ts';
import { type ModelGate, type Stand, standAt } from './stand.ts';
import { checkKey, cycleStart, heldKey, isHere } from './states.ts';

/** Compares a run with the definitions, and updates the model with what it left behind. */
export function verifyRun(ground: Ground, run: ObservedRun): void {
  const { model, tree, setup } = ground;
  const at = (moment: Moment) => standings(model, tree, standAt(ground, moment, run.asked));
  const hasEnded = isComplete(run);
  const before = at(run.start);
  absorbHeld(model, run, before, -1);
  const plan = planRun(before, setup, run.asked, false);
  const waves = [...run.waves];
  const first = waves.shift();
  let checks: 'passed' | 'not-passed' = 'passed';
  if (!plan.iterates) expect(first, 'an iteration although every gate passes').toBeUndefined();
  if (first === undefined) {
    if (hasEnded) expect(plan.iterates, 'no iteration although a gate has to run').toBe(false);
  } else {
    if (run.asked.force) model.cooling.clear();
    checks = verifyWave(ground, run, 0, first, plan, before.stand);
    const now = at(run.waves.length > 1 ? (run.waves[1]?.begun ?? run.end) : run.end);
    absorbHeld(model, run, now, 0);
    const certifies = setup.certify ? planCertify(now) : null;
    const second = waves.shift();
    if (second !== undefined) {
      expect(certifies?.iterates, 'a second iteration without a reason').toBe(true);
      if (certifies !== null) verifyWave(ground, run, 1, second, certifies, now.stand);
    } else if (hasEnded && certifies !== null) {
      expect(certifies.iterates, 'skipped slots that did not run before the run passed').toBe(false);
    }
    expect(waves, 'more iterations than two').toEqual([]);
  }
  const after = at(run.end);
  if (run.waves.length > 1) absorbHeld(model, run, after, 1);
  if (run.outcome !== null) verifyOutcome(setup, run, run.outcome, after, checks);
  absorbEndedCycles(ground, run, after.stand);
}

/** Remembers which gates pass after an iteration: failing iterations before that no longer count. */
function absorbHeld(model: Model, run: ObservedRun, { stand, gates }: Standings, wave: number): void {
  const noted = run.writes.flatMap((write) =>
    write.kind === 'held' && write.wave === wave ? [write.receipt.gate] : [],
  );
  const holding = gates.filter(({ holds }) => holds && stand.scope.kind === 'full').map(({ gate }) => gate);
  const wrong = noted.filter((id) => !holding.some((gate) => gate.id === id));
  expect(wrong, 'reported as passing although they do not pass').toEqual([]);
  const moment = ++model.moments;
  for (const { id, content } of holding) {
    if (run.outcome !== null || noted.includes(id)) model.held.set(heldKey(stand, id), { moment, content });
  }
}

function verifyWave(
  ground: Ground,
  run: ObservedRun,
  index: number,
  wave: ObservedWave,
  planned: ModelPlan,
  begun: Stand,
): 'passed' | 'not-passed' {
  const { model, tree, setup } = ground;
  // If no agent could review after them, checks do not run.
  const lacksAgents = !run.asked.all && planned.gates.size > 0 && AGENTS.every((agent) => model.cooling.has(agent));
  const plan = lacksAgents ? { ...planned, checks: [] } : planned;
  const writes = run.writes.filter((write) => write.wave === index);
  const numbered = (model.records[tree] ?? []).filter(({ isNumbered }) => isNumbered);
  const last = Math.max(0, ...numbered.map(({ iteration }) => iteration));
  expect(wave.iteration, 'the number of the iteration').toBe(last + 1);
  const checks = verifyChecks(ground, plan, wave, begun, writes, isComplete(run));
  const stops = checks !== 'passed' && !run.asked.all;
  if (stops) {
    expect(wave.looks, 'reviews after a failing check').toEqual([]);
    return checks;
  }
  const shown = standAt(ground, wave.shown, run.asked);
  const now = standings(model, tree, shown);
  const reviews = plan.checks.length === 0 || index > 0 ? plan : planRun(now, setup, run.asked, true);
  verifyLooks(ground, run, wave, reviews, shown);
  for (const write of writes) {
    if (write.kind === 'log')
      remember(ground, { gate: write.gate, iteration: write.iteration, where: null, look: null, isNumbered: true });
  }
  for (const write of writes) if (write.kind === 'cooling') model.cooling.add(write.agent);
  const gateOf = (id: GateId): ModelGate => shown.gates.find((gate) => gate.id === id) ?? missing(id);
  for (const [id, { run: slots, rest }] of reviews.gates) {
    const standing = now.gates.find(({ gate }) => gate.id === id)?.standing ?? [];
    for (const [slot, since] of rest) {
      absorbRest(
        ground,
        { stand: shown, gate: gateOf(id), slot, since, iteration: wave.iteration },
        writes,
        isComplete(run),
      );
    }
    for (const slot of slots) {
      const look = wave.looks.find((one) => one.gate === id && one.slot === slot) ?? null;
      const facts = { stand: shown, gate: gateOf(id), slot, iteration: wave.iteration, standing, shown: wave.shown };
      absorbLook(ground, run.asked, facts, look, writes, isComplete(run));
    }
  }
  return checks;
}

/** Every due slot runs and no other, unless no agent is available or the budget is used up. */
function verifyLooks(
  { model, setup }: Ground,
  run: ObservedRun,
  wave: ObservedWave,
  plan: ModelPlan,
  { base, files, gates }: Stand,
): void {
  const asked = new Set(wave.looks.map(({ gate, slot }) => `${gate}@${slot}`));
  const isLong = (tree: MemoryTree, path: RepoPath) => tree.get(path)?.text.includes(LONG) === true;
  const cannot = (id: GateId) =>
    AGENTS.every((agent) => model.cooling.has(agent)) ||
    (setup.diffLimit === SMALL_LIMIT &&
      gates.some(
        (gate) => gate.id === id && gate.entries.some(({ path }) => isLong(base, path) || isLong(files, path)),
      ));
  const due = [...plan.gates].flatMap(([gate, { run: slots }]) =>
    cannot(gate) ? [] : slots.map((slot) => `${gate}@${slot}`),
  );
  const unasked = [...asked].filter((one) => !due.includes(one));
  expect(unasked, 'reviews without a reason').toEqual([]);
  const spent = run.waves.flatMap(({ looks }) => looks.flatMap(({ asks }) => asks)).length;
  if (setup.budget !== null) expect(spent, 'calls beyond the budget').toBeLessThanOrEqual(setup.budget);
  if (!isComplete(run) || spent === setup.budget) return;
  const missed = due.filter((one) => !asked.has(one));
  expect(missed, 'reviews that are missing').toEqual([]);
}

/** Whether the run could do everything that it planned. */
function isComplete({ outcome, isStopped }: ObservedRun): boolean {
  return outcome !== null && !isStopped;
}

/** Compares the output of `status` with the definitions. */
export function verifyStatus({ setup }: Ground, outcome: RunOutcome, standing: Standings): void {
  const { gates, unmet, orphans } = standing;
  const holds = gates.every((one) => (setup.certify ? one.certified : one.holds));
  expect(outcome.iteration, 'status runs nothing').toBeNull();
  expect(outcome.exitCode === 0, 'whether status reports that all gates pass').toBe(
    holds && unmet.length === 0 && orphans.length === 0,
  );
  verifyFindings(outcome, standing);
}

function remember({ model, tree }: Ground, record: Model['records'][0][number]): void {
  model.records[tree === 0 ? 0 : 1] = [...(model.records[tree] ?? []), record];
}

/** The next run gets the number of a run that was not an iteration, so its record of a check replaces the old one. */
function forgetCheck({ model, tree }: Ground, gate: GateId, iteration: number): void {
  model.records[tree === 0 ? 0 : 1] = (model.records[tree] ?? []).filter(
    (record) => record.gate !== gate || record.iteration !== iteration,
  );
}

/** Checks run in order, and again if they changed the tree. They count for a tree that did not change. */
function verifyChecks(
  ground: Ground,
  plan: ModelPlan,
  wave: ObservedWave,
  begun: Stand,
  writes: readonly Write[],
  hasEnded: boolean,
): 'passed' | 'not-passed' {
  const { model } = ground;
  const ran = [...wave.checks];
  let before = begun.tree;
  let result: 'passed' | 'not-passed' = 'passed';
  for (let round = 1; round <= 2 && plan.checks.length > 0; round++) {
    const these: ObservedCheck[] = ran.splice(0, plan.checks.length);
    expect(
      these.map(({ gate }) => gate),
      'the checks of a round',
    ).toEqual(plan.checks.map(({ id }) => id).slice(0, hasEnded ? undefined : these.length));
    for (const [i, { gate, passed, before: seen }] of these.entries()) {
      const command = plan.checks[i]?.command ?? '';
      const isReported = hasReceipt(writes, 'fail', gate, treeId(seen.files));
      if (isReported) model.checks.set(checkKey(gate, command, treeId(seen.files)), false);
      if (isReported || hasEnded) expect(isReported, `whether the failure of ${gate} is reported`).toBe(!passed);
      const written = writes.flatMap((write) =>
        write.kind === 'check' && write.record.gate === gate ? [write.record] : [],
      );
      const record = written.at(-1);
      if (record === undefined) continue;
      forgetCheck(ground, gate, wave.iteration);
      const isNumbered = record.iterationTookPlace !== false;
      remember(ground, { gate, iteration: wave.iteration, where: begun.where, look: null, isNumbered });
    }
    const isWhole = these.length === plan.checks.length;
    const after = treeId(these.at(-1)?.after.files ?? new Map());
    // If one check writes a file and another reverts it, the checks did not run on the same tree.
    const isSteady = these.every((one) => treeId(one.after.files) === before);
    const allPassed = isWhole && these.every(({ passed }) => passed);
    result = allPassed ? 'passed' : 'not-passed';
    for (const [i, { gate, passed }] of these.entries()) {
      const command = plan.checks[i]?.command ?? '';
      const isVouched = hasReceipt(writes, 'pass', gate, after);
      const isDue = isWhole && passed && isSteady;
      if (isVouched && isSteady) {
        expect(isDue, `${gate} counts as passed`).toBe(true);
        model.checks.set(checkKey(gate, command, after), true);
      } else if (hasEnded) expect(isDue, `${gate} does not count as passed`).toBe(false);
    }
    if (!isWhole || !allPassed || isSteady) break;
    before = after;
    if (round === 2) result = 'not-passed';
  }
  expect(ran, 'checks beyond two rounds').toEqual([]);
  return result;
}

function hasReceipt(writes: readonly Write[], verdict: 'pass' | 'fail', gate: GateId, tree: string): boolean {
  return writes.some(
    (write) =>
      write.kind === 'check-receipt' &&
      write.receipt.verdict === verdict &&
      write.receipt.gate === gate &&
      write.receipt.tree === tree,
  );
}

function verifyOutcome(
  setup: Setup,
  run: ObservedRun,
  outcome: RunOutcome,
  standing: Standings,
  checks: 'passed' | 'not-passed',
): void {
  const { gates, unmet, orphans } = standing;
  // A run that ends before its reviews is not an iteration.
  const last = run.waves.at(-1);
  const isCut = run.isStopped && last?.checks.length !== 0 && last?.looks.length === 0;
  const isIteration = last !== undefined && !isCut && (checks === 'passed' || run.asked.all);
  expect(outcome.iteration, 'the reported iteration').toBe(isIteration ? last.iteration : null);
  const lacking = gates.filter(({ holds, certified }) => !(setup.certify ? certified : holds));
  // An error in this run decides, even if the content passed before, or no change is left.
  const isLeft = (id: GateId) => gates.some(({ gate }) => gate.id === id);
  const errors = run.writes.flatMap((write) => {
    if (write.kind !== 'slot') return [];
    const { gate, slot, status } = write.record;
    return status === 'error' || (status === 'fail' && !isLeft(gate)) ? [`${gate}@${slot}`] : [];
  });
  const allHold = lacking.length === 0 && unmet.length === 0 && errors.length === 0 && orphans.length === 0;
  if (outcome.exitCode === 0) {
    expect(
      lacking.map(({ gate }) => gate.id),
      'exit 0 although these gates do not pass',
    ).toEqual([]);
    expect(unmet, 'exit 0 although these checks do not pass').toEqual([]);
    expect(orphans, 'exit 0 although these findings are open').toEqual([]);
    expect(errors, 'exit 0 although these could not run').toEqual([]);
    expect(checks, 'exit 0 although the checks').toBe('passed');
  } else if (isComplete(run)) {
    expect(allHold && checks === 'passed', `exit ${outcome.exitCode} although all gates pass`).toBe(false);
  }
  const isOpenHere = orphans.length > 0 || gates.some((one) => one.standing.some(({ state }) => isOpen(state)));
  if (isOpenHere) expect(outcome.exitCode, 'something is open').toBe(1);
  verifyFindings(outcome, standing);
}

/** Open findings, warnings and waived findings are reported with their states. */
function verifyFindings(outcome: RunOutcome, { gates, orphans }: Standings): void {
  const counts = (state: string) => state !== 'gone' && state !== 'closed';
  const told = outcome.findings
    .map(({ finding, state }) => `${finding.id} ${state}`)
    .filter((one) => counts(one.split(' ')[1] ?? ''));
  const expected = gates.flatMap(({ standing }) =>
    standing.filter(({ state }) => counts(state)).map(({ finding, state }) => `${finding.id} ${state}`),
  );
  const lost = orphans.map(({ id, said }) => `${id} ${said === 'fixed' ? 'fixed_claimed' : 'open'}`);
  expect(told.sort(), 'the findings').toEqual([...expected, ...lost].sort());
}

/** A whole run that finds no changes for a gate ends its cycle: records are archived, findings are marked as ended. */
function absorbEndedCycles(ground: Ground, run: ObservedRun, stand: Stand): void {
  const { model, tree } = ground;
  // The settings may lack a gate for one run only, so its cycle goes on while anything is changed.
  const isKnown = (gate: GateId) =>
    ground.setup.hasSecurity || !gate.endsWith(':security') || stand.entries.length === 0;
  const isOver = (gate: GateId) => stand.isWhole && !stand.ids.has(gate) && isKnown(gate);
  const starts = new Map(
    stand.gates.map((gate) => [gate.id, stand.scope.kind === 'full' ? cycleStart(model, tree, stand, gate) : 0]),
  );
  const archived = run.writes.flatMap((write) =>
    write.kind === 'archive' && write.which !== 'all' ? write.which : [],
  );
  const kept = (model.records[tree] ?? []).filter((record) => {
    const isEarlier = record.iteration < (starts.get(record.gate) ?? 0);
    const isDue = (isOver(record.gate) || isEarlier) && record.where !== null && isHere(record.where, stand.where);
    const isGone = archived.some((one) => one.gate === record.gate && one.iteration === record.iteration);
    if (isGone && record.where !== null) expect(isDue, `${record.gate} moves to the archive`).toBe(true);
    if (run.outcome !== null && record.where !== null)
      expect(isGone, `${record.gate}.${record.iteration} in the archive`).toBe(isDue);
    return !isGone;
  });
  model.records[tree === 0 ? 0 : 1] = kept;
  model.findings = model.findings.map((finding) => {
    const isEnded = run.writes.some(
      (write) => write.kind === 'update' && write.finding.id === finding.id && isTidied(write.finding),
    );
    const isDue =
      isOver(finding.gate) &&
      finding.scope === stand.scope.key &&
      finding.kept !== 'closed' &&
      isHere(finding.where, stand.where);
    if (isEnded) expect(isDue, `the cycle of ${finding.id} has ended`).toBe(true);
    if (run.outcome !== null && isDue && !finding.cycleEnded)
      expect(isEnded, `the cycle of ${finding.id} is marked as ended`).toBe(true);
    return isEnded ? { ...finding, cycleEnded: true } : finding;
  });
}

function missing(id: GateId): never {
  throw new Error(`no gate ${id}`);
}
