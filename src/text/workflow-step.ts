import type { Step, StepReview } from '../domain/job.ts';
import { WHOLE_STEP } from '../domain/job.ts';
import { showUnseen } from '../domain/quote-name.ts';
import type { BegunInput, BegunStep } from '../domain/workflow-outcome.ts';
import { someNames } from './names.ts';
import { oneLine } from './one-line.ts';
import { PLAIN } from './paint.ts';
import type { Shown } from './shown.ts';
import { cells, padCells } from './width.ts';
import { type Calls, callToFinish } from './workflow-calls.ts';
import { wrap } from './wrap.ts';

/** Steps that are to be done now: what to do, with what, what to leave, how it is judged, and how to say that it is done. */
export function tellBegunSteps(
  begun: readonly BegunStep[],
  calls: Calls,
  shown: Shown = { paint: PLAIN, width: null },
): string {
  const [, ...others] = begun;
  const steps = begun.map((one) => tellBegunStep(one, { calls, shown, alone: others.length === 0 }));
  if (others.length === 0) return steps.join('');
  const ids = begun.map(({ step }) => step.id).join(', ');
  return [`These steps may be done at the same time, by sub-agents where there are any: ${ids}.`, ...steps].join(
    '\n\n',
  );
}

/** How to say that each of them is done, for whoever has the rest already. */
export function tellHowToFinish(begun: readonly BegunStep[], calls: Calls): string {
  const alone = begun.length === 1;
  return begun
    .map(({ session, step }) => `When ${step.id} is done: ${callToFinish(calls, { session: session.id, step, alone })}`)
    .join('\n');
}

function tellBegunStep(
  { session, step, job, inputs }: BegunStep,
  { calls, shown, alone }: { readonly calls: Calls; readonly shown: Shown; readonly alone: boolean },
): string {
  const title = (text: string) => shown.paint('strong', text);
  const blocks = [
    `${title(`Step ${step.id}: ${oneLine(step.name)}`)}\n${oneLine(step.description)}`,
    `Goal: ${oneLine(session.goal)}`,
    ...(job.commonInfo === '' ? [] : [`${title('For all steps')}\n\n${asWritten(job.commonInfo, shown)}`]),
    `${title(`Instructions (${step.instructionsFile})`)}\n\n${asWritten(step.instructions, shown)}`,
    ...(inputs.length === 0 ? [] : [`${title('Inputs')}\n${columns(inputs.map(inputLine))}`]),
    ...(step.outputs.length === 0 ? [] : [`${title('Outputs')}\n${columns(step.outputs.map(outputLine))}`]),
    ...(step.reviews.length === 0 ? [] : [`${title('Reviewed before it counts as finished')}\n${tellReviews(step)}`]),
    `When it is done:\n  ${callToFinish(calls, { session: session.id, step, alone })}`,
  ];
  return blocks.join('\n\n');
}

type Line = readonly [name: string, said: string];

function inputLine(input: BegunInput): Line {
  if (input.kind === 'user') return [oneLine(input.name), `ask the user: ${oneLine(input.description)}`];
  const paths = input.paths.length === 0 ? 'left out' : someNames(input.paths);
  return [oneLine(input.output), `${paths} (from ${input.fromStep})`];
}

function outputLine({ name, type, description, required }: Step['outputs'][number]): Line {
  const what = `${type === 'file' ? 'a file' : 'files'}${required ? '' : ', may be left out'}`;
  return [oneLine(name), `${what}: ${oneLine(description)}`];
}

function tellReviews({ reviews, outputs }: Step): string {
  const scopeOf = ({ runEach }: StepReview) => {
    if (runEach === WHOLE_STEP) return 'all outputs together';
    const isOne = outputs.some(({ name, type }) => name === runEach && type === 'file');
    return isOne ? oneLine(runEach) : `each file of ${oneLine(runEach)}`;
  };
  return reviews.map((review) => [`  ${scopeOf(review)}`, ...criteriaOf(review)].join('\n')).join('\n');
}

function criteriaOf({ criteria, guidance }: StepReview): readonly string[] {
  return [
    ...Object.entries(criteria).map(([name, question]) => `    ${oneLine(name)}: ${oneLine(question)}`),
    ...(guidance === null ? [] : [`    (${oneLine(guidance)})`]),
  ];
}

function columns(lines: readonly Line[]): string {
  const width = Math.min(20, Math.max(...lines.map(([name]) => cells(name))));
  return lines.map(([name, said]) => `  ${padCells(name, width)}  ${said}`).join('\n');
}

/** Text of the job's author, line by line as it is. */
function asWritten(text: string, { width }: Shown): string {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => showUnseen(line.replaceAll('\t', '  ')));
  if (width === null) return lines.join('\n');
  return lines.map((line) => wrap(line, width, /^\s*(?:[-*+]|\d+[.)])\s/.test(line) ? 2 : 0)).join('\n');
}
