import { quoteName } from '../domain/quote-name.ts';
import type { RunOutcome } from '../domain/run.ts';
import type { SlotPlan } from '../domain/slot.ts';
import { count } from './count.ts';
import { tellGateReason } from './gate-reason.ts';
import { oneLine } from './one-line.ts';
import { tellUncovered } from './run.ts';
import { tellNoChanges, tellNoGate } from './run-result.ts';
import { tellPlan } from './slots.ts';

/** What a run intends to do with a gate, as far as it is told. */
export type ToldPlan = {
  readonly iterates: boolean;
  readonly checks: readonly {
    readonly kind: 'run' | 'rest';
    readonly gate: { readonly id: string; readonly command: string };
  }[];
  readonly reviews: readonly (
    | { readonly kind: 'run'; readonly state: ToldState; readonly slots: readonly SlotPlan[] }
    | { readonly kind: 'rest' | 'not-run'; readonly state: ToldState }
  )[];
};

type ToldState = { readonly gate: { readonly id: string; readonly entries: readonly unknown[] } };

/** What a run would do, gate by gate. */
export function tellDryRun(outcome: RunOutcome, plan: ToldPlan): string {
  const checks = plan.checks.map(({ kind, gate }) =>
    kind === 'run' ? `run     ${quoteName(gate.id)}  ${oneLine(gate.command)}` : `holds   ${quoteName(gate.id)}`,
  );
  const reviews = plan.reviews.flatMap((one) => {
    const { gate } = one.state;
    const files = count(gate.entries.length, 'file');
    if (one.kind === 'run') {
      return [`run     ${quoteName(gate.id)}  ${files}`, ...one.slots.map((slot) => `          ${tellPlan(slot)}`)];
    }
    const told = outcome.gates.find(({ id }) => id === gate.id);
    const why = told === undefined ? '' : `  ${tellGateReason(told.why)}`;
    return [`${one.kind === 'rest' ? 'holds  ' : 'not run'} ${quoteName(gate.id)}${why}`];
  });
  const lines = [...checks, ...reviews];
  const notSeen = tellUncovered(outcome);
  const uncovered = notSeen === '' ? [] : [notSeen];
  if (lines.length === 0) {
    const what = outcome.status === 'no_changes' ? tellNoChanges(outcome) : tellNoGate(outcome);
    return [`Nothing would be run: ${what}.`, ...uncovered].join('\n');
  }
  const end = plan.iterates
    ? 'Nothing was run (--dry-run).'
    : 'Every gate holds, or nothing can be asked: a run would ask nobody.';
  return [...lines, ...uncovered, end].join('\n');
}
