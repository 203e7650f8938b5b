import { describeFailure } from '@onceover/base/ui/describe-failure';
import type { NoBasePolicy } from '@onceover/repo/config/base-policy';
import { describeNoSharedPasses } from '../result/describe/shared.ts';

/** Describes why no pass of another clone can count. */
export function describeProblemOfPasses(problem: NoBasePolicy): string {
  return describeNoSharedPasses(
    problem.kind === 'failed' ? { kind: 'failed', message: describeFailure(problem.failure).what } : problem,
  );
}
