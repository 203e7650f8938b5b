import { oneLine, quoteName, showInvisible } from '../../kernel/escape.ts';
import { describeFailure } from '../../ui/describe-failure.ts';
import { describeReview, describeReviewTrouble, describeSession } from '../../ui/describe-workflow-failure.ts';
import { cells, padCells } from '../../ui/layout.ts';
import { UNSTYLED } from '../../ui/style.ts';
import { count, someNames } from '../../ui/wording.ts';
import type { ReviewName, ReviewResult, StepOutputs } from '../quality/types.ts';
import { openSteps } from '../session.ts';
import type { StepEnd, WorkflowNotice, WorkflowSession, WorkflowStart } from '../types.ts';
import { CALLS, type Calls, describeBegunSteps } from './steps.ts';

/** The warning of a session that falls back to self-review. */
export const REVIEWER_MISSING = 'Claude Code is not installed and no other reviewer was named.';

/** Returns the confirmation of a started workflow, with its first steps. */
export function describeWorkflowStart(
  { session, begun, reviewerMissing }: WorkflowStart,
  calls: Calls,
  shown = UNSTYLED,
): string {
  const head = [
    shown.paint('strong', `Started session ${describeSession(session)}.`),
    ...(reviewerMissing ? [REVIEWER_MISSING] : []),
    describeReviewer(session),
  ];
  return [head.join('\n'), describeBegunSteps(begun, calls, shown)].join('\n\n');
}

/** Returns who reviews the outputs of a session. */
export function describeReviewer({ reviewer }: Pick<WorkflowSession, 'reviewer'>): string {
  return reviewer.kind === 'agent'
    ? `Reviewer: ${quoteName(reviewer.name)}.`
    : 'Reviewer: a sub-agent of the agent that does the steps (self-review).';
}

/** Returns the result of a request to finish a step, and the next steps. */
export function describeStepEnd(end: StepEnd, calls: Calls, shown = UNSTYLED): string {
  if (end.kind !== 'finished') {
    const [title = '', ...rest] = describeFeedback(end, calls).split('\n\n');
    return [shown.paint('bad', title), ...rest].join('\n\n');
  }
  const title = shown.paint('good', `Finished: ${end.step}.`);
  const head = [`${title} ${describeHow(end)}`.trimEnd(), ...describeSkipped(end.skipped)].join('\n');
  if (end.session.end !== null) return [head, describeSummary(end.session)].join('\n\n');
  if (end.begun.length > 0) return [head, describeBegunSteps(end.begun, calls, shown)].join('\n\n');
  const open = openSteps(end.session).map(({ id }) => id);
  return `${head}\n\nStill open: ${open.join(', ')}. The next steps start when these are finished.`;
}

function describeHow({ session, override, judged, skipped }: Extract<StepEnd, { kind: 'finished' }>): string {
  if (override !== null) {
    const how = session.reviewer.kind === 'self' ? 'Self-review' : 'No review passed; the reason is stored';
    return `${how}: ${oneLine(override)}`;
  }
  if (judged > 0) return `${count(judged, 'review')} passed.`;
  return skipped.length > 0 ? 'All reviews already passed.' : '';
}

/** Returns why a step is not finished, and what to do next. */
export function describeFeedback(end: Exclude<StepEnd, { kind: 'finished' }>, calls: Calls): string {
  return end.kind === 'instructed' ? describeSelfReview(end, calls) : describeFailed(end, calls);
}

function describeFailed(end: Extract<StepEnd, { kind: 'failed' }>, calls: Calls): string {
  const { finish, override } = CALLS[calls];
  const errors = end.errors.map((one) => `  ${describeReviewTrouble(one)}`);
  return [
    `Not finished: ${end.failed.length} of ${count(end.judged, 'review')} of ${end.step} did not pass (attempt ${end.attempts}).`,
    ...end.failed.map(describeFailedReview),
    ...(errors.length === 0 ? [] : [['These reviews have no verdict and run again:', ...errors].join('\n')]),
    ...describeSkipped(end.skipped),
    `Fix what did not pass and call ${finish} again with all outputs. Reviews that passed are skipped if their files are unchanged. If the reviewer is wrong, or the output must stay as it is, call it with ${override}: the reason is stored with the step.`,
  ].join('\n\n');
}

function describeFailedReview({ review_run_each, target_file, feedback, criteria_results }: ReviewResult): string {
  return [
    describeReview(review_run_each, target_file),
    ...indented(feedback),
    ...criteria_results
      .filter(({ passed }) => !passed)
      .flatMap((one) => [
        `  FAIL ${oneLine(one.criterion)}`,
        ...(one.feedback === null ? [] : indented(one.feedback, '    ')),
      ]),
  ].join('\n');
}

function describeSelfReview({ session, step, file }: Extract<StepEnd, { kind: 'instructed' }>, calls: Calls): string {
  const finish =
    calls === 'tools'
      ? `finished_step again with session_id "${session.id}", the same outputs and quality_review_override_reason`
      : `"onceover workflow finish --session ${session.id}" again with the same outputs and --override`;
  return `Not finished: the outputs of ${step} must be reviewed first. Spawn a sub-agent for the review, so that the reviewer is not the author:

1. Have the sub-agent read the review file ${quoteName(file)} and the outputs that the file names.
2. Have it evaluate every criterion in the file and report PASS or FAIL for each, with feedback.
3. Fix every issue that it reports.
4. Repeat this with a new sub-agent until all criteria pass.
5. Then call ${finish}: say what was reviewed, and the result.`;
}

function describeSkipped(skipped: readonly ReviewName[]): readonly string[] {
  if (skipped.length === 0) return [];
  const names = skipped.map(({ review_run_each, target_file }) => describeReview(review_run_each, target_file));
  return [`Skipped, already passed with the same files and criteria: ${names.join(', ')}.`];
}

/** Returns the summary of a completed workflow: all outputs, and the steps without a passed review. */
export function describeSummary(session: WorkflowSession): string {
  const width = Math.max(...session.steps.map(({ id }) => cells(id)));
  const line = (id: string, text: string) => `  ${padCells(id, width)}  ${text}`;
  const overridden = session.steps.flatMap(({ id, finished }) =>
    finished?.override == null ? [] : [line(id, oneLine(finished.override))],
  );
  const title = session.reviewer.kind === 'agent' ? 'Finished without a passed review:' : 'Self-reviewed:';
  return [
    `The workflow is complete: session ${describeSession(session)}.\nGoal: ${oneLine(session.goal)}`,
    session.steps.map(({ id, finished }) => line(id, describeOutputs(finished?.outputs ?? {}))).join('\n'),
    ...(overridden.length === 0 ? [] : [[title, ...overridden].join('\n')]),
  ].join('\n\n');
}

/** Returns all outputs on one line. */
export function describeOutputs(outputs: StepOutputs): string {
  const names = Object.entries(outputs).map(
    ([name, value]) => `${oneLine(name)}: ${typeof value === 'string' ? quoteName(value) : someNames(value) || 'none'}`,
  );
  return names.length === 0 ? 'no outputs' : names.join('; ');
}

function indented(text: string, by = '  '): readonly string[] {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => `${by}${showInvisible(line)}`);
}

/** Returns one sentence, without a full stop, about a warning. */
export function describeWorkflowNotice({ failure }: WorkflowNotice): string {
  return `the cost of reviewing this step is not in the ledger: ${describeFailure(failure).what}`;
}
