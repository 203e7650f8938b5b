import type { Place } from '../domain/change.ts';
import type { RunExplanation } from '../domain/explanation.ts';
import type { FixLog } from '../domain/ports.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { GateOutcome } from '../domain/run.ts';
import type { SlotPlan } from '../domain/slot.ts';
import type { RunFacts } from '../execute/read-run.ts';
import { previewRun } from '../execute/run.ts';
import { findingState, isInCycle } from '../plan/cycle.ts';
import type { ReviewPlan, RunPlan } from '../plan/decide-run.ts';
import { configuredGates } from '../plan/gates.ts';
import { checkRunsAgain, gateRunsAgain, slotRunsAgain } from '../plan/runs-again.ts';
import { idleGateOf, subjectOf } from '../plan/subject.ts';
import { isAskedAbout } from '../text/fix-log.ts';
import { NOBODY, type OpenedRun, openRun } from './run.ts';

type Previewed = { readonly plan: RunPlan; readonly facts: RunFacts };

/** Why a gate, a slot or a finding stands as it does; null where the name is none of them. */
export async function explainRun(
  place: Place,
  name: string,
  base: string | null,
): Promise<Result<RunExplanation | null>> {
  const opened = await openRun(place, { ...NOBODY, selection: { kind: 'change', base } });
  if (!opened.ok) return opened;
  const { ports, request } = opened.value;
  const previewed = await previewRun(ports, request);
  if (!previewed.ok) return previewed;
  const { outcome, plan, facts } = previewed.value;
  const subject = subjectOf(name, outcome.gates);
  if (subject === null) {
    const configured = configuredGates(request.settings.gates, request.rules).map(({ id }) => id);
    const idle = idleGateOf(name, configured);
    if (idle === null) return done(null);
    return done({ kind: 'idle-gate', gate: idle, base: outcome.baseName, again: [{ kind: 'any-change' }] });
  }
  if (subject.kind === 'ambiguous') {
    return failed({ kind: 'ambiguous-subject', name, gates: subject.gates.map(({ id }) => id) });
  }
  if (subject.kind === 'finding') {
    const finding = facts.findings.find(({ id }) => id === subject.id);
    if (finding === undefined) {
      return failed({ kind: 'unknown-finding', id: name, known: outcome.findings.map((one) => one.finding.id) });
    }
    const entries = new Map(facts.snapshot.entries.map((entry) => [entry.path as string, entry]));
    const told = { finding, state: findingState(finding, facts.comparison, (path) => entries.get(path)) };
    const owner = plan.reviews.find(({ state }) => state.gate.id === finding.gate);
    const planned = slotPlan(owner, finding.slot)?.kind === 'run';
    return done({ kind: 'finding', told, planned, fixes: await fixesOf(opened.value, [finding.id]) });
  }
  const { gate } = subject;
  if (gate.kind === 'check') return explainCheck(opened.value, previewed.value, gate);
  const planned = plan.reviews.find(({ state }) => state.gate.id === gate.id);
  if (planned === undefined) return done(null);
  const { state } = planned;
  const records = facts.past.slots
    .filter((record) => record.gate === gate.id && isInCycle(record, facts.comparison))
    .sort((a, b) => b.iteration - a.iteration || a.slot - b.slot);
  const findings = state.findings.filter((one) => one.state !== 'closed' && one.state !== 'gone');
  if (subject.kind === 'gate') {
    return done({
      kind: 'gate',
      gate,
      files: state.gate.entries.map(({ path }) => path),
      rubric: state.gate.rubric.source,
      planned: planned.kind === 'run' ? planned.slots : [],
      findings,
      records,
      fixes: await fixesOf(
        opened.value,
        facts.findings.filter((one) => one.gate === gate.id).map(({ id }) => id),
      ),
      again: gateRunsAgain(state, request.settings),
    });
  }
  const slot = gate.slots.find((one) => one.slot === subject.slot);
  if (slot === undefined) return done(null);
  const own = records.filter((record) => record.slot === subject.slot);
  const asked = own.find((record) => record.own?.dispatch !== 'none');
  const named = facts.names.get(gate.id);
  return done({
    kind: 'slot',
    gate,
    slot,
    planned: slotPlan(planned, subject.slot),
    findings: findings.filter(({ finding }) => finding.slot === subject.slot),
    records: own,
    log:
      asked === undefined || named === undefined
        ? null
        : await ports.records.readLog(named, subject.slot, asked.iteration),
    again: slotRunsAgain(state, subject.slot, request.settings),
  });
}

async function explainCheck(
  { ports, request }: OpenedRun,
  { plan, facts }: Previewed,
  gate: GateOutcome,
): Promise<Result<RunExplanation | null>> {
  const state = facts.checks.find((one) => one.gate.id === gate.id);
  if (state === undefined) return done(null);
  const records = facts.past.checks
    .filter((record) => record.gate === gate.id)
    .sort((a, b) => b.iteration - a.iteration);
  const [last] = records;
  const named = facts.names.get(gate.id);
  return done({
    kind: 'check',
    gate,
    command: state.gate.command,
    planned: plan.checks.some((one) => one.gate.id === gate.id && one.kind === 'run'),
    records,
    log: last === undefined || named === undefined ? null : await ports.records.readLog(named, null, last.iteration),
    fixes: await fixesOf({ ports }, [gate.id]),
    again: checkRunsAgain(state, request.settings),
  });
}

/** The logs of fixers that were to mend one of these. */
async function fixesOf({ ports }: Pick<OpenedRun, 'ports'>, ids: readonly string[]): Promise<readonly FixLog[]> {
  return (await ports.records.fixLogs()).filter(({ log }) => isAskedAbout(log, ids));
}

function slotPlan(planned: ReviewPlan | undefined, slot: number): SlotPlan | null {
  return planned?.kind === 'run' ? (planned.slots.find((plan) => plan.slot === slot) ?? null) : null;
}
