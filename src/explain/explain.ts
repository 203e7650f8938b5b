import { configuredGates } from '../gates/decide/gate-list.ts';
import { findingState } from '../gates/decide/gate-state.ts';
import type { ReviewPlan } from '../gates/decide/plan-run.ts';
import { idleGateOf, subjectOf } from '../gates/decide/select-gates.ts';
import { isAskedAbout } from '../gates/describe/logs.ts';
import { type Preview, previewGates, READ_ONLY } from '../gates/open-run.ts';
import type { RunFacts, RunPorts } from '../gates/ports.ts';
import type { FixLog } from '../gates/record-types.ts';
import type { GateOutcome } from '../gates/run-types.ts';
import type { SlotPlan } from '../gates/types.ts';
import type { RepositoryPaths } from '../kernel/repository.ts';
import { err, ok, type Result } from '../kernel/result.ts';
import { checkReruns, gateReruns, RERUNS, slotReruns } from './describe-reruns.ts';
import type { RunExplanation } from './types.ts';

/** Explains the gate, slot or finding with this name; `null` if there is none. */
export async function explainRun(
  paths: RepositoryPaths,
  name: string,
  base: string | null,
): Promise<Result<RunExplanation | null>> {
  const previewed = await previewGates(paths, { ...READ_ONLY, selection: { kind: 'change', base } });
  if (!previewed.ok) return previewed;
  const { ports, request, outcome, plan, facts } = previewed.value;
  const subject = subjectOf(name, outcome.gates);
  if (subject === null) {
    const configured = configuredGates(request.settings.gates, request.rules).map(({ id }) => id);
    const idle = idleGateOf(name, configured);
    if (idle === null) return ok(null);
    return ok({ kind: 'idle-gate', gate: idle, base: outcome.baseName, again: [RERUNS.anyChange] });
  }
  if (subject.kind === 'ambiguous') {
    return err({ kind: 'ambiguous-subject', name, gates: subject.gates.map(({ id }) => id) });
  }
  if (subject.kind === 'finding') {
    const finding = facts.findings.find(({ id }) => id === subject.id);
    if (finding === undefined) {
      return err({ kind: 'unknown-finding', id: name, known: outcome.findings.map((one) => one.finding.id) });
    }
    const entries = new Map(facts.snapshot.entries.map((entry) => [entry.path as string, entry]));
    const reported = {
      finding,
      state: findingState(finding, { ...facts.comparison, entryOf: (path) => entries.get(path) }),
    };
    const owner = plan.reviews.find(({ state }) => state.gate.id === finding.gate);
    const planned = plannedSlots(owner).some(({ kind, slot }) => kind === 'run' && slot === finding.slot);
    return ok({ kind: 'finding', reported, planned, fixes: await fixesOf(ports, [finding.id]) });
  }
  const { gate } = subject;
  if (gate.kind === 'check') return ok(await explainCheck(previewed.value, gate));
  const slot = subject.kind === 'slot' ? subject.slot : null;
  return ok(await explainReview(previewed.value, gate, slot));
}

/** Explains a review or, with `slot`, one of its reviewers; `null` if the change has no such review or reviewer. */
async function explainReview(
  { ports, request, plan, facts }: Preview,
  gate: GateOutcome,
  slot: number | null,
): Promise<RunExplanation | null> {
  const planned = plan.reviews.find(({ state }) => state.gate.id === gate.id);
  const outcome = gate.slots.find((one) => one.slot === slot) ?? null;
  if (planned === undefined || (slot !== null && outcome === null)) return null;
  const { state } = planned;
  const isMeant = (one: number) => slot === null || one === slot;
  const records = state.cycle
    .filter((record) => isMeant(record.slot))
    .sort((a, b) => b.iteration - a.iteration || a.slot - b.slot);
  const last = records.find((record) => record.own?.dispatch !== 'none');
  const ids = facts.findings.filter((one) => one.gate === gate.id).map(({ id }) => id);
  return {
    kind: 'review',
    gate,
    slot: outcome,
    files: state.gate.entries.map(({ path }) => path),
    rubric: state.gate.rubric.source,
    planned: plannedSlots(planned).filter((one) => isMeant(one.slot)),
    findings: state.findings.filter(
      (one) => one.state !== 'closed' && one.state !== 'gone' && isMeant(one.finding.slot),
    ),
    records,
    fixes: slot === null ? await fixesOf(ports, ids) : [],
    log: slot === null ? null : await lastLog(ports, facts, gate, slot, last),
    again: slot === null ? gateReruns(state, request.settings) : slotReruns(state, slot, request.settings),
  };
}

async function explainCheck(
  { ports, request, plan, facts }: Preview,
  gate: GateOutcome,
): Promise<RunExplanation | null> {
  const state = facts.checks.find((one) => one.gate.id === gate.id);
  if (state === undefined) return null;
  const records = facts.past.checks
    .filter((record) => record.gate === gate.id)
    .sort((a, b) => b.iteration - a.iteration);
  return {
    kind: 'check',
    gate,
    command: state.gate.command,
    planned: plan.checks.some((one) => one.gate.id === gate.id && one.kind === 'run'),
    records,
    log: await lastLog(ports, facts, gate, null, records[0]),
    fixes: await fixesOf(ports, [gate.id]),
    again: checkReruns(state, request.settings),
  };
}

async function lastLog(
  ports: RunPorts,
  { names }: RunFacts,
  gate: GateOutcome,
  slot: number | null,
  record: { readonly iteration: number } | undefined,
): Promise<string | null> {
  const name = names.get(gate.id);
  return record === undefined || name === undefined ? null : ports.records.readLog(name, slot, record.iteration);
}

/** Returns the logs of fixes in which the fixer was given one of these findings or checks. */
async function fixesOf(ports: RunPorts, ids: readonly string[]): Promise<readonly FixLog[]> {
  return (await ports.records.fixLogs()).filter(({ log }) => isAskedAbout(log, ids));
}

function plannedSlots(planned: ReviewPlan | undefined): readonly SlotPlan[] {
  return planned?.kind === 'run' ? planned.slots : [];
}
