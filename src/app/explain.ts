import type { Place } from '../domain/change.ts';
import type { RunExplanation } from '../domain/explanation.ts';
import { done, failed, type Result } from '../domain/result.ts';
import type { GateOutcome } from '../domain/run.ts';
import type { SlotPlan } from '../domain/slot.ts';
import { previewRun } from '../execute/run.ts';
import { findingState, isInCycle } from '../plan/cycle.ts';
import { type Subject, subjectOf } from '../plan/subject.ts';
import { NOBODY, openRun } from './run.ts';

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
  if (subject === null) return done(null);
  if (subject.kind === 'ambiguous') {
    return failed({ kind: 'ambiguous-subject', name, gates: subject.gates.map(({ id }) => id) });
  }
  if (subject.kind === 'finding') {
    const finding = facts.findings.find(({ id }) => id === subject.id);
    if (finding === undefined) {
      return failed({ kind: 'unknown-finding', id: name, known: outcome.findings.map((one) => one.finding.id) });
    }
    const entries = new Map(facts.snapshot.entries.map((entry) => [entry.path as string, entry]));
    return done({
      kind: 'finding',
      told: { finding, state: findingState(finding, facts.comparison, (path) => entries.get(path)) },
    });
  }
  const { gate } = subject;
  const planned = plan.reviews.find(({ state }) => state.gate.id === gate.id);
  const slots = planned?.kind === 'run' ? planned.slots : [];
  const records = facts.past.slots
    .filter((record) => record.gate === gate.id && isInCycle(record, facts.comparison))
    .sort((a, b) => b.iteration - a.iteration);
  if (subject.kind === 'gate') {
    const state = facts.reviews.find((one) => one.gate.id === gate.id);
    return done({
      kind: 'gate',
      gate,
      files: state?.gate.entries.map(({ path }) => path) ?? [],
      rubric: state?.gate.rubric.source ?? null,
      planned: slots,
      records,
      checks: facts.past.checks.filter((record) => record.gate === gate.id).sort((a, b) => b.iteration - a.iteration),
    });
  }
  return explainSlot(subject, gate, slots, records, (iteration) => {
    const named = facts.names.get(gate.id);
    return named === undefined ? Promise.resolve(null) : ports.records.readLog(named, subject.slot, iteration);
  });
}

async function explainSlot(
  subject: Extract<Subject, { kind: 'slot' }>,
  gate: GateOutcome,
  planned: readonly SlotPlan[],
  records: Extract<RunExplanation, { kind: 'slot' }>['records'],
  logOf: (iteration: number) => Promise<string | null>,
): Promise<Result<RunExplanation | null>> {
  const slot = gate.slots.find((one) => one.slot === subject.slot);
  if (slot === undefined) return done(null);
  const own = records.filter((record) => record.slot === subject.slot);
  const asked = own.find((record) => record.own?.dispatch !== 'none');
  return done({
    kind: 'slot',
    gate,
    slot,
    planned: planned.find((plan) => plan.slot === subject.slot) ?? null,
    records: own,
    log: asked === undefined ? null : await logOf(asked.iteration),
  });
}
