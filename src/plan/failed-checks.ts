import type { CheckRecord } from '../domain/record.ts';
import type { Whereabouts } from '../domain/scope.ts';
import { isHere } from './cycle.ts';
import type { CheckState } from './decide-run.ts';

/** The last look of each check that does not hold, and did not pass when its present command ran last on this branch. */
export function failedChecks(
  checks: readonly CheckState[],
  records: readonly CheckRecord[],
  where: Whereabouts,
): readonly CheckRecord[] {
  return checks.flatMap(({ gate, holds }) => {
    if (holds) return [];
    const [last] = records
      .filter((record) => record.gate === gate.id && record.command === gate.command && isHere(record, where))
      .sort((a, b) => b.iteration - a.iteration);
    return last === undefined || last.status === 'pass' ? [] : [last];
  });
}
