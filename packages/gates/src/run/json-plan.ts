import { describePlan } from '../result/describe/reasons.ts';
import { type RunDocument, runDocument } from '../result/json.ts';
import type { RunOutcome } from '../result/types.ts';
import type { RunPlan } from './decide/plan-run.ts';

/** Returns the JSON result of `run --dry-run --json`: the status of each gate, and what a run would do with it. */
export function dryRunDocument(outcome: RunOutcome, plan: RunPlan): RunDocument {
  const document = runDocument(outcome);
  const plans = new Map<string, string[]>([
    ...plan.checks.map(({ kind, gate }) => [gate.id, kind === 'run' ? ['Running it'] : []] as const),
    ...plan.reviews.map((one) => [one.state.gate.id, one.kind === 'run' ? one.slots.map(describePlan) : []] as const),
  ]);
  return { ...document, gates: document.gates.map((gate) => ({ ...gate, would_do: plans.get(gate.id) ?? [] })) };
}
