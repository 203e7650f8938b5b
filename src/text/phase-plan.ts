import type { PhasePlan } from '../domain/phase-run.ts';
import { quoteName } from '../domain/quote-name.ts';
import { count } from './count.ts';
import { tellDispatchReason } from './loop-dispatch.ts';
import { someNames } from './names.ts';
import { tellOpenIssues } from './open-issues.ts';
import { PLAIN } from './paint.ts';
import { fitted, type Shown } from './shown.ts';
import { cells, padCells } from './width.ts';

/** What a phase would do next. */
export function tellPhasePlan(plan: PhasePlan, shown: Shown = { paint: PLAIN, width: null }): string {
  const lines = [
    `Under review: ${plan.artifact === null ? `${count(plan.files.length, 'file')}: ${someNames(plan.files)}` : quoteName(plan.artifact)}`,
    ...(plan.required.length === 0 ? [] : [`Reviewers read: ${someNames(plan.required)}`]),
    `Mends: ${tellFixing(plan.fixing)}; at most ${count(plan.mostIterations, 'iteration')} of a loop`,
    ...(plan.goesOn === null ? [] : [`Goes on with a loop that was begun, after round ${plan.goesOn.round}`]),
  ];
  const waiting = plan.goesOn?.waiting ?? null;
  const isWaiting = waiting !== null && waiting.length > 0;
  const blocks = [
    shown.paint('strong', `${plan.phase} of ${plan.feature === '' ? 'this folder' : quoteName(plan.feature)}`),
    lines.map((line) => fitted(line, shown)).join('\n'),
    waiting === null ? '' : tellOpenIssues(waiting, shown, 'see .review-history.md'),
    isWaiting ? fitted('It waits: the next round begins with --step --summary "what you did".', shown) : '',
    dispatchLines(plan.dispatches)
      .map((line) => fitted(line, shown))
      .join('\n'),
    'Nothing was asked and nothing written (--dry-run).',
  ];
  return blocks.filter((block) => block !== '').join('\n\n');
}

function tellFixing(fixing: PhasePlan['fixing']): string {
  switch (fixing.by) {
    case 'fixer':
      return quoteName(fixing.agent);
    case 'caller':
      return 'whoever calls, between the rounds';
    case 'nobody':
      return 'nobody';
  }
}

function dispatchLines(dispatches: PhasePlan['dispatches']): readonly string[] {
  if (dispatches.length === 0) return ['Nobody would be asked.'];
  const width = Math.max(...dispatches.map(({ role }) => cells(role)));
  return [
    'Would be asked next:',
    ...dispatches.map(({ role, agent, model, dispatch, why, promptChars }) => {
      const reason = tellDispatchReason(why);
      const how = `${dispatch}${reason === null ? '' : ` (${reason})`}`;
      const who = `${quoteName(agent)}${model === null ? '' : ` (${quoteName(model)})`}`;
      return `  ${padCells(role, width)}  ${who}, ${how}, ${count(promptChars, 'character')}`;
    }),
  ];
}
