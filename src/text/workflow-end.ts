import type { ReviewResult, StepOutputs } from '../domain/quality.ts';
import { quoteName, showUnseen } from '../domain/quote-name.ts';
import type { WorkflowSession } from '../domain/workflow.ts';
import type { ReviewName, StepEnd, WorkflowStart } from '../domain/workflow-outcome.ts';
import { count } from './count.ts';
import { someNames } from './names.ts';
import { oneLine } from './one-line.ts';
import { AS_IT_IS } from './shown.ts';
import { cells, padCells } from './width.ts';
import { type Calls, callToOverride, finishCall } from './workflow-calls.ts';
import { tellReview, tellReviewTrouble, tellSession } from './workflow-failure.ts';
import { tellBegunSteps } from './workflow-step.ts';

/** That a workflow has begun, and its first steps. */
export function tellWorkflowStart(
  { session, begun, forWantOfReviewer }: WorkflowStart,
  calls: Calls,
  shown = AS_IT_IS,
): string {
  const head = [
    shown.paint('strong', `Session ${tellSession(session)} has begun.`),
    ...(forWantOfReviewer ? ['Claude Code was not found and no other reviewer was named.'] : []),
    tellReviewer(session),
  ];
  return [head.join('\n'), tellBegunSteps(begun, calls, shown)].join('\n\n');
}

/** Who reviews in a session. */
export function tellReviewer({ reviewer }: Pick<WorkflowSession, 'reviewer'>): string {
  return reviewer.kind === 'agent'
    ? `Reviews are done by ${quoteName(reviewer.name)}.`
    : 'Reviews are done by whoever makes the outputs, with a sub-agent.';
}

/** What came of saying that a step is finished. */
export function tellStepEnd(end: StepEnd, calls: Calls, shown = AS_IT_IS): string {
  if (end.kind !== 'finished') {
    const [title = '', ...rest] = tellFeedback(end, calls).split('\n\n');
    return [shown.paint('bad', title), ...rest].join('\n\n');
  }
  const title = shown.paint('good', `Finished: ${end.step}.`);
  const head = [`${title} ${tellHow(end)}`.trimEnd(), ...tellRests(end.rests)].join('\n');
  if (end.session.end !== null) return [head, tellSummary(end.session)].join('\n\n');
  if (end.begun.length > 0) return [head, tellBegunSteps(end.begun, calls, shown)].join('\n\n');
  const open = end.session.steps.filter(({ begunAt, finished }) => begunAt !== null && finished === null);
  return `${head}\n\nStill open: ${open.map(({ id }) => id).join(', ')}. What comes after begins once they are finished.`;
}

function tellHow(end: Extract<StepEnd, { kind: 'finished' }>): string {
  if (end.override !== null) {
    return end.session.reviewer.kind === 'self'
      ? `Reviewed by whoever made it: ${oneLine(end.override)}`
      : `No reviewer passed it; the reason is kept: ${oneLine(end.override)}`;
  }
  if (end.judged > 0) return `${count(end.judged, 'review')} passed.`;
  return end.rests.length > 0 ? 'Everything had passed before.' : '';
}

/** What keeps a step from being finished, and what to do about it. */
export function tellFeedback(end: Exclude<StepEnd, { kind: 'finished' }>, calls: Calls): string {
  return end.kind === 'instructed' ? tellSelfReview(end, calls) : tellFailed(end, calls);
}

function tellFailed(end: Extract<StepEnd, { kind: 'failed' }>, calls: Calls): string {
  const rests = tellRests(end.rests);
  return [
    `Not finished: ${end.failed.length} of ${count(end.judged, 'review')} of ${end.step} did not pass (attempt ${end.attempts}).`,
    ...end.failed.map(tellFailedReview),
    ...(end.errors.length === 0
      ? []
      : [
          ['Without a verdict, to be done again:', ...end.errors.map((one) => `  ${tellReviewTrouble(one)}`)].join(
            '\n',
          ),
        ]),
    ...(rests.length === 0 ? [] : [rests.join('\n')]),
    `Mend what did not pass and call ${finishCall(calls)} again with all outputs; what passed and is unchanged is not judged again. If the reviewer is wrong, or it must stay as it is, call it with ${callToOverride(calls)}: the reason is kept with the step.`,
  ].join('\n\n');
}

function tellFailedReview({ review_run_each, target_file, feedback, criteria_results }: ReviewResult): string {
  const notPassed = criteria_results.filter(({ passed }) => !passed);
  return [
    `${tellReview(review_run_each, target_file)}`,
    ...indented(feedback),
    ...notPassed.flatMap(({ criterion, feedback: said }) => [
      `  FAIL ${oneLine(criterion)}`,
      ...(said === null ? [] : indented(said, '    ')),
    ]),
  ].join('\n');
}

function tellSelfReview({ session, step, file }: Extract<StepEnd, { kind: 'instructed' }>, calls: Calls): string {
  const finish =
    calls === 'tools'
      ? `finished_step again with session_id "${session.id}"`
      : `"onceover workflow finish --session ${session.id}" again with`;
  const with_ =
    calls === 'tools' ? ', the same outputs and quality_review_override_reason' : ' the same outputs and --override';
  return [
    `Not finished: the outputs of ${step} have to be reviewed first. Spawn a sub-agent for it, so that whoever judges them is not whoever made them:`,
    [
      `1. Have the sub-agent read the review file ${quoteName(file)} and the outputs that it names.`,
      '2. Have it evaluate every criterion in there and report PASS or FAIL for each, with feedback.',
      '3. Fix every issue that it reports.',
      '4. Repeat this, each time with a new look, until all criteria pass.',
      `5. Then call ${finish}${with_}: say what was reviewed and how it came out.`,
    ].join('\n'),
  ].join('\n\n');
}

function tellRests(rests: readonly ReviewName[]): readonly string[] {
  if (rests.length === 0) return [];
  const names = rests.map(({ review_run_each, target_file }) => tellReview(review_run_each, target_file));
  return [`Not judged again, unchanged since they passed by the same criteria: ${names.join(', ')}.`];
}

/** The end of a workflow: everything that was made, and what no reviewer passed. */
export function tellSummary(session: WorkflowSession): string {
  const width = Math.max(...session.steps.map(({ id }) => cells(id)));
  const overridden = session.steps.flatMap(({ id, finished }) =>
    finished?.override == null ? [] : [`  ${padCells(id, width)}  ${oneLine(finished.override)}`],
  );
  const title =
    session.reviewer.kind === 'agent' ? 'Finished without a pass, for a reason:' : 'Reviewed by whoever made it:';
  return [
    `The workflow is complete: session ${tellSession(session)}.\nGoal: ${oneLine(session.goal)}`,
    session.steps
      .map(({ id, finished }) => `  ${padCells(id, width)}  ${tellOutputs(finished?.outputs ?? {})}`)
      .join('\n'),
    ...(overridden.length === 0 ? [] : [[title, ...overridden].join('\n')]),
  ].join('\n\n');
}

/** Outputs in one line. */
export function tellOutputs(outputs: StepOutputs): string {
  const names = Object.entries(outputs).map(
    ([name, value]) => `${oneLine(name)}: ${typeof value === 'string' ? quoteName(value) : someNames(value) || 'none'}`,
  );
  return names.length === 0 ? 'no outputs' : names.join('; ');
}

function indented(text: string, by = '  '): readonly string[] {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => `${by}${showUnseen(line)}`);
}
