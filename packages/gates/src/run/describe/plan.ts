import { oneLine, quoteName } from '@onceover/base/kernel/escape';
import { count } from '@onceover/base/ui/wording';
import { describeReviewerPlan, GATE_REASONS } from '../../result/describe/reasons.ts';
import { describeNoChanges, describeNoGate } from '../../result/describe/result.ts';
import { describeUncovered } from '../../result/describe/run.ts';
import type { RunOutcome } from '../../result/types.ts';
import type { RunPlan } from '../decide/plan-run.ts';

/** Describes what a run would do, for `run --dry-run`. */
export function describeDryRun(outcome: RunOutcome, plan: RunPlan): string {
  const row = (word: string, id: string, detail: string) => `${word.padEnd(9)}${quoteName(id)}  ${detail}`.trimEnd();
  const reasons = new Map(outcome.gates.map(({ id, why }) => [id, GATE_REASONS[why]]));
  const lines = [
    ...plan.checks.map(({ kind, gate: { id, command } }) =>
      kind === 'run' ? row('run', id, oneLine(command)) : row('skip', id, GATE_REASONS['unchanged-since-pass']),
    ),
    ...plan.reviews.flatMap((review) => {
      const { gate } = review.state;
      if (review.kind === 'run') {
        const slots = review.slots.map((slot) => `${' '.repeat(9)}${describeReviewerPlan(slot)}`);
        return [row('run', gate.id, count(gate.entries.length, 'file')), ...slots];
      }
      return [row(review.kind === 'rest' ? 'skip' : 'not run', gate.id, reasons.get(gate.id) ?? '')];
    }),
  ];
  const uncovered = describeUncovered(outcome);
  if (lines.length === 0) {
    const why = outcome.status === 'no_changes' ? describeNoChanges(outcome) : describeNoGate(outcome);
    return [`Nothing would run: ${why}.`, ...uncovered].join('\n');
  }
  const end = plan.iterates ? 'Nothing was run (--dry-run).' : 'A run would call no reviewer and run no check.';
  return [...lines, ...uncovered, end].join('\n');
}
