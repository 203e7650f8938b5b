import type { CheckState, RunPlan } from './decide-run.ts';

/** Whether everything that would be asked has been: each of those reviewers has failed just what is there now, by today's prompt. */
export function isAskedAlready({ reviews }: Pick<RunPlan, 'reviews'>, checks: readonly CheckState[]): boolean {
  if (checks.some(({ holds }) => !holds)) return false;
  const failing = reviews.filter(({ kind, state }) => kind === 'run' && !state.holds);
  return reviews.every((plan) => {
    if (plan.kind !== 'run') return true;
    // A gate that holds would only run because another one does.
    if (plan.state.holds) return failing.length > 0;
    const { gate, slots } = plan.state;
    return plan.slots.every((planned) => {
      if (planned.kind === 'skip') return true;
      const latest = slots.find(({ slot }) => slot === planned.slot)?.latest;
      return (
        latest?.status === 'fail' &&
        latest.own?.content === gate.content &&
        latest.own.promptDigest === gate.rubric.digest
      );
    });
  });
}
